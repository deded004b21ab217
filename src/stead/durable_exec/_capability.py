"""`DurableSteps`: a capability. Requests and calls of a run become steps of an engine."""

from __future__ import annotations

from collections.abc import AsyncIterable, Collection
from dataclasses import dataclass, field
from typing import Any, cast

from pydantic_core import to_json

from .._contracts.capability import AbstractCapability, CapabilityOrdering
from .._contracts.facts import RequestReady, RunFact
from .._contracts.model import ModelRequestContext
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.run_state import RunState
from .._contracts.toolset import AbstractToolset
from ..exceptions import UserError
from ..messages import AgentStreamEvent
from ..models import Model
from ..toolsets import DynamicToolset, ExternalToolset, FunctionToolset, WrapperToolset
from . import _steps as steps
from ._engine import AnyContext, AnyToolset, DurableStep, JsonData, StepEngine
from ._handover import RunHandedOver, RunSoFar
from ._model import DurableModel, NamedModel
from ._toolset import DurableToolset


def kind_of(toolset: AnyToolset) -> str | None:
    """Return what a toolset is to an engine, or `None` for one that stays as it is, since it neither asks nor acts."""
    if isinstance(toolset, (ExternalToolset, DurableToolset)) or getattr(toolset, 'is_part_of_run', False):
        return None
    if isinstance(toolset, DynamicToolset):
        return 'dynamic_toolset'
    if hasattr(toolset, 'direct_call_tool'):  # MCP servers; their module is not loaded without need
        return 'mcp_server'
    return 'toolset'


@dataclass
class LeafIds:
    """The ids of the toolsets that have tools of their own."""

    engine: StepEngine
    by_object: dict[int, str] = field(default_factory=lambda: {})
    """The ids by `id()` of the toolset."""
    leaves: dict[str, AnyToolset] = field(default_factory=lambda: {})
    """The toolsets by id."""
    strict: bool = False
    """Whether functions need an id, too; those of capabilities are otherwise known by the name of the first of them."""

    def visit(self, toolset: AnyToolset) -> None:
        """Note a toolset; a visitor for `AbstractToolset.apply`.

        Raises:
            UserError: A toolset has no id, or another one has the same.
        """
        if isinstance(toolset, WrapperToolset) or kind_of(toolset) is None:
            return
        name = toolset.id
        if name is None and isinstance(toolset, FunctionToolset) and not self.strict:
            tools: JsonData = toolset.tools
            if not tools:
                return
            name = f'with_{min(tools)}'
        if name is None:
            raise UserError(
                f'{toolset.label} has no `id`, by which {self.engine.title} would know its steps. '
                "Pass an id that stays the same, as in `FunctionToolset(id='orders')`."
            )
        if self.leaves.setdefault(name, toolset) is not toolset:
            raise UserError(
                f'Two toolsets have the id {name!r}, by which {self.engine.title} knows their steps. '
                'Give one of them another `id`.'
            )
        self.by_object[id(toolset)] = name


