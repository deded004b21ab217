"""`Agent.explain`: what a run would send to the model, and which part of the agent each piece comes from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from html import escape
from typing import Any, cast

from .._contracts.capability import AbstractCapability, overrides
from .._contracts.hooks import HOOK_NAMES
from .._contracts.model import ModelRequestParameters
from .._contracts.output import OutputDataT
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.tool_definition import ToolDefinition
from .._contracts.toolset import AbstractToolset
from .._deferral import catalog
from .._kit.short import type_name
from .._kit.well_formed import well_formed
from .._loop.nodes import ModelRequestNode
from .._loop.request import prepare_request
from .._loop.state import GraphAgentDeps
from ..capabilities._chain import HookChain
from ..capabilities._ordering import describe, order_reasons
from ..exceptions import UserError
from ..graph import End
from ..messages import LOAD_CAPABILITY, SEARCH_TOOLS, ModelMessage
from ..models import Model
from ..output import OutputSchema
from ..toolsets import CombinedToolset, WrapperToolset
from ._options import AgentModelSettings
from ._plan import RunPlan, SettingsLayer
from ._planner import RunSetup, instruction_parts
from ._scope import RunScope
from ._sources import Instructions

_IN_WORDS = {'unapproved': 'needs approval', 'external': 'result from elsewhere'}
_WAITING = ('unapproved', 'external')
_FIND_TOOLS = (SEARCH_TOOLS, LOAD_CAPABILITY)


@dataclass
class CapabilityNote:
    """A capability of a run, in an explanation."""

    name: str
    """Its class, and its id if it has one."""
    deferred: bool
    """Whether the model has to load it first."""
    reasons: list[str]
    """The constraints that determine its position in the chain; without any it keeps its place in the list."""


@dataclass
class ToolNote:
    """A tool of a run, in an explanation."""

    name: str
    """The name that the model knows it by."""
    kind: str
    """`'function'`, `'output'`, `'unapproved'` or `'external'`."""
    source: str
    """The toolset that it comes from."""
    changes: list[str] = field(default_factory=lambda: [])
    """What wrappers and capabilities changed about it, innermost first."""
    status: str = 'sent'
    """`'sent'`, `'hidden'`, or `'deferred'` until the model discovers it."""


@dataclass
class SourceNote:
    """An instruction or a setting, and where it comes from."""

    source: str
    """The agent, capability, run or other part that it comes from."""
    value: Any
    """The text of the instruction, or the value of the setting."""
    name: str = ''
    """The name of the setting; empty for instructions."""


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
    """For each hook that is implemented, the capabilities that do, outermost first."""
    tools: list[ToolNote] = field(default_factory=lambda: [])
    """The tools, including hidden ones."""
    instructions: list[SourceNote] = field(default_factory=lambda: [])
    """The instructions, in the order in which they are sent."""
    settings: list[SourceNote] = field(default_factory=lambda: [])
    """The model settings, each with the layer that its value comes from."""
    warnings: list[str] = field(default_factory=lambda: [])
    """Probable mistakes."""
    messages: list[ModelMessage] = field(default_factory=lambda: [])
    """The messages of the request."""
    parameters: ModelRequestParameters | None = None
    """The parameters of the request; `None` if the tools could not be listed."""

    def __str__(self) -> str:
        """Return the explanation as a report, with one line or more for each piece."""
        lines = [f'model         {self.model}', f'output        {self.output}']
        lines += _section('capabilities', [_capability_line(note) for note in self.capabilities])
        lines += _section('hooks', [f'{name}: {" > ".join(chain)}' for name, chain in self.hooks.items()])
        lines += _section('tools', [_tool_line(note) for note in self.tools])
        lines += _section('instructions', [f'[{note.source}] {note.value}' for note in self.instructions])
        lines += _section('settings', [f'{note.name} = {note.value!r} [{note.source}]' for note in self.settings])
        lines += _section('warnings', self.warnings)
        return '\n'.join(lines)

    def _repr_html_(self) -> str:
        return well_formed(f'<pre style="white-space: pre-wrap">{escape(str(self))}</pre>')


def _section(title: str, entries: Sequence[str]) -> Iterator[str]:
    for index, entry in enumerate(entries):
        head, *more = entry.splitlines() or ['']
        yield f'{title if index == 0 else "":<14}{head}'
        yield from (f'{"":<14}{line}' for line in more)


def _capability_line(note: CapabilityNote) -> str:
    why = f' ({"; ".join(note.reasons)})' if note.reasons else ''
    return f'{note.name}{" [deferred]" if note.deferred else ""}{why}'


def _tool_line(note: ToolNote) -> str:
    marks = [_IN_WORDS.get(mark, mark) for mark in (note.kind, note.status) if mark not in ('function', 'sent')]
    changes = f': {"; ".join(note.changes)}' if note.changes else ''
    return f'{note.name}{"".join(f" [{mark}]" for mark in marks)} from {note.source}{changes}'


async def explain(
    scope: RunScope[AgentDepsT, OutputDataT],
    instructions: Instructions[AgentDepsT],
    settings: AgentModelSettings[AgentDepsT] | None,
) -> Explanation:
    """Set up a run without the hooks around it, and build its first request without sending it.

    Args:
        scope: The run, as `Agent.iter` returns it.
        instructions: The instructions of the agent itself.
        settings: The settings of the agent itself.
    """
    setup = scope.setup
    setup.dry = True
    plan = setup.plan
    report = Explanation(model=_model_name(setup.model), output=_output(plan.output_schema))
    async with scope as run:
        ctx = run.ctx
        deps = ctx.deps
        capabilities = list(deps.chain.capabilities)
        reasons = order_reasons(capabilities)
        for capability in capabilities:
            report.capabilities.append(
                CapabilityNote(describe(capability), bool(capability.defer_loading), reasons.get(id(capability), []))
            )
        report.hooks = _hooks(deps.chain)
        first = run.next_node
        assert not isinstance(first, End), 'without the hooks around it, no run has ended before its first step'
        node = await first.run(ctx)
        try:
            if isinstance(node, ModelRequestNode):
                prepared = await prepare_request(ctx, node.request)
                report.messages = prepared.request.messages
                report.parameters = prepared.request.model_request_parameters
        except UserError as error:  # two tools with the same name, for example
            report.warnings.append(str(error))
        step = ctx.state.step
        run_context = cast('RunContext[AgentDepsT]', step.context)
        toolset: AbstractToolset[AgentDepsT] = step.tools.toolset
        report.tools = await _tools(toolset, run_context)
        report.instructions = await _instructions(instructions, capabilities, plan, toolset, run_context)
        report.settings = _settings(setup, settings, capabilities, run_context)
        report.warnings += _warnings(report, capabilities, deps)
    return report


def _model_name(model: Model) -> str:
    return f'{type(model).__name__} {model.model_name!r}'


def _output(schema: OutputSchema[Any]) -> str:
    return f'{type_name(schema.spec)}, mode {schema.mode!r}'


def _hooks(chain: HookChain) -> dict[str, list[str]]:
    return {
        name: [describe(capability) for capability in getattr(chain, name)]
        for name in HOOK_NAMES
        if getattr(chain, name)
    }


# Tools


async def _tools(toolset: AbstractToolset[AgentDepsT], ctx: RunContext[AgentDepsT]) -> list[ToolNote]:
    try:
        traced = await _trace(toolset, ctx)
    except UserError:  # putting together the request has raised the same error, which is among the warnings
        return []
    for note, definition in traced:
        if note.status == 'sent' and definition.defer_loading and note.name not in ctx.discovered_tool_names:
            note.status = 'deferred'
    return [note for note, _ in traced]


async def _trace(
    toolset: AbstractToolset[AgentDepsT], ctx: RunContext[AgentDepsT]
) -> list[tuple[ToolNote, ToolDefinition]]:
    """Return the tools of a toolset, from the innermost out, with what each wrapper changed about them."""
    if isinstance(toolset, CombinedToolset):
        return [item for member in toolset.toolsets for item in await _trace(member, ctx)]
    after = {name: tool.tool_def for name, tool in (await toolset.get_tools(ctx)).items()}
    if not isinstance(toolset, WrapperToolset):
        return [(ToolNote(name, definition.kind, toolset.label), definition) for name, definition in after.items()]
    inner = await _trace(toolset.wrapped, ctx)
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
    """Return the name of the candidate that differs only in its name, or `None`."""
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
    own: Instructions[AgentDepsT],
    capabilities: Sequence[AbstractCapability[AgentDepsT]],
    plan: RunPlan[AgentDepsT],
    toolset: AbstractToolset[AgentDepsT],
    ctx: RunContext[AgentDepsT],
) -> list[SourceNote]:
    """Return the instructions in the order of the request: all texts, then those of functions, then those of toolsets."""
    sources = [('agent', own)]
    sources += [
        (describe(capability), Instructions[AgentDepsT].of(text))
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
            is_catalog = getattr(runner.function, '__module__', None) == catalog.__name__
            source = 'the list of capabilities to load' if is_catalog else 'run or override'
            dynamic.append(SourceNote(f'{source}, {_function_name(runner.function)}', text))
    if toolset.has_instructions:
        dynamic += [
            SourceNote('toolsets', part.content) for part in instruction_parts(await toolset.get_instructions(ctx))
        ]
    return notes + dynamic


def _function_name(function: Callable[..., object]) -> str:
    return f'{getattr(function, "__name__", type(function).__name__)}()'


def _settings(
    setup: RunSetup[AgentDepsT],
    own: AgentModelSettings[AgentDepsT] | None,
    capabilities: Sequence[AbstractCapability[AgentDepsT]],
    ctx: RunContext[AgentDepsT],
) -> list[SourceNote]:
    """Return the settings, each with the last layer that sets it."""
    plan = setup.plan
    layers: list[tuple[str, SettingsLayer[AgentDepsT]]] = [('model', setup.model.settings), ('agent', own)]
    layers += [(describe(capability), capability.get_model_settings()) for capability in capabilities]
    if plan.settings and plan.settings[-1] is not None:
        layers.append(('run', plan.settings[-1]))
    last: dict[str, SourceNote] = {}
    for source, layer in layers:
        for name, value in ((layer(ctx) if callable(layer) else layer) or {}).items():
            last[name] = SourceNote(source, value, name)
    return list(last.values())


# Warnings


def _warnings(
    report: Explanation, capabilities: Sequence[AbstractCapability[AgentDepsT]], deps: GraphAgentDeps[AgentDepsT]
) -> list[str]:
    warnings = [
        f'{describe(capability)} has state that all runs share: {", ".join(names)}. Override `for_run` to return a '
        'copy for each run.'
        for capability in capabilities
        if (names := _shared_state(capability))
    ]
    waiting = [note.name for note in report.tools if note.kind in _WAITING and note.status != 'hidden']
    if waiting and not deps.output_schema.allows_deferred_tools and not deps.chain.handle_deferred_tool_calls:
        warnings.append(
            f'Calls of {", ".join(waiting)} wait for a result, and nothing can provide it. Add `DeferredToolRequests` to the '
            '`output_type`, or the `HandleDeferredToolCalls` capability.'
        )
    deferred = [note.name for note in report.tools if note.status == 'deferred']
    if deferred and not any(note.name in _FIND_TOOLS for note in report.tools):
        warnings.append(
            f'{", ".join(deferred)} can only be found by searching, and the model has no tool for that. Add the `ToolSearch` '
            'capability, or remove `defer_loading`.'
        )
    return warnings


def _shared_state(capability: AbstractCapability[Any]) -> list[str]:
    """Return the names of public collections in a capability of the user's that all runs share."""
    if type(capability).__module__.partition('.')[0] == 'stead' or overrides(capability, 'for_run'):
        return []
    return [name for name, value in vars(capability).items() if isinstance(value, (list, dict, set)) and name[0] != '_']
