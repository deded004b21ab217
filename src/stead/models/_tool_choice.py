"""Resolves the setting `tool_choice` for the tools of a request, in terms that all providers share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from .._contracts.model import ModelRequestParameters
from .._contracts.tool_definition import ToolDefinition
from ..exceptions import UserError
from ..profiles import ModelProfile
from ..settings import ToolOrOutput


@dataclass
class ResolvedToolChoice:
    """The tools that a model may or must call."""

    mode: Literal['none', 'auto', 'required']
    """Whether the model must not, may or must call a tool."""
    allowed: list[str] | None = None
    """The names of the tools that it may call, or `None` for all."""
    explicit: bool = False
    """Whether the setting requires a call, rather than the output type."""

    @property
    def only(self) -> str | None:
        """The name of the tool that must be called, if there is only one."""
        return self.allowed[0] if self.mode == 'required' and self.allowed and len(self.allowed) == 1 else None

    def among(self, tools: Iterable[ToolDefinition]) -> list[ToolDefinition]:
        """Return those of the tools that the model may call."""
        return [tool for tool in tools if self.allowed is None or tool.name in self.allowed]


def without_forced_output(
    params: ModelRequestParameters, profile: ModelProfile, model_name: str
) -> ModelRequestParameters:
    """Return parameters for a model that cannot be forced to call output tools while it thinks: another mode is the default.

    Raises:
        UserError: The output mode is `'tool'`, and the output cannot be text.
    """
    better = 'native' if profile.supports_json_schema_output else 'prompted'
    if params.output_mode == 'auto':
        return params.with_default_output_mode(better)
    if params.output_mode == 'tool' and not params.allow_text_output:
        raise UserError(
            f'{model_name!r} cannot be forced to call output tools while it thinks. '
            f'Use `output_type={better.capitalize()}Output(...)`, or turn thinking off.'
        )
    return params


def is_native(params: ModelRequestParameters, profile: ModelProfile) -> bool:
    """Return whether the output of a request is native, by its own mode or by the default of the model."""
    mode = params.output_mode
    return (profile.default_structured_output_mode if mode == 'auto' else mode) == 'native'


def resolve_tool_choice(settings: Mapping[str, object] | None, params: ModelRequestParameters) -> ResolvedToolChoice:
    """Return the tools that a model may or must call.

    Raises:
        UserError: The setting names only tools that the request does not have, or requires a call and there are no tools.
    """
    choice: Any = (settings or {}).get('tool_choice')
    outputs = [tool.name for tool in params.output_tools]
    free: Literal['auto', 'required'] = 'auto' if params.allow_text_output or params.allow_image_output else 'required'
    if choice is None or choice == 'auto':
        return ResolvedToolChoice(free)
    if choice == 'required':
        if not params.function_tools:
            raise UserError(
                "The setting `tool_choice='required'` requires a tool call, but the request has no function tools. "
                'Give the agent tools, or leave the setting out.'
            )
        return ResolvedToolChoice('required', explicit=True)
    listed = isinstance(choice, list)
    names: list[str] = [] if choice == 'none' else choice.function_tools if isinstance(choice, ToolOrOutput) else choice
    known = [name for name in dict.fromkeys(names) if name in params.tool_defs]
    if names and not known:
        raise UserError(
            f'The setting `tool_choice` names {names}, but the tools of the request are {sorted(params.tool_defs)}.'
        )
    if listed and len(known) == len(params.tool_defs) and not params.native_tools:
        return ResolvedToolChoice('required', explicit=True)  # any of them
    if listed and known:
        return ResolvedToolChoice('required', known, explicit=True)
    if not known:  # `'none'` still allows output tools, which are not tools to the caller
        return ResolvedToolChoice(free, outputs, explicit=listed) if outputs else ResolvedToolChoice('none')
    return ResolvedToolChoice(free, list(dict.fromkeys([*known, *outputs])))
