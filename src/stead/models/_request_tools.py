"""The tools of a request as a model gets them: which native tools it has, and which function tools it can see.

`adapted_tools` is what stead's models use. `resolve_request_tools` and `prepare_return_schemas` are its two halves in the form
that models of other packages call, which write deferred tools to the API themselves.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace

from typing_extensions import TypeAlias

from .._contracts.model import ModelRequestParameters, ToolVisibility
from .._contracts.tool_definition import ToolDefinition
from ..exceptions import UserError
from ..native_tools import AbstractNativeTool, ToolSearchTool
from ..profiles import ModelProfile, ToolAdditionMode

UnsupportedSettings: TypeAlias = Callable[[AbstractNativeTool], frozenset[str]]
"""Returns the settings of a native tool that a model cannot send."""


REFUSE_UNSENT_RESTRICTIONS = False
"""Whether stead's models refuse native tools with restrictions that the model cannot be told, rather than send them without."""


def _no_restrictions(native_tool: AbstractNativeTool) -> frozenset[str]:
    return frozenset()


def resolve_request_tools(
    params: ModelRequestParameters,
    supported_types: frozenset[type[AbstractNativeTool]],
    *,
    unsupported_settings: UnsupportedSettings | None = None,
    can_withhold_tool_schemas: Callable[[Sequence[AbstractNativeTool]], bool] | None = None,
    tool_addition_mode: ToolAdditionMode | None = None,
) -> ModelRequestParameters:
    """Return parameters with the tools that a model has, and with `tool_visibility` for each of its function tools.

    Args:
        params: The parameters.
        supported_types: The native tools that the model supports.
        unsupported_settings: Returns the settings of a native tool that the model cannot send. A tool that has one counts as
            one that is not supported.
        can_withhold_tool_schemas: Returns whether the API takes tools that the model does not see yet, with these native
            tools. By default it does not.
        tool_addition_mode: How messages add tools to a conversation; `'with_definitions'` shows them there only.

    Raises:
        UserError: The model lacks a native tool that is neither optional nor has a function to replace it.
    """
    native_tools = _supported_native_tools(
        params, supported_types, unsupported_settings or _no_restrictions, 'This model'
    )
    active = {tool.unique_id for tool in native_tools}
    withholds = can_withhold_tool_schemas is not None and can_withhold_tool_schemas(native_tools)
    tools = [tool for tool in params.function_tools if tool.unless_native is None or tool.unless_native not in active]
    visibility: dict[str, ToolVisibility] = {}
    for tool in tools:
        searched, revealed = tool.with_native in active, tool.name in params.revealed_tool_names
        if not tool.defer_loading:
            seen: ToolVisibility = 'visible'
        elif searched and withholds:
            seen = 'deferred'
        elif tool_addition_mode == 'with_definitions':
            seen = 'via_history' if revealed else 'withheld'
        elif withholds:
            seen = 'deferred' if revealed or not active else 'withheld'
        else:
            seen = 'visible' if revealed else 'withheld'
        visibility[tool.name] = seen
    return replace(params, function_tools=tools, native_tools=native_tools, tool_visibility=visibility)


def prepare_return_schemas(
    params: ModelRequestParameters, *, supports_tool_return_schema: bool
) -> ModelRequestParameters:
    """Return parameters whose function tools have their return schemas where the model accepts them.

    Args:
        params: The parameters.
        supports_tool_return_schema: Whether it has a field for them; else they are in the descriptions.
    """
    tools = [_with_return_schema(tool, accepted=supports_tool_return_schema) for tool in params.function_tools]
    return replace(params, function_tools=tools)


