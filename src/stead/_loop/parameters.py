"""What a request asks for apart from its messages: put together from the step, and kept for the next one.

Most steps ask for what the last one asked for, so they use the same object again. By that object, models recognize that they
have nothing to adapt or to encode again; so what it holds must not change. Hooks and models of others may change a request in
place, so they see copies (`shown.py`). What they change holds for one request: it is looked for before the request is sent,
and when its response has come, before its calls are made: after its hooks, if there are any.
"""

from __future__ import annotations

import inspect
from abc import ABC
from functools import lru_cache
from typing import Any, Generic

from .._calls.manager import ToolManager
from .._contracts.hooks import MODEL_REQUEST
from .._contracts.model import ModelRequestContext, ModelRequestParameters
from .._contracts.run_context import RunContext
from .._contracts.tool_definition import ToolDefinition
from .._deferral.search import native_tools_with_search
from .._kit.plain_copies import changed
from ..exceptions import UserError
from ..messages import InstructionPart
from ..models import Model
from ..native_tools import AbstractNativeTool
from ..toolsets._copies import still_waiting
from .shown import ShownParameters, differ
from .state import KeptParameters, RunGraphContext, RunStep

_PACKAGE = __name__.partition('.')[0]
MOST_CHANGES = 200
"""How many times hooks may change the parameters of one request in place, and send it: all that they have seen is watched."""


async def request_parameters(
    ctx: RunGraphContext, step: RunStep, instruction_parts: list[InstructionPart] | None
) -> ModelRequestParameters:
    """Return the request parameters of the step: the last ones, if everything they were made from is still the same."""
    deps, tools = ctx.deps, step.tools
    native_tools = await _native_tools(ctx, step.context) if deps.native_tools else []
    key = (tools.tools, deps.output_schema, instruction_parts, native_tools)
    if (before := deps.kept_parameters.last) is not None:
        last, parameters, shown = before
        if last[1] is key[1] and last[2] == key[2] and last[3] == key[3]:
            kept = parameters if shown is None else shown.parameters
            if last[0] is key[0]:
                return kept
            if _same_definitions(last[0], key[0]):
                # So that the next steps of the run need not compare them.
                deps.kept_parameters.last = key, parameters, shown
                return kept
    function_tools: list[ToolDefinition] = []
    output_tools: list[ToolDefinition] = []
    for definition in tools.tool_defs:
        (output_tools if definition.kind == 'output' else function_tools).append(definition)
    parameters = ModelRequestParameters(
        function_tools=function_tools,
        native_tools=native_tools_with_search(native_tools, function_tools, step.context.capabilities),
        instruction_parts=instruction_parts,
        **deps.output_schema.request_parameters(output_tools),
    )
    shown = ShownParameters.of(parameters) if deps.kept_parameters.is_exposed else None
    deps.kept_parameters.last = key, parameters, shown
    return parameters if shown is None else shown.parameters


def keep_changes(ctx: RunGraphContext, step: RunStep, prepared: ModelRequestContext | None = None) -> None:
    """Let what hooks or the model changed in place be the parameters of this request, and hold for the calls of its response.

    Args:
        ctx: State and dependencies of the run.
        step: The step.
        prepared: The request, after the hooks before it; `None` after all hooks.

    Raises:
        UserError: A hook or the model gave a tool an invalid kind, or hooks have sent too many changed requests.
    """
    if (last := ctx.deps.kept_parameters.last) is None:
        return
    key, parameters, shown = last
    if shown is None:
        return
    has_changed = shown.is_changed()
    if not has_changed and not shown.changes:
        return
    if prepared is not None and shown.changes >= MOST_CHANGES:
        raise UserError(
            f'Hooks have changed the parameters of one request in place, and sent it again, {MOST_CHANGES} times. Let the hook '
            'give up, or raise `ModelRetry`, so that the model is asked in another step.'
        )
    own = shown.detached() if has_changed else shown
    if prepared is not None and own.has_shown(prepared.model_request_parameters):
        prepared.model_request_parameters = own.parameters
    # The next request is put together from what hooks never saw.
    ctx.deps.kept_parameters.last = None if prepared is None else (key, parameters, own)
    for before, now in own.definitions if has_changed else ():
        _redefine(step.tools, before.name, now)


