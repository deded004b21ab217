"""`TemporalAgent`: an agent whose runs inside of workflows make their requests and tool calls in activities."""

from __future__ import annotations

import asyncio
import builtins
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal, cast

from pydantic import TypeAdapter, ValidationError
from pydantic.errors import PydanticInvalidForJsonSchema, PydanticSchemaGenerationError, PydanticUserError
from pydantic_core import from_json, to_json
from temporalio import activity, workflow
from temporalio.api.common.v1 import Payload
from temporalio.common import RawValue
from temporalio.exceptions import ActivityError, ApplicationError, TimeoutError as ActivityTimeout, TimeoutType
from temporalio.workflow import ActivityConfig
from typing_extensions import Self

from ..._contracts.output import OutputDataT
from ..._contracts.run_context import AgentDepsT
from ..._contracts.toolset import AbstractToolset
from ..._kit.aio import cancel_and_drain
from ..._kit.ids import Source, use_source
from ...agent import AbstractAgent, EventStreamHandler
from ...exceptions import ModelHTTPError, UserError
from ...models import Model
from ...toolsets import FunctionToolset, WrapperToolset
from .. import _steps as steps
from .._agent import DurableAgent
from .._capability import kind_of
from .._engine import AnyContext, DurableStep, JsonData, StepEngine, StepInDoubt
from .._sent import Inbox, Lacking, Outbox
from .._worker import AgentParts, ProviderFactory
from ._configs import ActivityConfigs, PayloadTooLarge
from ._context import TemporalRunContext, context_json, context_of

LARGEST_PAYLOAD = 2 * 2**20 - 2**16
"""Bytes that a payload may have: what Temporal's server accepts by default, without what it adds."""


class _WorkflowSource:
    """Ids and the time in a workflow: the same whenever it is executed again."""

    def now(self) -> datetime:
        return workflow.now()

    def getrandbits(self, k: int, /) -> int:
        return workflow.random().getrandbits(k)


_SOURCE = _WorkflowSource()


def _find_source() -> Source | None:
    return _SOURCE if workflow.in_workflow() else None


use_source(_find_source)


class Temporal(StepEngine):
    """Runs the steps of an agent as activities."""

    title = 'Temporal'
    elsewhere = True

    def __init__(self, agent: TemporalAgent[Any, Any]) -> None:
        self.agent = agent
        self.outbox = Outbox()
        """What the workers have got of the run, for which there is an engine of its own."""

    def is_active(self) -> bool:
        """Return whether the code that runs now belongs to a workflow."""
        return workflow.in_workflow()

    def for_run(self, prompt: object) -> Temporal:
        """Return the engine for a run, with an outbox of its own."""
        return Temporal(self.agent)

    def in_place(self, toolset: str) -> frozenset[str]:
        """Return the tools of a toolset that are called in the workflow itself."""
        configs = self.agent.configs.tools.get(toolset, {})
        return frozenset(name for name, config in configs.items() if config is False)

    def is_full(self) -> bool:
        """Return whether the workflow should continue as a new one."""
        return self.agent.should_continue_as_new()

    def check_handover(self, size: int) -> None:
        """Check that what a run takes along to the new workflow can be an argument of that.

        Raises:
            PayloadTooLarge: It is larger than the server accepts.
        """
        self.agent.check_size(size, 'continue_as_new', 'the messages of the run', 'The arguments', ())

    async def run(self, step: DurableStep) -> bytes:
        """Run a step as an activity, or return the outcome of the activity if it was run before.

        Raises:
            StepInDoubt: The worker that ran it is gone, and it must not be run twice.
            PayloadTooLarge: The arguments are larger than the server accepts.
            ActivityError: The activity failed.
        """
        agent = self.agent
        if step.ctx is None:
            raise UserError('The model of a `TemporalAgent` sends requests in runs of the agent only.')
        values = {'context': context_json(agent.run_context_type, step.ctx), 'deps': agent.deps_json(step.ctx.deps)}
        values.update(step.data)
        lacking: Any = None
        while True:
            body = self.outbox.pack(step.messages, values, lacking=lacking)
            outcome = await self._execute(agent, step, body)
            if not outcome.startswith(b'{"lacking":'):
                break
            lacking = from_json(outcome)['lacking']
        is_response = step.kind in ('model_request', 'model_request_stream')
        self.outbox.note(step.messages, values, outcome if is_response else None)
        return outcome

    async def _execute(self, agent: TemporalAgent[Any, Any], step: DurableStep, body: bytes) -> bytes:
        agent.check_size(len(body), step.kind, step.title, 'The arguments', step.messages)
        config = agent.configs.of(step)
        try:
            result: RawValue = await workflow.execute_activity(
                agent.activity_name(step.kind, step.toolset, step.toolset_kind),
                _raw(body),
                result_type=RawValue,
                **cast(Any, config),
            )
        except ActivityError as error:
            if step.effect == 'write' and _is_in_doubt(error):
                raise StepInDoubt from error
            raise
        return result.payload.data

    def make_error(self, kind: str, text: str) -> Exception:
        """Return an error like the one that a tool raised; it ends the workflow, as any error of an activity does."""
        known = getattr(builtins, kind, None)
        bases = (_ToolError, known) if known in (ValueError, TypeError, KeyError, RuntimeError) else (_ToolError,)
        error = type(kind, bases, {})(text, type=kind)
        return cast(Exception, error)