@dataclass
class DurableSteps(AbstractCapability[AgentDepsT]):
    """Makes the requests and the tool calls of one run steps of an engine."""

    engine: StepEngine = field(kw_only=True)
    """The engine."""
    models: dict[str, Model] = field(default_factory=lambda: {})
    """The models that are known where steps are run, by what they are known by."""
    handler: Any = None
    """The handler of events of the run."""
    known: Collection[str] | None = None
    """The ids of toolsets that are known where steps are run; `None` for any."""
    wraps_functions: bool = True
    """Whether calls of function tools are steps."""
    can_wait: bool = False
    """Whether the run may end with requests for decisions."""
    replacements: dict[str, AbstractToolset[AgentDepsT]] = field(default_factory=lambda: {})
    """Toolsets that stand in for others, by their id."""
    state: RunState | None = None
    """What the run has done elsewhere; `None` if it starts here."""
    may_hand_over: bool = False
    """Whether the run may be handed over when the engine is full."""
    _requests: int = 0
    """How many requests were ready here."""

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """Return `None`: it belongs to one run."""
        return None

    def get_ordering(self) -> CapabilityOrdering:
        """Return the innermost place: what hooks change is part of the step."""
        return CapabilityOrdering(position='innermost')

    async def restore_run(self, ctx: RunContext[AgentDepsT]) -> RunState | None:
        """Return what the run has done elsewhere."""
        return self.state

    async def record(self, ctx: RunContext[AgentDepsT], *, fact: RunFact) -> None:
        """Hand the run over before a request, if the engine is full.

        Raises:
            RunHandedOver: It continues in another place.
            UserError: What it would take along is too large.
        """
        if not self.may_hand_over or not isinstance(fact, RequestReady):
            return
        self._requests += 1  # the first one is always sent: otherwise a run could be handed over forever
        if self._requests > 1 and self.engine.is_full():
            so_far = RunSoFar.before_request(ctx, fact)
            self.engine.check_handover(len(to_json(so_far)))
            raise RunHandedOver(so_far)

    def get_wrapper_toolset(self, toolset: AbstractToolset[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """Return the tools of the run, with calls that are steps.

        Raises:
            UserError: A toolset has no id, or is not known where steps are run.
        """
        ids = LeafIds(self.engine)
        toolset.apply(ids.visit)
        return toolset.visit_and_replace(lambda leaf: self._durable(leaf, ids))

    def _durable(self, leaf: AnyToolset, ids: LeafIds) -> AnyToolset:
        kind, name = kind_of(leaf), ids.by_object.get(id(leaf))
        if kind is None or name is None:
            return leaf
        if name in self.replacements:
            return self.replacements[name]
        if kind == 'toolset' and isinstance(leaf, FunctionToolset) and not self.wraps_functions:
            return leaf
        if self.known is not None and name not in self.known:
            raise UserError(
                f'{leaf.label} is not known to the worker, so that {self.engine.title} cannot call its tools: it came with the '
                'run, or with a capability that is made for each run. Pass it as `Agent(toolsets=[...])`, and choose tools '
                'with `prepare_tools`.'
            )
        return DurableToolset(leaf, self.engine, kind, name, self.engine.in_place(name), self.can_wait)

    async def before_model_request(
        self, ctx: RunContext[AgentDepsT], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Send the request in a step.

        Raises:
            UserError: The model is not known where steps are run.
        """
        model = request_context.model
        if not isinstance(model, DurableModel):
            request_context.model = DurableModel(model, self.engine, ctx, self.handler, self._key_of)
        return request_context

    def _key_of(self, model: Model) -> str:
        for key, known in self.models.items():
            if known is model:
                return key
        if isinstance(model, NamedModel):
            return model.name
        if not self.engine.elsewhere:
            return ''
        raise UserError(
            f'The model {model.model_id!r} came with the run, and is not known to the worker. Pass it as '
            f"`models={{'name': model}}` when the agent is built, and its name to the run."
        )

    async def handle_events(self, ctx: AnyContext, events: AsyncIterable[AgentStreamEvent]) -> None:
        """Show events of tool calls to the handler, each in a step; those of responses are shown in their requests."""
        async for event in events:
            step = DurableStep(
                'event_stream_handler',
                ctx,
                event.event_kind,
                lambda event=event: show_event(self.handler, ctx, event),
                handler=self.handler,
            )
            if self.engine.elsewhere:
                step.data = {'event': steps.stream_events.dump_json(event)}
            await self.engine.run(step)


async def show_event(handler: Any, ctx: AnyContext, event: AgentStreamEvent) -> bytes:
    """Show an event to a handler; the outcome says nothing."""

    async def events() -> Any:
        yield event

    await handler(ctx, events())
    return b'null'


def steps_of(ctx: AnyContext) -> DurableSteps[Any] | None:
    """Return the capability of a run that makes what it does steps."""
    for capability in ctx.capabilities.values():
        if isinstance(capability, DurableSteps):
            return cast('DurableSteps[Any]', capability)
    return None