def kept_parameters(shared: KeptParameters, tools: ToolManager[Any], model: Model | None) -> KeptParameters:
    """Return what a run keeps its request parameters in.

    Args:
        shared: That of all runs without hooks around requests, on models of this package.
        tools: Those of the run, with its hooks.
        model: The model of the run; `None` if each step has one of its own.
    """
    is_foreign = model is None or _is_foreign(model)
    if tools.chain.model_request or is_foreign:
        return KeptParameters(is_exposed=is_foreign or _may_change(tools))
    return shared


def _may_change(tools: ToolManager[Any]) -> bool:
    """Return whether a hook around requests may change one in place."""
    points = MODEL_REQUEST.before, MODEL_REQUEST.wrap, MODEL_REQUEST.after, MODEL_REQUEST.on_error
    leaves: list[object] = [leaf for name in points for leaf in getattr(tools.chain, name)]
    return any(not vars(type(leaf)).get('leaves_requests_alone', False) for leaf in leaves)


def _is_foreign(model: object) -> bool:
    """Return whether code outside of this package sees the requests of a model, or of one that it asks."""
    replaceable = _replaceable(type(model))
    if replaceable is None or not replaceable.isdisjoint(vars(model)):
        return True
    inner = getattr(model, 'models', None) or [getattr(model, 'wrapped', None)]
    return any(each is not None and _is_foreign(each) for each in inner)


@lru_cache(maxsize=256)
def _replaceable(kind: type) -> frozenset[str] | None:
    """Return the methods that a constructor outside of this package may replace; `None` if a class there defines one of them.

    A class of others that only adds names or a constructor never sees a request, and is as quick as the class it inherits from.
    """
    ours = [base for base in kind.__mro__ if base.__module__.partition('.')[0] == _PACKAGE]
    theirs = [base for base in kind.__mro__ if base not in ours and base not in (ABC, Generic, object)]
    if not issubclass(kind, Model) or not theirs:
        return frozenset() if issubclass(kind, Model) else None
    members = {
        name: value for base in ours for name, value in vars(base).items() if not name.startswith(('__', '_abc_'))
    }
    if any(not {'__getattribute__', '__getattr__', *members}.isdisjoint(vars(base)) for base in theirs):
        return None
    return frozenset(name for name, value in members.items() if callable(value))


def _redefine(tools: ToolManager[Any], name: str, definition: ToolDefinition) -> None:
    """Let a tool have a definition for the rest of the step, if it is another one; the next step lists the tools again.

    Raises:
        UserError: A hook may not give the tool its kind.
    """
    tool = tools.tools.get(name) if tools.tools is not None else None
    if tools.tools is not None and tool is not None and differ(tool.tool_def, definition):
        own = still_waiting(definition, tool.tool_def)
        tools.tools = {**tools.tools, name: changed(tool, tool_def=own)}
        tools.listing = None


def _same_definitions(before: Any, now: Any) -> bool:
    """Return whether two listings of tools hold the same definition objects, in the same order."""
    return len(before) == len(now) and all(
        one.tool_def is other.tool_def for one, other in zip(before.values(), now.values())
    )


async def _native_tools(ctx: RunGraphContext, context: RunContext[object]) -> list[AbstractNativeTool]:
    tools: list[AbstractNativeTool] = []
    for tool in ctx.deps.native_tools:
        if isinstance(tool, AbstractNativeTool):
            tools.append(tool)
            continue
        outcome = tool(context)
        native = await outcome if inspect.isawaitable(outcome) else outcome
        if native is not None:
            tools.append(native)
    return tools
