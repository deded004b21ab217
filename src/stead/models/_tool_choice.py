"""The setting `tool_choice`, in the terms that all providers share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from .._contracts.model import ModelRequestParameters
from .._contracts.tool_definition import ToolDefinition
from ..exceptions import UserError
from ..settings import ToolOrOutput


@dataclass
class Choice:
    """Which tools a model may or must call."""

    mode: Literal['none', 'auto', 'required']
    """Whether it must not, may or must call one."""
    allowed: list[str] | None = None
    """Which ones, if not all."""
    explicit: bool = False
    """Whether the caller demands a call, rather than the form of the output."""

    @property
    def only(self) -> str | None:
        """The one tool that must be called, if there is just one."""
        return self.allowed[0] if self.mode == 'required' and self.allowed and len(self.allowed) == 1 else None

    def among(self, tools: Iterable[ToolDefinition]) -> list[ToolDefinition]:
        """Return the tools that may be called."""
        return [tool for tool in tools if self.allowed is None or tool.name in self.allowed]


def resolve_tool_choice(settings: Mapping[str, object] | None, params: ModelRequestParameters) -> Choice:
    """Return which tools a model may or must call.

    Raises:
        UserError: A tool is named that the request does not have, or a call is demanded where there are no tools.
    """
    choice: Any = (settings or {}).get('tool_choice')
    outputs = [tool.name for tool in params.output_tools]
    free: Literal['auto', 'required'] = 'auto' if params.allow_text_output or params.allow_image_output else 'required'
    if choice is None or choice == 'auto':
        return Choice(free)
    if choice == 'required':
        if not params.function_tools:
            raise UserError(
                "The setting `tool_choice='required'` demands a tool call, but the request has no function tools. "
                'Give the agent tools, or leave the setting out.'
            )
        return Choice('required', explicit=True)
    listed = isinstance(choice, list)
    names: list[str] = [] if choice == 'none' else choice.function_tools if isinstance(choice, ToolOrOutput) else choice
    known = [name for name in dict.fromkeys(names) if name in params.tool_defs]
    if names and not known:
        raise UserError(
            f'The setting `tool_choice` names {names}, but the tools of the request are {sorted(params.tool_defs)}.'
        )
    if listed and len(known) == len(params.tool_defs) and not params.native_tools:
        return Choice('required', explicit=True)  # any of them
    if listed and known:
        return Choice('required', known, explicit=True)
    if not known:  # outputs are not calls of tools, as far as the caller is concerned
        return Choice(free, outputs, explicit=listed) if outputs else Choice('none')
    return Choice(free, list(dict.fromkeys([*known, *outputs])))