def adapted_tools(
    params: ModelRequestParameters, profile: ModelProfile, unsupported_settings: UnsupportedSettings, model: str
) -> dict[str, object]:
    """Return the fields of the parameters that change: native tools that the model lacks, and function tools.

    Function tools are left out if a native tool replaces them, or if they are hidden until a native search finds them and
    there is none. Others change if the model does not accept their return schema.
    """
    changes: dict[str, object] = {}
    refused = unsupported_settings if REFUSE_UNSENT_RESTRICTIONS else _no_restrictions
    native_tools = _supported_native_tools(params, profile.supported_native_tools, refused, model)
    active = {tool.unique_id for tool in native_tools}
    # A search with a strategy of the caller's own runs in the function `search_tools`, so it does not replace that.
    replacing = {
        tool.unique_id for tool in native_tools if not (isinstance(tool, ToolSearchTool) and tool.strategy == 'custom')
    }
    tools: list[ToolDefinition] = []
    changed = False
    for tool in params.function_tools:
        if tool.unless_native is not None and tool.unless_native in replacing:
            changed = True
            continue
        if tool.with_native is not None and tool.with_native not in active and tool.defer_loading:
            changed = True
            continue
        adapted = _with_return_schema(tool, accepted=profile.supports_tool_return_schema)
        changed = changed or adapted is not tool
        tools.append(adapted)
    if changed:
        changes['function_tools'] = tools
        if active:
            native_tools = _without_idle_search(native_tools, tools)
    if native_tools is not params.native_tools:
        changes['native_tools'] = native_tools
    return changes


def _supported_native_tools(
    params: ModelRequestParameters,
    supported_types: frozenset[type[AbstractNativeTool]],
    unsupported_settings: UnsupportedSettings,
    model: str,
) -> list[AbstractNativeTool]:
    """Return the native tools of a request that the model supports, each id once; the list itself if those are all.

    Raises:
        UserError: The model lacks one that is neither optional nor has a function to replace it.
    """
    if not params.native_tools:
        return params.native_tools
    # Of several with the same id the last is sent, in the place of the first; providers refuse both.
    tools = list({tool.unique_id: tool for tool in params.native_tools}.values())
    supported = tuple(supported_types)
    kept = [tool for tool in tools if isinstance(tool, supported) and not unsupported_settings(tool)]
    if len(kept) == len(params.native_tools):
        return params.native_tools
    replaceable = {tool.unless_native for tool in params.function_tools if tool.unless_native}
    needed = [tool for tool in tools if not (tool in kept or tool.optional or tool.unique_id in replaceable)]
    missing = [type(tool).__name__ for tool in needed if not isinstance(tool, supported)]
    if missing:
        known = sorted(tool_type.__name__ for tool_type in supported_types)
        raise UserError(
            f'{model} does not support the native tools {missing}, only {known}. '
            'Pair them with a local fallback (`NativeOrLocalTool(native=..., local=...)`), or use another model.'
        )
    if needed:
        lost = [f'{type(tool).__name__}.{name}' for tool in needed for name in sorted(unsupported_settings(tool))]
        raise UserError(
            f'{model} cannot be told the settings {lost} of native tools, and without them the tools would do more than '
            'they may. Remove the settings, pair the tools with a local fallback, or use another model.'
        )
    return kept


def _without_idle_search(
    native_tools: list[AbstractNativeTool], tools: list[ToolDefinition]
) -> list[AbstractNativeTool]:
    """Return native tools without an optional tool search, if all tools that it would search have been removed."""
    idle = [tool for tool in native_tools if isinstance(tool, ToolSearchTool) and tool.optional]
    if idle and not any(tool.with_native == idle[0].unique_id for tool in tools):
        return [tool for tool in native_tools if tool not in idle]
    return native_tools


def _with_return_schema(tool: ToolDefinition, *, accepted: bool) -> ToolDefinition:
    """Return a tool with its return schema where the model accepts it: in its field, in the description, or nowhere."""
    if tool.include_return_schema and not tool.return_schema:
        warnings.warn(
            f'The return schema of tool {tool.name!r} is to be sent to the model, but says nothing: its function has no '
            'return annotation, or one that allows anything. Annotate what it returns, or set '
            '`include_return_schema=False`.',
            UserWarning,
            stacklevel=2,
        )
    if tool.return_schema is None:
        return tool
    if not tool.include_return_schema or not tool.return_schema:  # `{}` says nothing
        # A copy as `replace` makes it, at a tenth of its cost: a request may have many tools. The cached signature
        # includes the return schema, and must be computed again.
        bare = object.__new__(type(tool))
        bare.__dict__.update(tool.__dict__, return_schema=None)
        bare.__dict__.pop('function_signature', None)
        return bare
    if accepted:
        return tool
    text = f'Return schema:\n\n{json.dumps(tool.return_schema, indent=2)}'
    description = f'{tool.description}\n\n{text}' if tool.description else text
    return replace(tool, description=description, return_schema=None)
