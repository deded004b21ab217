"""`Agent.explain`: what a run would send to the model, and who decided about each piece of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, cast

from .._contracts.capability import AbstractCapability, overrides
from .._contracts.hooks import HOOK_NAMES
from .._contracts.model import ModelRequestParameters
from .._contracts.run_context import RunContext
from .._contracts.tool_definition import ToolDefinition
from .._contracts.toolset import AbstractToolset
from .._deferral import catalog
from .._loop.nodes import ModelRequestNode
from .._loop.request import prepare_request
from .._loop.state import RunGraphContext
from ..capabilities._chain import HookChain
from ..capabilities._ordering import describe, order_reasons
from ..exceptions import UserError
from ..messages import LOAD_CAPABILITY, SEARCH_TOOLS, ModelMessage
from ..toolsets import CombinedToolset, WrapperToolset
from ._plan import Instructions, RunPlan, instruction_parts

_WAITING = ('unapproved', 'external')
_FIND_TOOLS = (SEARCH_TOOLS, LOAD_CAPABILITY)


@dataclass
class CapabilityNote:
    """A capability of a run."""

    name: str
    """Its class, and its id if it has one."""
    deferred: bool
    """Whether the model has to load it first."""
    reasons: list[str]
    """The constraints that decide about its place; without any it stands where it was listed."""


@dataclass
class ToolNote:
    """A tool of a run."""

    name: str
    """The name that the model knows it by."""
    kind: str
    """`'function'`, `'output'`, `'unapproved'` or `'external'`."""
    source: str
    """The toolset that it comes from."""
    changes: list[str] = field(default_factory=lambda: [])
    """What wrappers and capabilities did to it, innermost first."""
    status: str = 'sent'
    """`'sent'`, `'hidden'`, or `'deferred'` until the model discovers it."""


@dataclass
class SourceNote:
    """A text or value, and where it comes from."""

    source: str
    """Who gave it."""
    value: Any
    """The text or value."""
    name: str = ''
    """The name of a setting."""


@dataclass
class Explanation:
    """What a run would send to the model with its first request, and why. Print it for a report."""

    model: str
    """The model."""
    output: str
    """How the output is asked for."""
    capabilities: list[CapabilityNote] = field(default_factory=lambda: [])
    """The capabilities, outermost first."""
    hooks: dict[str, list[str]] = field(default_factory=lambda: {})
    """For each hook that somebody implements, who does, outermost first."""
    tools: list[ToolNote] = field(default_factory=lambda: [])
    """The tools, also those that are hidden."""
    instructions: list[SourceNote] = field(default_factory=lambda: [])
    """The instructions, in the order in which they are sent."""
    settings: list[SourceNote] = field(default_factory=lambda: [])
    """The model settings, each with the layer that had the last word."""
    warnings: list[str] = field(default_factory=lambda: [])
    """What is probably not meant."""
    messages: list[ModelMessage] = field(default_factory=lambda: [])
    """The messages of the request."""
    parameters: ModelRequestParameters | None = None
    """The parameters of the request; `None` if the tools could not be listed."""

    def __str__(self) -> str:
        """Return a report of a line or more for each piece."""
        lines = [f'model         {self.model}', f'output        {self.output}']
        lines += _section('capabilities', [_capability_line(note) for note in self.capabilities])
        lines += _section('hooks', [f'{name}: {" > ".join(who)}' for name, who in self.hooks.items()])
        lines += _section('tools', [_tool_line(note) for note in self.tools])
        lines += _section('instructions', [f'[{note.source}] {note.value}' for note in self.instructions])
        lines += _section('settings', [f'{note.name} = {note.value!r} [{note.source}]' for note in self.settings])
        lines += _section('warnings', self.warnings)
        return '\n'.join(lines)


def _section(title: str, entries: Sequence[str]) -> Iterator[str]:
    for index, entry in enumerate(entries):
        head, *more = entry.splitlines() or ['']
        yield f'{title if index == 0 else "":<14}{head}'
        yield from (f'{"":<14}{line}' for line in more)


def _capability_line(note: CapabilityNote) -> str:
    why = f' ({"; ".join(note.reasons)})' if note.reasons else ''
    return f'{note.name}{" [deferred]" if note.deferred else ""}{why}'


def _tool_line(note: ToolNote) -> str:
    marks = [mark for mark in (note.kind, note.status) if mark not in ('function', 'sent')]
    changes = f': {"; ".join(note.changes)}' if note.changes else ''
    return f'{note.name}{"".join(f" [{mark}]" for mark in marks)} from {note.source}{changes}'


async def explain(agent: Any, own: Instructions[Any], scope: Any) -> Explanation:
    """Set up a run without its hooks around the run, and put together its first request without sending it.

    Args:
        agent: The agent.
        own: The instructions of the agent itself.
        scope: The run, as `Agent.iter` returns it.
    """
    setup = scope.setup
    setup.dry = True
    async with scope as run:
        ctx: RunGraphContext = run.ctx
        deps = ctx.deps
        plan: RunPlan[Any] = setup.plan
        found = Explanation(model=_model_name(setup.model), output=_output(deps.output_schema))
        capabilities = list(deps.chain.capabilities)
        reasons = order_reasons(capabilities)
        for capability in capabilities:
            found.capabilities.append(
                CapabilityNote(describe(capability), bool(capability.defer_loading), reasons.get(id(capability), []))
            )
        found.hooks = _hooks(deps.chain)
        node = await run.next_node.run(ctx)
        try:
            if isinstance(node, ModelRequestNode):
                step = await prepare_request(ctx, node.request)
                found.messages = step.request.messages
                found.parameters = step.request.model_request_parameters
        except UserError as error:  # two tools of one name, for example
            found.warnings.append(str(error))
        run_context, toolset = ctx.state.step.context, ctx.state.step.tools.toolset
        found.tools = await _tools(toolset, run_context)
        found.instructions = await _instructions(own, capabilities, plan, toolset, run_context)
        found.settings = _settings(agent, setup, capabilities, plan, run_context)
        found.warnings += _warnings(found, capabilities, deps)
        return found


def _model_name(model: Any) -> str:
    return f'{type(model).__name__} {model.model_name!r}'


def _output(schema: Any) -> str:
    spec = schema.spec
    name = getattr(spec, '__name__', None) or repr(spec)
    return f'{name}, mode {schema.mode!r}'


def _hooks(chain: HookChain) -> dict[str, list[str]]:
    return {
        name: [describe(capability) for capability in getattr(chain, name)]
        for name in HOOK_NAMES
        if getattr(chain, name)
    }


# Tools


async def _tools(toolset: AbstractToolset[Any], ctx: RunContext[Any]) -> list[ToolNote]:
    try:
        traced = await _trace(toolset, ctx)
    except UserError:  # reported by the request already
        return []
    for note, definition in traced:
        if note.status == 'sent' and definition.defer_loading and note.name not in ctx.discovered_tool_names:
            note.status = 'deferred'
    return [note for note, _ in traced]


async def _trace(toolset: AbstractToolset[Any], ctx: RunContext[Any]) -> list[tuple[ToolNote, ToolDefinition]]:
    """Return the tools of a toolset, with what each wrapper on the way did to them."""
    if isinstance(toolset, CombinedToolset):
        return [item for member in toolset.toolsets for item in await _trace(cast(Any, member), ctx)]
    after = {name: tool.tool_def for name, tool in (await toolset.get_tools(ctx)).items()}
    if not isinstance(toolset, WrapperToolset):
        return [(ToolNote(name, definition.kind, toolset.label), definition) for name, definition in after.items()]
    inner = await _trace(cast(Any, toolset.wrapped), ctx)
    label = type(toolset).__name__
    left = dict(after)
    traced: list[tuple[ToolNote, ToolDefinition]] = []
    for note, before in inner:
        if note.status == 'hidden':
            traced.append((note, before))
            continue
        name = note.name if note.name in left else _same_tool(before, left)
        if name is None:
            traced.append((replace(note, status='hidden', changes=[*note.changes, f'hidden by {label}']), before))
            continue
        definition = left.pop(name)
        changes = [f'{change} by {label}' for change in _changes(before, definition)]
        traced.append((replace(note, name=name, kind=definition.kind, changes=[*note.changes, *changes]), definition))
    traced += [(ToolNote(name, definition.kind, toolset.label), definition) for name, definition in left.items()]
    return traced


def _same_tool(before: ToolDefinition, candidates: dict[str, ToolDefinition]) -> str | None:
    """Return the new name of a renamed tool."""
    for name, definition in candidates.items():
        if replace(definition, name=before.name) == before:
            return name
    return None


def _changes(before: ToolDefinition, after: ToolDefinition) -> list[str]:
    changes: list[str] = []
    if before.name != after.name:
        changes.append(f'renamed from {before.name!r}')
    for item in fields(after):
        if item.name == 'name' or getattr(before, item.name) == getattr(after, item.name):
            continue
        if item.name == 'capability_id':
            changes.append(f'taken for the capability {after.capability_id!r}')
        else:
            changes.append(f'{item.name} changed')
    return changes


# Instructions and settings


async def _instructions(
    own: Instructions[Any],
    capabilities: Sequence[AbstractCapability[Any]],
    plan: RunPlan[Any],
    toolset: AbstractToolset[Any],
    ctx: RunContext[Any],
) -> list[SourceNote]:
    """Return the instructions: literal text of everybody, then what functions return, then what toolsets say."""
    sources: list[tuple[str, Any]] = [('agent', own)]
    sources += [
        (describe(capability), Instructions.of(text))
        for capability in capabilities
        if (text := capability.get_instructions()) is not None
    ]
    known_literals, known_runners = list(plan.instructions.literals), list(plan.instructions.runners)
    notes: list[SourceNote] = []
    dynamic: list[SourceNote] = []
    for source, instructions in sources:
        for text in instructions.literals:
            if text in known_literals:
                known_literals.remove(text)
                notes.append(SourceNote(source, text))
        for runner in instructions.runners:
            match = next((known for known in known_runners if known.function == runner.function), None)
            if match is not None:
                known_runners.remove(match)
                if text := await match.run(ctx):
                    dynamic.append(SourceNote(f'{source}, {_function_name(match.function)}', text))
    notes += [SourceNote('run or override', text) for text in known_literals]
    for runner in known_runners:
        if text := await runner.run(ctx):
            ours = getattr(runner.function, '__module__', None) == catalog.__name__
            source = 'the list of capabilities to load' if ours else 'run or override'
            dynamic.append(SourceNote(f'{source}, {_function_name(runner.function)}', text))
    if toolset.has_instructions:
        dynamic += [
            SourceNote('toolsets', part.content) for part in instruction_parts(await toolset.get_instructions(ctx))
        ]
    return notes + dynamic


def _function_name(function: Any) -> str:
    return f'{getattr(function, "__name__", type(function).__name__)}()'


def _settings(
    agent: Any, setup: Any, capabilities: Sequence[AbstractCapability[Any]], plan: RunPlan[Any], ctx: RunContext[Any]
) -> list[SourceNote]:
    layers: list[tuple[str, Any]] = [('model', setup.model.settings), ('agent', agent.model_settings)]
    layers += [(describe(capability), capability.get_model_settings()) for capability in capabilities]
    if plan.settings and plan.settings[-1] is not None:
        layers.append(('run', plan.settings[-1]))
    last: dict[str, SourceNote] = {}
    for source, layer in layers:
        for name, value in dict(cast(Any, layer(ctx) if callable(layer) else layer) or {}).items():
            last[name] = SourceNote(source, value, name)
    return list(last.values())


# Warnings


def _warnings(found: Explanation, capabilities: Sequence[AbstractCapability[Any]], deps: Any) -> list[str]:
    warnings = [
        f'{describe(capability)} has state that all runs share: {", ".join(names)}. Override `for_run` to return a '
        'copy for each run.'
        for capability in capabilities
        if (names := _shared_state(capability))
    ]
    waiting = [note.name for note in found.tools if note.kind in _WAITING and note.status != 'hidden']
    if waiting and not deps.output_schema.allows_deferred_tools and not deps.chain.handle_deferred_tool_calls:
        warnings.append(
            f'Calls of {", ".join(waiting)} wait for somebody, and nobody can answer. Add `DeferredToolRequests` to the '
            '`output_type`, or the `HandleDeferredToolCalls` capability.'
        )
    lost = [note.name for note in found.tools if note.status == 'deferred']
    if lost and not any(note.name in _FIND_TOOLS for note in found.tools):
        warnings.append(
            f'{", ".join(lost)} can only be found by searching, and the model has no tool for that. Add the `ToolSearch` '
            'capability, or take away `defer_loading`.'
        )
    return warnings


def _shared_state(capability: AbstractCapability[Any]) -> list[str]:
    """Return the attributes in which a capability of the user's collects something, if all runs share it."""
    if type(capability).__module__.partition('.')[0] == 'stead' or overrides(capability, 'for_run'):
        return []
    return [name for name, value in vars(capability).items() if isinstance(value, (list, dict, set)) and name[0] != '_']