class _ToolError(ApplicationError):
    """An exception of a tool, in the workflow."""

    def __str__(self) -> str:
        return self.message


def _is_in_doubt(error: ActivityError) -> bool:
    """Return whether an activity may have done its work, although it failed."""
    cause = error.cause
    if isinstance(cause, ActivityTimeout):
        return cause.type is not TimeoutType.SCHEDULE_TO_START
    return isinstance(cause, ApplicationError) and cause.type == 'WorkerShutdown'


def _raw(data: bytes) -> RawValue:
    return RawValue(Payload(metadata={'encoding': b'json/plain'}, data=data))


@asynccontextmanager
async def _beating() -> AsyncIterator[None]:
    """Send heartbeats inside of the block, so that the server knows soon when the worker is gone, and can cancel the activity."""
    timeout = activity.info().heartbeat_timeout
    if timeout is None:
        yield
        return
    pause = max(timeout.total_seconds() / 3, 0.05)

    async def beat() -> None:
        while True:
            activity.heartbeat()
            await asyncio.sleep(pause)

    task = asyncio.create_task(beat())
    try:
        yield
    finally:
        await cancel_and_drain(task)


class TemporalAgent(DurableAgent[AgentDepsT, OutputDataT]):
    """An agent whose runs inside of workflows make their requests and tool calls in activities."""

    def __init__(
        self,
        wrapped: AbstractAgent[AgentDepsT, OutputDataT],
        *,
        name: str | None = None,
        models: Mapping[str, Model] | None = None,
        provider_factory: ProviderFactory | None = None,
        event_stream_handler: EventStreamHandler[AgentDepsT] | None = None,
        activity_config: ActivityConfig | None = None,
        model_activity_config: ActivityConfig | None = None,
        toolset_activity_config: dict[str, ActivityConfig] | None = None,
        tool_activity_config: dict[str, dict[str, ActivityConfig | Literal[False]]] | None = None,
        run_context_type: type[TemporalRunContext[AgentDepsT]] = TemporalRunContext[AgentDepsT],
        temporalize_toolset_func: Callable[..., AbstractToolset[AgentDepsT]] | None = None,
        largest_payload: int | None = LARGEST_PAYLOAD,
        continue_as_new_bytes: int | None = None,
    ) -> None:
        """Wrap an agent.

        Args:
            wrapped: The agent; it needs a name, and its toolsets ids, by which activities are known. Do not change them while
                workflows are running.
            name: The name to use instead of the agent's.
            models: Models that runs may choose by their names here, in addition to the one of the agent.
            provider_factory: Makes the provider of a model that a run names as `'provider:model'`.
            event_stream_handler: Is shown the events of runs, in activities.
            activity_config: How activities are started; by default they may take 60 seconds, and send heartbeats.
            model_activity_config: The same for requests, over `activity_config`.
            toolset_activity_config: The same for toolsets by id, over `activity_config`.
            tool_activity_config: The same for tools by toolset id and name, over those of the toolset; `False` for an async
                function that is called in the workflow. The agent's own tools are in the toolset `'<agent>'`.
            run_context_type: What tools get as their run context.
            temporalize_toolset_func: Makes the toolset that stands in for one with tools of its own, in place of the one that
                this class makes.
            largest_payload: Bytes that a payload may have; `None` if the data converter stores large ones elsewhere.
            continue_as_new_bytes: The size of a workflow's history at which `should_continue_as_new` says so, in bytes; by
                default when the server suggests it.

        Raises:
            UserError: There is no name or no model, a toolset has no id, the dependencies have no JSON form, or a
                configuration does not fit.
        """
        super().__init__(
            wrapped, Temporal(self), name=name, models=dict(models or {}), event_stream_handler=event_stream_handler
        )
        base = ActivityConfig(start_to_close_timeout=timedelta(seconds=60), heartbeat_timeout=timedelta(seconds=30))
        base.update(activity_config or {})
        self.configs: ActivityConfigs = ActivityConfigs(
            base, model_activity_config or {}, toolset_activity_config or {}, tool_activity_config or {}
        )
        self.run_context_type: type[TemporalRunContext[Any]] = getattr(run_context_type, '__origin__', run_context_type)
        self.largest_payload = largest_payload
        self.continue_as_new_bytes = continue_as_new_bytes
        self._deps = self._deps_adapter()
        self.configs.check(self._leaves)
        steps.prepare()
        self._parts = AgentParts(
            wrapped, self._models, self._leaves, self._event_stream_handler, cast(Any, provider_factory)
        )
        self._inbox = Inbox()
        if temporalize_toolset_func is not None:
            for key, leaf in self._leaves.items():
                self._replacements[key] = temporalize_toolset_func(
                    leaf,
                    f'agent__{self._name}',
                    {**base, **self.configs.toolsets.get(key, {})},
                    self.configs.tools.get(key, {}),
                    wrapped.deps_type,
                    run_context_type,
                    wrapped,
                )
        self._activities = [*self._own_activities()]
        for stand_in in self._replacements.values():
            self._activities.extend(getattr(stand_in, 'temporal_activities', ()))

    def _deps_adapter(self) -> TypeAdapter[Any]:
        try:
            adapter: TypeAdapter[Any] = TypeAdapter(self.deps_type)
            adapter.json_schema(mode='serialization')  # functions, and objects of any class, have none
            return adapter
        except (PydanticSchemaGenerationError, PydanticInvalidForJsonSchema) as error:
            wanted = getattr(self.deps_type, '__name__', self.deps_type)
            raise UserError(
                f'`deps_type={wanted}` has no JSON form, so that dependencies cannot be sent to activities. '
                'Use a dataclass or a pydantic model of plain values, such as ids, and make clients and connections in the '
                'tools or at the start of the worker.'
            ) from error

    @property
    def temporal_activities(self) -> list[Callable[..., Any]]:
        """The activities of the agent; a worker needs them."""
        return list(self._activities)

    def activity_name(self, kind: str, toolset: str | None, toolset_kind: str) -> str:
        """Return the name of an activity."""
        middle = f'__{toolset_kind}__{toolset}' if toolset is not None else ''
        return f'agent__{self._name}{middle}__{kind}'

    def _own_activities(self) -> list[Callable[..., Any]]:
        kinds: list[tuple[str, str | None, str]] = [
            (kind, None, '')
            for kind in ('event_stream_handler', 'model_request', 'model_request_stream', 'count_tokens')
        ]
        for key, leaf in self._leaves.items():
            if key in self._replacements:
                continue
            of = kind_of(leaf) or 'toolset'
            asks = of != 'toolset' or not isinstance(leaf, FunctionToolset)
            kinds.extend((kind, key, of) for kind in ('get_instructions', 'get_tools') if asks)
            kinds.extend((kind, key, of) for kind in ('call_tool', 'reconcile'))
        return [self._activity(*each) for each in kinds]

    def _activity(self, kind: str, toolset: str | None, toolset_kind: str) -> Callable[..., Any]:
        @activity.defn(name=self.activity_name(kind, toolset, toolset_kind))
        async def run(sent: RawValue) -> RawValue:
            return _raw(await self._perform(kind, toolset, from_json(sent.payload.data)))

        return run

    async def _perform(self, kind: str, toolset: str | None, body: JsonData) -> bytes:
        """Do the work of an activity.

        Raises:
            ApplicationError: What a model or a tool raised, with whether it is worth another try.
        """
        context = body['values']['context']
        run = f'{activity.info().workflow_id}/{self._name}/{context.get("run_id")}'
        try:
            messages, values = self._inbox.unpack(run, body)
        except Lacking as error:
            return error.answer
        try:
            ctx = context_of(self.run_context_type, context, self._deps_from(values['deps']))
            ctx.__dict__['agent'] = ctx.__dict__.get('agent') or self.wrapped
            async with _beating():
                outcome = await self._parts.perform(kind, toolset, messages, values, ctx)
        except asyncio.CancelledError:
            if activity.is_worker_shutdown():
                raise ApplicationError('The worker was stopped.', type='WorkerShutdown') from None
            raise
        except ApplicationError:
            raise
        except Exception as error:
            raise ApplicationError(
                f'{error}', type=type(error).__name__, non_retryable=not _is_worth_another_try(error)
            ) from error
        self.check_size(len(outcome), kind, ctx.tool_name or toolset or kind, 'The outcome', ())
        if kind in ('model_request', 'model_request_stream'):
            outcome = _stamped(outcome, ctx)
            self._inbox.note(run, outcome)
        return outcome

    def check_size(self, size: int, kind: str, title: str, what: str, messages: Sequence[bytes]) -> None:
        """Raise `PayloadTooLarge` for what the server would not accept; the message says what is large."""
        if self.largest_payload is None or size <= self.largest_payload:
            return
        verb = 'have' if what.endswith('s') else 'has'
        largest = max(map(len, messages), default=0)
        detail = f' The largest of {len(messages)} messages has {largest:,}.' if messages else ''
        raise PayloadTooLarge(
            f'{what} of {kind} ({title}) of the agent {self._name!r} {verb} {size:,} bytes, and the server accepts '
            f'{self.largest_payload:,}.{detail} Return less, or a reference to where it is; or let the data converter keep large '
            'payloads in a store (`DataConverter(external_storage=...)`) and pass `largest_payload=None`.'
        )

    def deps_json(self, deps: Any) -> bytes:
        """Return dependencies as JSON.

        Raises:
            UserError: They have no JSON form.
        """
        try:
            return self._deps.dump_json(deps, warnings='error')
        except ValueError as error:
            wanted = getattr(self.deps_type, '__name__', self.deps_type)
            raise UserError(
                f'`deps` cannot be sent to activities: they have no JSON form, or do not fit `deps_type={wanted}`: {error}. Use '
                'plain values, such as ids, and pass their type as `Agent(deps_type=...)`.'
            ) from error

    def _deps_from(self, data: bytes) -> Any:
        try:
            return self._deps.validate_json(data)
        except ValidationError as error:
            raise UserError(
                f'The dependencies that were sent to an activity of the agent {self._name!r} are not valid here: {error}. Run '
                'workers and workflows with the same `deps_type`.'
            ) from error

    def should_continue_as_new(self) -> bool:
        """Return whether the history of the workflow that runs now is so large that it should continue as a new one.

        Ask between two runs, and pass `result.all_messages()` on. A run that is given `so_far=RunSoFar()` asks by itself before
        each request, and raises `RunHandedOver`.
        """
        if self.continue_as_new_bytes is None:
            return workflow.info().is_continue_as_new_suggested()
        return workflow.info().get_current_history_size() >= self.continue_as_new_bytes


