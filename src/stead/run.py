"""`AgentRun` and `AgentRunResult`: a run, and its result."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Coroutine
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cached_property, partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, Literal, TextIO

from . import conversation as conversations
from ._contracts.hooks import NODE_RUN, NODE_RUN_BEGUN
from ._contracts.output import FinalResult, OutputDataT
from ._contracts.pending import PendingMessage, PendingMessagePriority, moved, taken_out
from ._contracts.run_context import AgentDepsT
from ._contracts.run_state import RunState
from ._kit.meant import missing_attribute
from ._kit.records import repr_without_defaults
from ._loop.nodes import AgentNode, AnyAgentNode, NodeResult
from ._loop.request import settle
from ._loop.state import GraphAgentDeps, GraphAgentState, RunGraphContext
from ._streams.events import EventSink
from ._streams.views import ResultView, RunFacts
from .concurrency import EmittedT
from .exceptions import UserError
from .graph import End
from .messages import DeferredToolRequests, ModelMessage, ModelMessagesTypeAdapter, ModelResponse
from .usage import Cost, RunUsage

STEPPING_CALLS_HOOKS = False
"""Whether `async for` over a run calls the hooks around its nodes, as in 2.x."""
STEPPING_IS_SHOWN = False
"""Whether hooks around the events of a run see those of nodes that a program steps over itself, as in 2.x."""


class _Traced:
    """What may be traced by a span."""

    _traceparent_value: str | None

    def _traceparent(self, *, required: bool = True) -> str | None:
        """Return the `traceparent` of the span.

        Raises:
            AttributeError: The run was not traced, and the `traceparent` is required.
        """
        if self._traceparent_value is None and required:
            raise AttributeError('The run was not traced: give the agent the `Instrumentation` capability.')
        return self._traceparent_value


_ELSEWHERE = {
    'data': 'result.output',
    'final_output': 'result.output',
    'text': 'result.output',
    'messages': 'result.all_messages()',
    'history': 'result.all_messages()',
}
"""What older tutorials, and other libraries, call attributes of a result, and how the same is written here."""


@dataclass
class AgentRunResult(ResultView, _Traced, Generic[OutputDataT]):
    """The result of a run: the output, the messages, the usage."""

    output: OutputDataT
    """The output of the run."""
    _output_tool_name: str | None = field(default=None, repr=False, compare=False)
    _state: GraphAgentState = field(default_factory=GraphAgentState, repr=False, compare=False)
    _new_message_index: int = field(default=0, repr=False, compare=False)
    _traceparent_value: str | None = field(default=None, repr=False, compare=False)

    if not TYPE_CHECKING:  # type checkers would take every attribute for one that exists

        def __getattr__(self, name: str) -> object:
            raise missing_attribute(self, name, _ELSEWHERE)

    @property
    def _facts(self) -> RunState:
        return self._state

    @property
    def _history(self) -> tuple[list[ModelMessage], int, str | None]:
        # A list of its own, because the caller may change it.
        return [*self._state.message_history], self._new_message_index, self._output_tool_name

    @property
    def response(self) -> ModelResponse:
        """The last response of the model.

        Raises:
            ValueError: The run has no response.
        """
        for message in reversed(self._state.message_history):
            if isinstance(message, ModelResponse):
                return message
        raise ValueError('The run has no response of a model.')

    @cached_property
    def conversation(self) -> conversations.Conversation:
        """The conversation up to the end of this run, to be passed to the next one, or to a `ConversationStore`."""
        state, passed = self._state, self._state.conversation
        return conversations.Conversation(
            messages=[*state.message_history],
            usage=RunUsage() + state.usage,
            conversation_id=state.conversation_id,
            deferred_tool_requests=self.output if isinstance(self.output, DeferredToolRequests) else None,
            revision=passed and passed.revision,
            new_message_index=passed and passed.new_message_index,
        )

    def cost(self) -> Cost:
        """Return what the responses of this run cost; not those of agents that its tools ran, which have results of their own.

        Raises:
            ImportError: The package genai-prices is not installed; `pip install "stead[prices]"`.
            LookupError: It does not know the model of a response.
        """
        from ._show.costs import cost_of

        return cost_of(self.new_messages())

    def show(self, file: TextIO | None = None) -> None:
        """Print what happened in this run, as a small tree: prompts, tool calls with their answers, texts and the output.

        Args:
            file: Where it is written; by default the standard output. In a terminal it has colours, if the package rich is
                installed. Long texts are cut, and what a terminal would obey is replaced.
        """
        from ._show.results import result_tree
        from ._show.trees import print_tree

        print_tree(result_tree(self.new_messages(), self._state.usage, self.output), file)

    def to_html(self) -> str:
        """Return a page that shows what happened in this run: a timeline, and each request, response and call.

        If a journal recorded the run with `changes=True`, it also shows what each capability changed. The page needs no server,
        and loads nothing. It has everything that the messages have, so mind who gets it.
        """
        from ._show.pages import page_of, trace_of_messages

        new, state = self.new_messages(), self._state
        return page_of(
            trace_of_messages(
                self.all_messages(), state.usage, self.output, run_id=self.run_id, new=new, changes=state.changes
            )
        )

    def _repr_html_(self) -> str:
        from ._show.pages import summary_of

        return summary_of(self.new_messages(), self._state.usage, self.output)

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> dict[str, str]:
        """Return what IPython shows of the result: the tree of `show` in a terminal, and the steps in a notebook."""
        from ._show.results import result_bundle

        return result_bundle(self.new_messages(), self._state.usage, self.output, include, exclude)


@dataclass(repr=False)
class AgentRunResultEvent(Generic[OutputDataT]):
    """The last event of a run: its result."""

    result: AgentRunResult[OutputDataT]
    """The result."""
    _: dataclasses.KW_ONLY
    event_kind: Literal['agent_run_result'] = 'agent_run_result'
    """Discriminator of the event."""

    __repr__ = repr_without_defaults


class AgentRun(RunFacts, _Traced, Generic[AgentDepsT, OutputDataT]):
    """A run, node by node, as `Agent.iter` yields it.

    Iterate over it to get every node before it runs, or call `next` to run one node at a time and decide which one follows.
    """

    def __init__(
        self, ctx: RunGraphContext, first_node: AgentNode[AgentDepsT, OutputDataT], traceparent: str | None = None
    ) -> None:
        self._ctx = ctx
        self._next: NodeResult = first_node
        self._failure: Exception | None = None
        self._raised = False
        self._result_override: AgentRunResult[OutputDataT] | None = None
        self._traceparent_value = traceparent
        self._started = False

    @property
    def _facts(self) -> RunState:
        return self._ctx.state

    @property
    def ctx(self) -> RunGraphContext:
        """State and dependencies, as nodes receive them."""
        return self._ctx

    @property
    def next_node(self) -> AgentNode[AgentDepsT, OutputDataT] | End[FinalResult[OutputDataT]]:
        """The node that runs next, or `End`.

        Raises:
            Exception: The error that a node raised: nothing runs after it.
        """
        if self._failure is not None:
            raise self._failure
        return self._next

    @property
    def has_ended(self) -> bool:
        """Whether the run has come to its end; a run that failed, or was left, has not."""
        return isinstance(self._next, End)

    @property
    def result(self) -> AgentRunResult[OutputDataT] | None:
        """The result, or `None` during the run."""
        if self._result_override is not None:
            return self._result_override
        if not isinstance(self._next, End):
            return None
        final = self._next.data
        state = self._ctx.state
        return AgentRunResult(final.output, final.tool_name, state, state.new_message_index, self._traceparent_value)

    def all_messages(self) -> list[ModelMessage]:
        """Return all messages so far: the history that was passed to the run, and its own."""
        return self._ctx.state.message_history

    def all_messages_json(self, *, output_tool_return_content: str | None = None) -> bytes:
        """Return all messages so far as JSON; arguments and errors as `AgentRunResult.all_messages_json`."""
        if output_tool_return_content is not None and self.result is not None:
            return self.result.all_messages_json(output_tool_return_content=output_tool_return_content)
        return ModelMessagesTypeAdapter.dump_json(self.all_messages())

    def new_messages(self) -> list[ModelMessage]:
        """Return the messages of this run so far, without the history passed to it."""
        return self.all_messages()[self._ctx.state.new_message_index :]

    def new_messages_json(self) -> bytes:
        """Return the messages of this run so far as JSON."""
        return ModelMessagesTypeAdapter.dump_json(self.new_messages())

    @property
    def pending_messages(self) -> list[PendingMessage]:
        """Messages that wait to be delivered."""
        return self._ctx.state.pending_messages

    def enqueue(self, *content: object, priority: PendingMessagePriority = 'asap') -> str | None:
        """Add content to the conversation between two steps; arguments, result and errors as `RunContext.enqueue`."""
        if not content:
            return None
        self.pending_messages.append(item := PendingMessage.from_content(*content, priority=priority))
        return item.enqueue_id

    def dequeue(self, enqueue_id: str) -> bool:
        """Take back what was enqueued; argument and result as `RunContext.dequeue`."""
        return taken_out(self.pending_messages, enqueue_id)

    def set_enqueue_priority(self, enqueue_id: str, priority: PendingMessagePriority) -> bool:
        """Deliver what was enqueued at another time; arguments, result and errors as `RunContext.set_enqueue_priority`."""
        return moved(self.pending_messages, enqueue_id, priority)

    async def emit(self, event: EmittedT) -> EmittedT:
        """Show an event to what reads the events of the run; argument and result as `RunContext.emit`.

        Raises:
            UserError: The run has ended, or the event is not one of a `CustomEvent`.
        """
        if isinstance(self._next, End):
            raise UserError(f'The run has ended, so that nothing would show the event {type(event).__name__!r}.')
        return await self._ctx.deps.context.emit(event)

    def cancel(self, reason: str | None = None) -> None:
        """Cancel the run, which ends in `RunCancelled`, with a reason if there is one; may be called in any thread."""
        self._ctx.deps.context.cancel(reason)

    def set_traceparent(self, traceparent: str | None) -> None:
        """Set the span that the run is traced by, in the form of the W3C header `traceparent`."""
        self._traceparent_value = traceparent

    def end_with(self, result: AgentRunResult[OutputDataT]) -> None:
        """End the run with a result that a hook provided."""
        self._result_override = result
        if not isinstance(self._next, End):
            self._next = End(FinalResult(result.output))

    async def next(self, node: AnyAgentNode) -> AgentNode[AgentDepsT, OutputDataT] | End[FinalResult[OutputDataT]]:
        """Run a node, with the hooks around it, and return what comes next.

        Args:
            node: The node to run: `next_node`, the result of the last `next`, or another one.

        Returns:
            The next node, or `End` with the final result.

        Raises:
            UserError: The run has ended already.
            AgentRunError: The run failed; the error carries its messages and usage. It is raised again each time.
        """
        self._check(node)
        if self._failure is not None:
            raise self._failure
        with _Failing(self):
            if self._ctx.deps.chain.node_run:
                return await self._run_node_with_hooks(node, self._advance)
            return await self._advance(node)

    async def drive(
        self,
        sink: EventSink | None = None,
        until: Callable[[AnyAgentNode], Awaitable[bool]] | None = None,
    ) -> None:
        """Run what is left of the run, node by node, with the hooks around them.

        Args:
            sink: Is shown the events of the nodes, whose responses are then streamed.
            until: Is asked before each node; the run is left there when it returns true.

        Raises:
            UserError: A hook around a node returned something other than a node.
            AgentRunError: The run failed; the error carries its messages and usage.
        """
        run_node = self._advance_graph if sink is None else partial(self._advance_graph, sink=sink)
        hooked = self._ctx.deps.chain.node_run
        node = self._next
        with _Failing(self):
            while not isinstance(node, End):
                if until is not None:
                    if hooked:
                        node = await self._begin(node)
                    if await until(node):
                        return
                if hooked:
                    self._check(node)
                    node = await self._run_node_with_hooks(node, run_node, begun=until is not None)
                else:
                    node = await run_node(node)

    def fail(self, error: Exception) -> None:
        """Note the error that ends the run if a node raised, and complete the history, so that it can be continued."""
        if self._raised:
            self._failure = error
            settle(self._ctx)

    async def _begin(self, node: AnyAgentNode) -> AnyAgentNode:
        """Return the node that the hooks before a node choose; the other hooks run with the node, unless it is left."""
        self._check(node)
        node = await self._ctx.deps.chain.begin(NODE_RUN, self._ctx.state.step.context, node)
        self._check(node)
        return node

    @staticmethod
    def _check(node: object) -> None:
        if isinstance(node, End):
            raise UserError('Cannot run `End`: the run has ended. Its result is at `AgentRun.result`.')
        if not isinstance(node, AgentNode):
            raise UserError(
                f'`AgentRun.next` takes a node, not {type(node).__name__}: {node!r}. '
                'Pass `run.next_node`, or what the last `next` returned.'
            )

    # Extension packages that drive runs themselves call these two by name.

    async def _run_node_with_hooks(
        self, node: AnyAgentNode, step: Callable[[AnyAgentNode], Awaitable[NodeResult]], *, begun: bool = False
    ) -> NodeResult:
        self._started = True
        ctx = self._ctx
        chain, point = ctx.deps.chain, NODE_RUN_BEGUN if begun else NODE_RUN
        self._next = await (chain.call(point, ctx.state.step.context, node, step) if chain.node_run else step(node))
        self._raised = False  # if it did, a hook has recovered
        return self._next

    def _advance(self, node: AnyAgentNode) -> Coroutine[Any, Any, NodeResult]:
        """Run a node that a program steps over; what listens to events hears those of the node."""
        chain = self._ctx.deps.chain
        is_heard = chain.hears_all_runs or (STEPPING_IS_SHOWN and chain.sees_events)
        return self._advance_graph(node, EventSink(chain) if is_heard else None)

    async def _advance_graph(self, node: AnyAgentNode, sink: EventSink | None = None) -> NodeResult:
        """Run a node; every way to run one comes here."""
        self._started = True
        try:
            self._next = await (node.run(self._ctx) if sink is None else node.run_shown(self._ctx, sink))
        except Exception:
            self._raised = True
            raise
        return self._next

    async def __anext__(self) -> AgentNode[AgentDepsT, OutputDataT] | End[FinalResult[OutputDataT]]:
        node = self.next_node
        if not self._started:
            self._started = True
            if not STEPPING_CALLS_HOOKS and self._ctx.deps.chain.steps['wrap_node_run']:
                warnings.warn(
                    '`async for` over a run does not call the hook `wrap_node_run`, which a capability of the run has. '
                    'Use `agent.run`, or step through the run with `run.next(node)`.',
                    UserWarning,
                    stacklevel=2,
                )
            if self._result_override is not None:  # a hook around the run has answered, and no node runs
                raise StopAsyncIteration
            return node
        if isinstance(node, End):
            raise StopAsyncIteration
        if STEPPING_CALLS_HOOKS:
            return await self.next(node)
        with _Failing(self):
            return await self._advance(node)

    def __aiter__(self) -> AsyncIterator[AgentNode[AgentDepsT, OutputDataT] | End[FinalResult[OutputDataT]]]:
        """Iterate over the nodes, each before it runs, and `End`.

        Hooks around nodes do not run here, except in programs of 2.x; use `next` for them.
        """
        return self

    def __repr__(self) -> str:
        result = self.result
        shown = '<run not finished>' if result is None else repr(result.output)
        return f'<AgentRun result={shown} usage={self._ctx.state.usage}>'


class _Failing:
    """Around the nodes of a run: what they call is inside of its place and budgets, and the error that ends it is noted."""

    __slots__ = 'run', 'within'

    def __init__(self, run: AgentRun[Any, Any]) -> None:
        self.run = run
        self.within = None if (around := run.ctx.deps.around) is nullcontext else around()

    def __enter__(self) -> None:
        if self.within is not None:
            self.within.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self.within is not None:
            self.within.__exit__(None, None, None)
        if isinstance(error, StopAsyncIteration):  # whatever iterates over the run would take it for its end
            failure = RuntimeError('A function that the run has called raised StopAsyncIteration.')
            self.run.fail(failure)
            raise failure from error
        if isinstance(error, Exception):
            self.run.fail(error)


__all__ = (
    'AgentRun',
    'AgentRunResult',
    'AgentRunResultEvent',
    'GraphAgentDeps',
    'PendingMessage',
)
