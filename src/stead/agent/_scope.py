"""`RunScope`: starts a run, and closes everything that the run needs, however it ends."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, contextmanager, nullcontext
from contextvars import Context, ContextVar, copy_context
from dataclasses import dataclass, field
from functools import partial
from types import TracebackType
from typing import Any, Generic, TypeVar, cast

from typing_extensions import TypeAlias

from .._calls.manager import ToolManager
from .._calls.step_tools import call_budget
from .._contracts.facts import RunBegan, RunFact, RunLeft
from .._contracts.hooks import RUN
from .._contracts.output import OutputDataT
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.run_state import RunState
from .._kit.aio import AsyncBlock
from .._kit.around import BUDGETS_AROUND, inside
from .._kit.held import HeldOpen
from .._kit.ids import uuid7_str
from .._kit.json_types import JsonObject
from .._kit.tracebacks import add_note, trim_traceback
from .._kit.tracked import TrackedList
from .._kit.variables import BorrowedVariables, variables_set_since
from .._loop.facts import run_ended, run_failed
from .._loop.history import merge_neighbours, prompt_to_resume
from .._loop.parameters import kept_parameters
from .._loop.request import settle
from .._loop.resume import continue_from, resumed_node
from .._loop.seen import SEEN, HistoryFacts
from .._loop.state import (
    GraphAgentDeps,
    GraphAgentState,
    RequestSources,
    RunStep,
    build_run_context,
    set_metadata,
    set_prompt,
    shown,
    without_messages,
)
from ..concurrency import Permit
from ..exceptions import RunRecord, UserError, attach_run_record
from ..graph import GraphRunContext
from ..messages import ModelMessage
from ..models import Model
from ..run import AgentRun, AgentRunResult
from ..toolsets.wrapper import in_use
from ..usage import RunUsage, UsageLimits
from . import _tracing as tracing
from ._checks import nothing_to_send
from ._choosing import ModelOfRun
from ._config import AgentConfig
from ._options import RunOptions
from ._planner import RunSetup, instructions_getter, settings_getter
from ._stopping import RunStopper
from .for_all import current_traceparent

T = TypeVar('T')

NEW_CONVERSATION = 'new'
"""The `conversation_id` of a run that does not continue the conversation of its history."""
Announce: TypeAlias = Callable[[RunContext[Any], RunFact], Awaitable[None]]
"""Lets capabilities take note of a fact."""


class RunScope(AsyncBlock, Generic[AgentDepsT, OutputDataT]):
    """An async context manager that yields an `AgentRun`."""

    # Libraries that trace agents keep what is theirs on it.
    __slots__ = (
        '__dict__',
        '__weakref__',
        'hooks',
        'known',
        'listeners',
        'run',
        'run_id',
        'setup',
        'special_messages',
        'stack',
        'stopper',
    )
    USE = 'Use `async with agent.iter(...) as run:`, and in it `async for node in run:`.'

    def __init__(self, setup: RunSetup[AgentDepsT]) -> None:
        self.setup: RunSetup[AgentDepsT] = setup
        self.stack: AsyncExitStack | None = None
        """Closes what the run has opened; most runs open nothing, and a stack takes a lot of memory."""
        self.run: AgentRun[AgentDepsT, OutputDataT] | None = None
        self.hooks: _RunHooks[AgentDepsT, OutputDataT] | None = None
        self.run_id: str | None = setup.options.get('run_id')
        self.known: RunState | None = None
        """What was known of the run, if it was started before."""
        self.listeners: tuple[Announce, RunContext[Any], GraphAgentState] | None = None
        """Announces to those who have heard of the run, or have said what is known of it."""
        self.stopper: RunStopper | None = None
        self.special_messages: list[ModelMessage] = []
        """The messages of the history that are more than a single prompt or text."""

    async def __aenter__(self) -> AgentRun[AgentDepsT, OutputDataT]:
        if self.run is not None:
            raise UserError('A run can be entered only once: call `agent.iter(...)` again for another run.')
        stopper = self.stopper = RunStopper(self.setup.options)
        try:
            if stopper.is_used:
                await self._begin(stopper)
            return await self._enter()
        except BaseException as cause:
            error = self._stopped(cause) if await stopper.end(cause) else cause
            try:
                if self.listeners is not None:
                    await self._announce_failure(*self.listeners, error)
                if self.stack is not None:
                    await self.stack.__aexit__(type(error), error, error.__traceback__)
            finally:
                if self.hooks is not None:
                    self.hooks.leave()
            trim_traceback(error)
            if isinstance(error, StopAsyncIteration):  # as when a node raises it
                raise RuntimeError('A function that the run has called raised StopAsyncIteration.') from error
            if error is not cause:
                raise error from cause
            raise

    def _own_id(self) -> str:
        """Return the id of the run."""
        self.run_id = run_id = self.run_id or self.setup.plan.chain.choices.first('get_default_run_id') or uuid7_str()
        return run_id

    async def _begin(self, stopper: RunStopper) -> None:
        """Let the run be stopped, by the clock that capabilities say."""
        choices, has_end = self.setup.plan.chain.choices, self.setup.options.get('timeout') is not None
        started = await choices.first_later('get_run_start_time', self._own_id()) if has_end else None
        await stopper.begin(choices.first('get_run_clock'), started)

    async def _choose_model(self, state: GraphAgentState) -> Callable[[RunContext[Any]], Awaitable[Model]] | None:
        """Let capabilities choose the model, and return what chooses it for each step, or `None`."""
        setup, choice = self.setup, cast(ModelOfRun, self.setup.choose_model)
        known: Any = {'messages': state.message_history, 'prompt': state.prompt}
        setup.model = await choice.choose(setup.agent, setup.options.get('deps'), **known)
        cast(RunStopper, self.stopper).model_id = choice.name
        return None if choice.selector is None else choice.of_step

    def _stopped(self, cause: BaseException | None) -> BaseException:
        """Return the error of a run that was cancelled, or timed out, with what it had until then."""
        assert self.stopper is not None, 'the run was entered'
        if self.run is None:
            metadata = self.setup.config.metadata
            run_id = self._own_id()
            error = self.stopper.error(run_id=run_id, metadata=None if callable(metadata) else metadata)
        else:
            state = self.run.ctx.state
            error = self.stopper.error(
                state.message_history,
                state.new_message_index,
                state.usage,
                run_id=state.run_id,
                conversation_id=state.conversation_id,
                metadata=state.metadata,
            )
        error.__cause__ = cause
        return error

    @staticmethod
    async def _announce_failure(
        announce: Announce, context: RunContext[Any], state: GraphAgentState, error: BaseException
    ) -> None:
        """Announce that the run does not even begin."""
        try:
            await announce(context, run_failed(state, error))
        except Exception as wrong:
            add_note(error, f'Then the end of the run could not be recorded: {wrong!r}.')

    async def _enter(self) -> AgentRun[AgentDepsT, OutputDataT]:
        setup, place = self.setup, None
        config, options = setup.config, setup.options
        if config.limiter is not None:
            place = await self._open(Permit(config.limiter, f'agent:{setup.agent.name}'))
        state, plan = self._state(), setup.plan
        select_model = await self._choose_model(state) if setup.choose_model is not None else None
        context = self._context(state)
        if setup.plan_for_run is not None:
            plan = await setup.plan_for_run(context, plan)
        context.capabilities = plan.capabilities
        if plan.chain.restore_run and not setup.dry and (known := await plan.chain.restore(context)) is not None:
            self.listeners = plan.chain.announce, context, state
            self._restore(state, context, known)
        if state.prompt is None and state.message_history:
            self._note_prompt(state)
        if plan.tracing is not None:
            _trace(context, plan.tracing)
        toolset, limits = await plan.toolset.for_run(context), options.get('usage_limits')
        has_budget = config.budget is not None or 'budget' in options or bool(BUDGETS_AROUND.get())
        ledger = await self._open_ledger(config, state) if has_budget else None
        tools = context.tool_manager = ToolManager(
            toolset,
            plan.root_capability,
            chain=plan.chain,
            default_max_retries=_tool_retries(options, config),
            policy=config.call_policy,
            budget=None if limits is None and ledger is None else call_budget(limits, ledger),
            call_counts=dict(state.call_counts or {}),
        )
        sources = RequestSources() if plan.chain.watchers else None
        # Without its parameters: calling a class with them makes Python store them in the object.
        deps: GraphAgentDeps[AgentDepsT] = GraphAgentDeps(
            # Each step has a tool manager of its own, so this one would only be kept in memory.
            context=context.fork(tool_manager=None, prompt=state.prompt),
            chain=plan.chain,
            root_capability=plan.root_capability,
            get_validation_context=config.validation_context if callable(config.validation_context) else None,
            get_model_settings=settings_getter(plan, setup.model, sources, of_each_step=select_model is not None),
            get_instructions=instructions_getter(plan, toolset, sources),
            sources=sources,
            usage_limits=limits or UsageLimits(),
            max_output_retries=setup.output_retries,
            end_strategy=config.end_strategy,
            output_schema=plan.output_schema,
            output_validators=plan.output_validators,
            native_tools=plan.native_tools,
            kept_parameters=kept_parameters(plan.kept, tools, None if select_model is not None else setup.model),
            select_model=select_model,
            around=partial(inside, place, ledger.budgets if ledger else ()) if place or ledger else nullcontext,
            ledger=ledger,
            keep_interrupted=setup.keep_interrupted,
        )
        state.step = RunStep(context, tools)
        ctx: GraphRunContext[GraphAgentState, GraphAgentDeps[AgentDepsT]] = GraphRunContext(state=state, deps=deps)
        node = setup.first_node
        if (
            node.user_prompt is None
            and not deps.get_instructions
            and not any(message.parts for message in state.message_history)
            and (state.message_history or not (node.system_prompts or node.system_prompt_functions))
        ):
            raise nothing_to_send(node.deferred_tool_results is not None)
        is_recorded = plan.chain.record and not setup.dry
        if is_recorded:  # before a resumed run sets its last messages apart
            state.caches.announced, state.caches.untold = [*state.message_history], RunUsage()
        self.run = AgentRun(ctx, node if self.known is None else resumed_node(ctx) or node)
        if is_recorded:
            self.listeners = plan.chain.announce, context, state
            await plan.chain.announce(context, self._began(state))
        is_over = state.result is not None  # all that belongs to the run was done, also what its hooks do
        if plan.chain.run and not setup.dry and not is_over:
            self.hooks = _RunHooks(self.run, context)
            await self.hooks.start()
            if plan.tracing is not None:
                self.run.set_traceparent(current_traceparent())
        if (use := in_use(toolset)) is not None and not self.run.has_ended and not is_over:
            await self._open_toolset(use)
        return self.run

    async def _open_ledger(self, config: AgentConfig[Any, Any], state: GraphAgentState) -> Any:
        stopper = cast(RunStopper, self.stopper)
        stopper.ledger = await stopper.begin_ledger(config.budget, state.run_id, self.known)
        return None if stopper.ledger is None else await self._open(stopper.ledger)

    def _choose_workspace(self, context: RunContext[Any], state: GraphAgentState) -> None:
        from ..workspaces.choice import choose

        plan, wanted = self.setup.plan, self.setup.options.get('workspace')
        ask = partial(plan.root_capability.get_workspace, context) if plan.has_workspaces else None
        state.workspace = context.workspace_of_run = choose(wanted, ask)

    def _began(self, state: GraphAgentState) -> RunBegan:
        """Return the fact that the run was set up."""
        options, node = self.setup.options, self.setup.first_node
        return RunBegan(
            conversation_id=state.conversation_id,
            messages=[*state.caches.announced],
            new_message_index=state.new_message_index,
            metadata=state.metadata,
            prompt=node.user_prompt,
            decisions=node.deferred_tool_results,
            restored=self.known,
            model_settings=options.get('model_settings'),
            usage_limits=options.get('usage_limits'),
            passed_metadata=options.get('metadata') or None,
            conversation=state.conversation,
        )

    async def _open_toolset(self, use: AbstractAsyncContextManager[object]) -> None:
        """Enter the toolset, inside of the hooks around the run; they may recover from its failure."""
        try:
            await self._open(use)
        except BaseException as error:
            if self.hooks is None or not await self.hooks.finish(error):
                raise

    async def _open(self, resource: AbstractAsyncContextManager[T]) -> T:
        """Enter a context manager that is left when the run is closed, and return what it yields."""
        if self.stack is None:
            self.stack = AsyncExitStack()
        return await self.stack.enter_async_context(resource)

    def _state(self) -> GraphAgentState:
        options, usage = self.setup.options, self.setup.options.get('usage')
        history, conversation_id = list(options.get('message_history') or ()), options.get('conversation_id')
        facts = merged = None
        if history:
            facts = merged = SEEN.facts_of(history)
            if facts.has_neighbours:
                merged = HistoryFacts()
                merged.update(history := merge_neighbours(history))
            conversation_id = conversation_id if conversation_id is not None else merged.conversation_id
        choices = self.setup.plan.chain.choices
        run_id = self.run_id = self.run_id or (self._own_id() if choices.asked else uuid7_str())
        if conversation_id in (None, NEW_CONVERSATION):
            conversation_id = choices.first('get_default_conversation_id', run_id) if choices.asked else None
        state = GraphAgentState(
            run_id=run_id,
            message_history=claim_capture(history),
            usage=usage if usage is not None else RunUsage(),
            conversation_id=uuid7_str() if conversation_id is None else conversation_id,
            prompt=self.setup.first_node.user_prompt,
            new_message_index=len(history),
            conversation=(passed := options.get('conversation')) and without_messages(passed),
        )
        if facts is not None and merged is not None:
            caches, self.special_messages = state.caches, facts.soundness.special
            caches.needs_cleaning = merged.has_neighbours
            caches.needs_repair = not facts.soundness.is_sendable(history)
            caches.late_prompts, caches.oldest = merged.late_prompts, len(history)
            caches.deferral.begin(self.special_messages, len(history))
        return state

    def _context(self, state: GraphAgentState) -> RunContext[Any]:
        """Return the run context that capabilities and toolsets see while the run is set up."""
        setup = self.setup
        context: RunContext[Any] = RunContext(
            deps=setup.options.get('deps'),
            model=setup.model,
            agent=setup.agent,
            max_retries=setup.output_retries,
            stopper=self.stopper,
            **shown(state),
        )
        value = setup.config.validation_context
        context.validation_context = value(context) if callable(value) else value
        self._fill_metadata(state, context)
        context.metadata = state.metadata
        if setup.plan.has_workspaces or setup.options.get('workspace') is not None:
            self._choose_workspace(context, state)
        return context

    def _restore(self, state: GraphAgentState, context: RunContext[Any], known: RunState) -> None:
        """Let the run continue where it is known to be; metadata that is passed now holds for what is not a function."""
        self.known = known
        continue_from(state, known)
        if isinstance(passed := self.setup.options.get('metadata'), Mapping):
            set_metadata(state, {**(state.metadata or {}), **passed})
        vars(context).update(shown(state), retries=dict(state.retries or {}))

    def _note_prompt(self, state: GraphAgentState) -> None:
        """Let a request that is resumed count as the prompt, in the contexts of steps."""
        if self.setup.first_node.deferred_tool_results is None and not state.answers_calls:
            set_prompt(state, prompt_to_resume(state.message_history[: state.new_message_index]))

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        run = self.run
        assert run is not None
        recovered = False
        if not run.has_ended:
            settle(run.ctx)
        stopper = self.stopper
        assert stopper is not None, 'the run was entered'
        failure = self._stopped(error) if stopper.is_used and await stopper.end(error) else error
        stopper.task = None
        failure = self._complete_metadata(run, failure)
        try:
            if self.hooks is not None:
                try:
                    recovered = await self.hooks.finish(failure)
                except BaseException as other:
                    await self._announce_end(run, other)
                    raise
            await self._announce_end(run, None if recovered else failure)
            if failure is not error and failure is not None and not recovered:
                raise failure
        except BaseException as other:
            failure, recovered = other, False
            raise
        finally:
            if failure is not None and not recovered:
                self._explain(run, failure)
            try:
                await self._close(run, failure)
            finally:
                if self.hooks is not None:
                    self.hooks.leave()
                state, chain = run.ctx.state, run.ctx.deps.chain
                state.leave_step()
                if chain.watchers:
                    state.changes = chain.noted.pop(state.run_id, ())
        if sys.version_info < (3, 11) and error is not None and not recovered:
            raise error  # when a block raises its error again by itself, it has the traceback from before it was trimmed
        return recovered

    async def _announce_end(self, run: AgentRun[AgentDepsT, OutputDataT], failure: BaseException | None) -> None:
        """Announce to capabilities that record the run that it has ended, and how."""
        chain = run.ctx.deps.chain
        if not chain.record or self.setup.dry:
            return
        state = run.ctx.state
        if failure is not None:
            fact = run_failed(state, failure)
        elif run.has_ended and run.result is not None:
            fact = run_ended(state, 'done', run.result.output)
        else:
            fact = run_ended(state, 'left')
        await chain.announce(state.step.context, fact)

    def _complete_metadata(
        self, run: AgentRun[AgentDepsT, OutputDataT], error: BaseException | None
    ) -> BaseException | None:
        """Call functions for metadata again, and return the error that ends the run, if there is one."""
        if callable(self.setup.config.metadata) or callable(self.setup.options.get('metadata')):
            try:
                self._fill_metadata(run.ctx.state, cast('RunContext[AgentDepsT]', build_run_context(run.ctx)))
            except Exception as wrong:
                if error is None:
                    return wrong
                add_note(error, f'Then a metadata function raised {wrong!r}.')
        return error

    async def _close(self, run: AgentRun[AgentDepsT, OutputDataT], failure: BaseException | None) -> None:
        """Close everything the run has opened.

        Raises:
            BaseException: Something could not be closed. The error carries the messages and the usage of the run, and
                the error that ended the run is its context.
        """
        if self.stack is None:
            return
        try:
            await self.stack.__aexit__(failure and type(failure), failure, failure and failure.__traceback__)
        except BaseException as closing:
            if closing is not failure:
                closing.__context__ = closing.__context__ or failure
                self._explain(run, closing)
            raise

    def _fill_metadata(self, state: GraphAgentState, context: RunContext[AgentDepsT]) -> None:
        """Merge the layers of metadata. Functions are called twice: at the start, and at the end, with all messages."""
        merged: JsonObject | None = self.known.metadata if self.known is not None else None
        for layer in (self.setup.config.metadata, self.setup.options.get('metadata') or None):
            if layer is not None:
                merged = {**(merged or {}), **(layer(context) if callable(layer) else layer)}
        set_metadata(state, merged)

    @staticmethod
    def _explain(run: AgentRun[AgentDepsT, OutputDataT], error: BaseException) -> None:
        """Attach messages and usage of the run to an error, and remove our own frames from its traceback."""
        if isinstance(error, GeneratorExit):
            return
        state = run.ctx.state
        record = RunRecord(
            messages=[*state.message_history],
            usage=state.usage,
            run_id=state.run_id,
            conversation_id=state.conversation_id,
            run_step=state.run_step,
        )
        attach_run_record(error, record)
        if isinstance(error, Exception):
            trim_traceback(error)


def _tool_retries(options: RunOptions[Any], config: AgentConfig[Any, Any]) -> int:
    """Return how many times tools may be retried that have no number of their own."""
    passed = options.get('retries')
    return passed.get('tools', config.tool_retries) if isinstance(passed, dict) else config.tool_retries


def _trace(context: RunContext[Any], settings: tracing.InstrumentationSettings) -> None:
    """Say in the context of a run how it is traced."""
    context.tracer = settings.tracer
    context.trace_include_content = settings.include_content
    context.instrumentation_version = settings.version


class _RunHooks(Generic[AgentDepsT, OutputDataT]):
    """The hooks around a run, held open while the run is driven by the caller."""

    borrowed: BorrowedVariables | None = None
    """The context variables that hooks have set, set for the caller as well."""

    def __init__(self, run: AgentRun[AgentDepsT, OutputDataT], context: RunContext[AgentDepsT]) -> None:
        self.run = run
        self.context = context
        self.held: HeldOpen[AgentRunResult[OutputDataT], AgentRunResult[OutputDataT]] = HeldOpen()
        self.variables: dict[ContextVar[Any], object] = {}

    async def start(self) -> None:
        """Enter the hooks; return when the run may start, or has got its result from a hook already."""
        with self.run.ctx.deps.around():
            self.before: Context = copy_context()
            is_open = await self.held.open(self._call)
        if not is_open:
            if self.held.result is None:  # type: ignore[reportUnnecessaryComparison]
                raise UserError(
                    'A `wrap_run` hook returned nothing and did not await its `handler`, so that the run has no result. '
                    'Return `await handler()`, or an `AgentRunResult`.'
                )
            self.run.end_with(self.held.result)
        self.borrowed = BorrowedVariables(self.variables)

    async def _call(self) -> AgentRunResult[OutputDataT]:
        async def inner(_: object) -> AgentRunResult[OutputDataT]:
            # Hooks set variables for the run, but in a task of their own, whose context the caller does not see.
            self.variables = variables_set_since(self.before)
            return await self.held.park()

        return await self.run.ctx.deps.chain.call(RUN, self.context, None, inner)

    async def finish(self, error: BaseException | None) -> bool:
        """Let the hooks finish, and return whether they recovered from the error.

        Args:
            error: The error that ended the run, if there is one.

        Raises:
            BaseException: A hook raised another error.
        """
        if self.held.is_done:  # they returned a result without running the agent, or ended early
            return False
        if error is not None:
            result = await self.held.fail(error)
            if result is None:
                return False
        elif self.run.has_ended and self.run.result is not None:
            result = await self.held.close(self.run.result)
        else:
            await self.held.cancel(RunLeft('the run was left before its end'))
            return False
        self.run.end_with(result)
        return error is not None

    def leave(self) -> None:
        """Restore the context variables of the caller. Toolsets have set theirs later, so they are closed before that."""
        if self.borrowed is not None:
            self.borrowed.reset()


@dataclass
class CapturedMessages:
    """The list that a run shares with the block around it that captures its messages."""

    messages: TrackedList[ModelMessage] = field(default_factory=lambda: TrackedList())
    used: bool = False
    """Whether a run has taken the list already."""


_captured: ContextVar[CapturedMessages | None] = ContextVar('stead_captured_messages', default=None)


@contextmanager
def capture_run_messages() -> Iterator[list[ModelMessage]]:
    """Collect the messages of the first run inside the `with` block.

    Yields:
        A list that holds the history and messages of that run as they come, also after the run has failed. Blocks around
        this one that have no run yet share the list; in a tool, a block captures the runs that the tool starts.
    """
    outer = _captured.get()
    if outer is not None and not outer.used:
        yield outer.messages
        return
    captured = CapturedMessages()
    token = _captured.set(captured)
    try:
        yield captured.messages
    finally:
        _captured.reset(token)


def claim_capture(history: Sequence[ModelMessage]) -> TrackedList[ModelMessage]:
    """Return the list that a starting run keeps its messages in: the capturing block's, if it has no run yet."""
    captured = _captured.get()
    if captured is None or captured.used:
        return TrackedList(history)
    captured.used = True
    captured.messages[:] = history
    return captured.messages