def _stamped(response: bytes, ctx: AnyContext) -> bytes:
    """Return a response with the ids that the run will give it, so that it need not be sent back."""
    data = from_json(response)
    data['run_id'], data['conversation_id'] = ctx.run_id, ctx.conversation_id
    return to_json(data)


def _is_worth_another_try(error: Exception) -> bool:
    """Return whether an error may be gone at the next try."""
    if isinstance(error, ModelHTTPError):
        return error.status_code in (408, 409, 425, 429) or error.status_code >= 500
    return not isinstance(error, (UserError, PydanticUserError))


@dataclass
class TemporalWrapperToolset(WrapperToolset[AgentDepsT]):
    """The base class of toolsets that stand in for others in workflows, for `temporalize_toolset_func`."""

    @property
    def temporal_activities(self) -> list[Callable[..., Any]]:
        """The activities of the toolset."""
        return []

    @property
    def id(self) -> str | None:
        """The id of the wrapped toolset."""
        return self.wrapped.id

    async def __aenter__(self) -> Self:
        if not workflow.in_workflow():
            await self.wrapped.__aenter__()
        return self

    async def __aexit__(self, *args: object) -> bool | None:
        return None if workflow.in_workflow() else await self.wrapped.__aexit__(*args)

    def visit_and_replace(
        self, visitor: Callable[[AbstractToolset[AgentDepsT]], AbstractToolset[AgentDepsT]]
    ) -> AbstractToolset[AgentDepsT]:
        """Return this toolset: what stands in for another is not replaced."""
        return self
