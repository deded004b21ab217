"""The three nodes of a run: the prompt, the model request, and the handling of the response.

Steps. A step is a request, its response, and the calls of the response. It begins when a `ModelRequestNode` prepares its
request: the tools are listed, and a new `RunStep` is made with them, the context and the request. Nodes are separate objects,
and programs make some themselves, so the current step is at `state.step` and nowhere else. A run begins at a step without a
request. Its tools are listed only if the history ends with calls, which then run in that step.

What happens is added to the history as soon as it cannot be undone:

    the prompt runs        only what was passed in; a request at its end is taken off, to be sent as the first one
    a step begins          + the request, and messages that were enqueued
    the response is whole  + the response after the hooks; one that broke off is kept as far as it came, as 'interrupted'
    its calls were run     nothing: the answers wait in `step.answers`, since the next request may get more parts
    its calls fail         + the answers of those that were done, or may have been
    the run ends           + the answers to the calls beside the output
    the run fails          + responses that were paid for, but refused: they wait in `unfinished`: a hook may recover

So between two nodes a history never ends with answers, and a run that fails or is left there must not lose them: `settle`
puts them into the history, which can then be continued. It is the same list, or the same messages, for the error, for
`AgentRun.all_messages()` and for whatever captures them.

The messages that are sent are not the history itself: `take_over` makes them from it for each request, and writes nothing
back. Only hooks around requests may replace the history; `take_over` notices that because the messages are then not the same
objects. Three facts about the history are kept up to date in `Caches`, because finding them out means reading all of it:

    needs_cleaning  two neighbours are of the same kind. `add_message` sets it; it stays set, since no message is removed.
    needs_repair    a call has no result, or a result no call. Only the history that was passed in can be so, since the
                    nodes answer every call. So it is checked once; hooks may repair it, and what they leave is checked, too.
    late_prompts    a system prompt comes after the first request. Each message is looked at once; that starts over when
                    hooks have replaced the history.

Repair comes before merging: it puts answers between two responses, which are then no longer neighbours.

Changes. Nothing changes `deps`. The nodes, and what they call, change `state`. Users see contexts, copies whose fields
they may set without effect. A node keeps its result and returns it again when it is run again: that is how a node that was
streamed is then "run". Runs in several threads share one plan, and with it `KeptParameters.last`. That is safe without a
lock because it is one tuple, read once and replaced as a whole; a run compares what it was made from with its own; nothing
changes parameters in place, since runs whose hooks might do so keep their own; and a lost write only means making them again.
"""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import AsyncIterator, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, Generic

from typing_extensions import TypeAlias

from .. import messages as all_messages
from .._calls.approvals import ALREADY_ANSWERED, digests_of, distinct_calls
from .._calls.running import EventWriter
from .._calls.step_tools import NO_DECISIONS, Decisions
from .._contracts.model import ModelRequestContext
from .._contracts.output import FinalResult, OutputDataT
from .._contracts.run_context import AgentDepsT
from .._kit.aio import cancel_and_drain
from .._kit.short import short, short_repr
from .._streams import response as streams
from .._streams.events import EventFeed, EventSink, with_emitted
from .._streams.exchange import StreamedExchange, block_of_run
from ..exceptions import ModelRetry, UserError
from ..graph import BaseNode, End
from ..messages import (
    FunctionToolResultEvent,
    HandleResponseEvent,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    RetryPromptPart,
    SystemPromptPart,
    UserPromptPart,
)
from ..models.wrapper import CompletedStreamedResponse
from ..tools import DeferredToolResults
from . import state as changes
from .facts import request_ready, response_taken
from .history import answers_to_interrupted_calls, has_whole_calls, last_response, renew_dynamic_prompts
from .parameters import request_parameters
from .prompts import SystemPromptRunner, function_reference
from .request import (
    Exchange,
    announce,
    continue_with_pending,
    count_usage,
    finish_request,
    keep_interrupted,
    prepare_request,
)
from .respond import answers_shown, handle_response, native_tool_events, output_feedback, recorded_step
from .state import GraphAgentDeps, GraphAgentState, RunGraphContext, RunStep, build_run_context

AnyAgentNode: TypeAlias = 'AgentNode[Any, Any]'
"""A node of a run, whatever its dependencies and its output."""
NodeResult: TypeAlias = 'AnyAgentNode | End[FinalResult[Any]]'
"""The next node of a run, or its end."""


class AgentNode(BaseNode[GraphAgentState, GraphAgentDeps[Any], FinalResult[Any]], Generic[AgentDepsT, OutputDataT]):
    """A node of the agent's graph, for the types of its dependencies and its output."""

    @abstractmethod
    async def run(self, ctx: RunGraphContext) -> NodeResult:
        """Run the node and return the next one, or the end."""

    async def run_shown(self, ctx: RunGraphContext, sink: EventSink) -> NodeResult:
        """Run the node, show its events if it has any, and return the next one."""
        return await self.run(ctx)


@dataclass
class UserPromptNode(AgentNode[AgentDepsT, OutputDataT]):
    """The node that turns the prompt and the history into the first request."""

    user_prompt: str | Sequence[all_messages.UserContent] | None
    """The prompt of the run."""
    _: KW_ONLY
    deferred_tool_results: DeferredToolResults | None = None
    """Results of calls that an earlier run left open."""
    instructions: str | None = None
    """Static instructions, for readers of the node; requests take them from the run."""
    instructions_functions: list[SystemPromptRunner[Any]] = field(default_factory=lambda: [])
    """Instruction functions, for readers of the node; requests take them from the run."""
    system_prompts: tuple[str, ...] = ()
    """Static system prompts."""
    system_prompt_functions: list[SystemPromptRunner[Any]] = field(default_factory=lambda: [])
    """System prompt functions."""
    system_prompt_dynamic_functions: dict[str, SystemPromptRunner[Any]] = field(default_factory=lambda: {})
    """System prompt functions that are evaluated again when a history is continued."""

    async def run(
        self, ctx: RunGraphContext
    ) -> ModelRequestNode[AgentDepsT, OutputDataT] | CallToolsNode[AgentDepsT, OutputDataT]:
        """Return the node for the first request, or for the calls that the history leaves unanswered.

        Raises:
            UserError: The prompt, the history and the deferred results do not fit together.
            UsageLimitExceeded: The history ends in more calls than a response may have.
        """
        state, history = ctx.state, ctx.state.message_history
        if self.deferred_tool_results is not None:
            return self._resume_calls(ctx, self.deferred_tool_results)
        if self.user_prompt is None and state.prompt is not None:  # a resumed request is the prompt from here on
            state.step.context = build_run_context(ctx)
        if self.system_prompt_dynamic_functions:
            functions = self.system_prompt_dynamic_functions
            changes.replace_history(state, await renew_dynamic_prompts(history, functions, state.step.context))
        if history and self.user_prompt is None:
            if (node := self._open_calls(ctx)) is not None:
                return node
            if isinstance(last := history[-1], ModelRequest):
                changes.take_last(state)
                request = ModelRequest(parts=last.parts, run_id=last.run_id, conversation_id=last.conversation_id)
                request.timestamp, request.metadata = last.timestamp, last.metadata
                return ModelRequestNode(request, is_resuming_without_prompt=True)
            if ctx.deps.get_instructions is None:  # nothing new to ask: the last response is the answer
                return CallToolsNode(last)
        parts: list[ModelRequestPart] = []
        if history and self.user_prompt is not None:
            parts.extend(answers_to_interrupted_calls(history))
            if not parts and isinstance(history[-1], ModelResponse) and history[-1].tool_calls:
                raise UserError(
                    'Cannot add a user prompt: the message history ends with tool calls that have no results. Run '
                    'without a prompt to execute them, or pass `deferred_tool_results`.'
                )
        if not history:
            parts.extend(await self._system_parts(ctx))
        if self.user_prompt is not None:
            parts.append(UserPromptPart(self.user_prompt[:]))
        return ModelRequestNode(ModelRequest(parts=parts))

    async def _system_parts(self, ctx: RunGraphContext) -> list[ModelRequestPart]:
        parts: list[ModelRequestPart] = [SystemPromptPart(prompt) for prompt in self.system_prompts]
        for runner in self.system_prompt_functions:
            text = await runner.run(ctx.state.step.context)
            if runner.dynamic:
                parts.append(SystemPromptPart(text or '', dynamic_ref=function_reference(runner.function)))
            elif text:
                parts.append(SystemPromptPart(text))
        return parts

    def _open_calls(self, ctx: RunGraphContext) -> CallToolsNode[AgentDepsT, OutputDataT] | None:
        """Return the node for a response in history whose calls are not all answered."""
        last = last_response(ctx.state.message_history)
        if last is None:
            return None
        response, answered = last
        open_calls = response.tool_calls
        calls = {call.tool_call_id for call in open_calls}
        if not calls or calls <= answered:
            return None
        ctx.deps.usage_limits.check_response(len(open_calls))
        if response.state != 'complete' and not has_whole_calls(response):
            return CallToolsNode(response)
        if not answered and len(calls) < len(open_calls):
            response = replace(response)  # the message of the caller is not changed
            distinct_calls(response)
            messages = [response if one is last[0] else one for one in ctx.state.message_history]
            changes.replace_history(ctx.state, messages)
        return CallToolsNode(response, tool_call_results=dict.fromkeys(answered, ALREADY_ANSWERED))

    def _resume_calls(
        self, ctx: RunGraphContext, deferred: DeferredToolResults
    ) -> CallToolsNode[AgentDepsT, OutputDataT]:
        last = last_response(ctx.state.message_history, before_prompts=True)
        if last is None or not last[0].tool_calls:
            raise UserError(
                'Tool call results were given, but the message history ends with no tool calls. Pass the messages of '
                'the run that returned the `DeferredToolRequests` as `message_history`.'
            )
        response, answered = last
        ctx.deps.usage_limits.check_response(len(response.tool_calls))
        results: dict[str, Any] = dict(deferred.to_tool_call_results())
        if response.state != 'complete' and not has_whole_calls(response):
            raise UserError(
                'Tool call results were given, but the last response broke off before its tool calls '
                f'{short_repr(sorted(call.tool_call_id for call in response.tool_calls))} were complete, so that they '
                'were never asked about. Run without results: the model is told that they were not executed.'
            )
        known = {call.tool_call_id for call in response.tool_calls}
        if unknown := sorted(results.keys() - known):
            raise UserError(
                f'Tool call results were given for ids that are not in the last response: {short_repr(unknown)}. '
                f'Its calls are {short_repr(sorted(known))}.'
            )
        if done := sorted(results.keys() & answered):
            raise UserError(
                f'Tool call {short_repr(done[0])} was already executed and its result cannot be overridden.'
            )
        if missing := [call for call in response.tool_calls if call.tool_call_id not in {*results, *answered}]:
            names = ', '.join(f'{call.tool_name} ({call.tool_call_id!r})' for call in missing)
            raise UserError(
                'Tool call results need to be provided for all deferred tool calls. '
                f'Missing: {short(names)}; given: {short_repr(sorted(results))}.'
            )
        results.update(dict.fromkeys(answered, ALREADY_ANSWERED))
        return CallToolsNode(
            response,
            tool_call_results=results,
            tool_call_metadata=deferred.metadata,
            user_prompt=self.user_prompt,
            tool_call_digests=deferred.digests,
        )


@dataclass
class ModelRequestNode(AgentNode[AgentDepsT, OutputDataT]):
    """The node that sends a request to the model."""

    request: ModelRequest
    """The request to add to the history and send."""
    is_resuming_without_prompt: bool = False
    """Whether the request was the end of the history that was passed to the run."""
    _result: CallToolsNode[AgentDepsT, OutputDataT] | ModelRequestNode[AgentDepsT, OutputDataT] | None = field(
        default=None, init=False, repr=False
    )
    _is_part: bool = field(default=False, init=False, repr=False, compare=False)
    """Whether the request is part of the history already, as in a run that continues where it was sent."""
    last_request_context: ModelRequestContext | None = field(default=None, init=False, repr=False)
    """What was sent, after all hooks."""

    async def run(
        self, ctx: RunGraphContext
    ) -> CallToolsNode[AgentDepsT, OutputDataT] | ModelRequestNode[AgentDepsT, OutputDataT]:
        """Send the request and return the node that handles the response.

        Raises:
            UsageLimitExceeded: The request or its tokens go over a limit of the run.
            UnexpectedModelBehavior: A hook asked for another try and none is left.
        """
        if self._result is not None:
            return self._result
        step = await self._prepare(ctx)
        exchange = Exchange(ctx, step)
        try:
            response = await exchange.send()
        except ModelRetry as error:
            return self._retry(ctx, step, exchange.response, error)
        except BaseException:
            if exchange.response is not None:  # a hook failed after the model had answered
                count_usage(ctx, step, exchange.response)
                ctx.state.unfinished = [exchange.response]
            raise
        return await self._finish(ctx, step, response)

    async def _prepare(self, ctx: RunGraphContext) -> RunStep:
        step = await prepare_request(ctx, self.request, is_part=self._is_part)
        if self.is_resuming_without_prompt:
            self._mark_as_old(ctx)
        if ctx.state.caches.deferral.loaded:
            announce(ctx, step)
        if step.tools.chain.record:
            await step.tools.chain.announce(step.context, request_ready(ctx.state, self.request))
        self.last_request_context = step.request
        return step

    async def run_shown(
        self, ctx: RunGraphContext, sink: EventSink
    ) -> CallToolsNode[AgentDepsT, OutputDataT] | ModelRequestNode[AgentDepsT, OutputDataT]:
        """Send the request streamed, show the events of the response, and return the next node."""
        if self._result is None:
            async with self.stream(ctx) as stream:
                if stream.is_replayed:
                    stream.replay()
                await sink.show(ctx.state.step.context, stream)
        return self._result or await self.run(ctx)

    @block_of_run
    async def stream(self, ctx: RunGraphContext) -> AsyncIterator[streams.AgentStream[AgentDepsT, Any]]:
        """Send the request and read the response as it comes in.

        Args:
            ctx: State and dependencies of the run, at `AgentRun.ctx`.

        Yields:
            The stream. When the block is left, what has been read of the response becomes part of the history.

        Raises:
            UserError: The request was sent before.
            UsageLimitExceeded: The request or its tokens go over a limit of the run.
            UnexpectedModelBehavior: A hook asked for another try and none is left.
        """
        if self._result is not None:
            raise UserError('The request of this node was sent before: a node is streamed once, and before it is run.')
        step = await self._prepare(ctx)
        exchange = Exchange(ctx, step)
        streamed = StreamedExchange(exchange.connect)
        try:
            raw = await exchange.open(streamed)
        except ModelRetry as error:
            self._retry(ctx, step, streamed.response, error)
            nothing = ModelResponse(parts=[], run_id=ctx.state.run_id)
            raw = CompletedStreamedResponse(step.request.model_request_parameters, nothing)
            yield streams.AgentStream(raw, ctx.state, ctx.deps, step.context, step.tools)
            return
        stream: streams.AgentStream[AgentDepsT, Any] = streams.AgentStream(
            raw,
            ctx.state,
            ctx.deps,
            step.context,
            step.tools,
            streamed.is_answered and step.tools.chain.replays_answers,
        )
        changes.count_request(ctx.state)
        step.counted = True
        try:
            yield stream
            await stream.stop_reading()
        except BaseException as error:
            failure = error
            try:
                await stream.stop_reading()
            except BaseException as another:  # such as a second cancellation; the connection is closed anyway
                failure = another
            try:
                response = await self._failed(ctx, step, streamed, stream, failure)
                if response is None:
                    raise failure  # it is the error, or was raised because of it
            except BaseException:
                self._keep(ctx, step, stream)
                raise
        else:
            try:
                response = await streamed.close()
            except ModelRetry as error:
                if self._result is None:
                    self._retry(ctx, step, streamed.response, error)
                response = None
        stream.is_counted = True
        if self._result is None:
            await self._finish(ctx, step, raw.get() if response is None else response)

    async def _failed(
        self,
        ctx: RunGraphContext,
        step: RunStep,
        streamed: StreamedExchange,
        stream: streams.AgentStream[AgentDepsT, Any],
        error: BaseException,
    ) -> ModelResponse | None:
        """Return the response of a hook that recovers from the failure of a stream, else `None`."""
        try:
            response = await streamed.fail(error)
        except ModelRetry as retry:
            if not stream.failed_with(error):
                raise
            self._retry(ctx, step, streamed.response, retry)
            return ModelResponse(parts=[])
        return response if stream.failed_with(error) else None

    def _keep(self, ctx: RunGraphContext, step: RunStep, stream: streams.AgentStream[AgentDepsT, Any]) -> None:
        """Keep a response that broke off, as far as it came, unless it is in the history already."""
        if self._result is None:
            keep_interrupted(ctx, step, stream.response)
            stream.is_counted = True

    @classmethod
    def sent_again(cls, request: ModelRequest) -> ModelRequestNode[AgentDepsT, OutputDataT]:
        """Return the node that sends a request which is part of the history, with messages that follow it there."""
        node = cls(request)
        node._is_part = True
        return node

    def answered(self, response: CallToolsNode[AgentDepsT, OutputDataT]) -> None:
        """Note that the response is in the history already, and the node that handles it."""
        self._result = response

    def _mark_as_old(self, ctx: RunGraphContext) -> None:
        """Count the request, which ended the history, among the old messages: `new_messages` leaves it out."""
        ctx.state.resumed = self.request
        changes.set_new_message_index(ctx.state, max(ctx.state.new_message_index, len(ctx.state.message_history)))

    async def _finish(
        self, ctx: RunGraphContext, step: RunStep, response: ModelResponse
    ) -> CallToolsNode[AgentDepsT, OutputDataT]:
        """Take the response into the run."""
        self._result = CallToolsNode(finish_request(ctx, step, response))
        if step.tools.chain.record:
            await step.tools.chain.announce(step.context, response_taken(ctx.state))
        return self._result

    def _retry(
        self, ctx: RunGraphContext, step: RunStep, refused: ModelResponse | None, error: ModelRetry
    ) -> ModelRequestNode[AgentDepsT, OutputDataT]:
        """Ask the model again because a hook objected; the response it refused stays in the history."""
        if refused is not None:
            finish_request(ctx, step, refused)
        part = output_feedback(ctx, error, RetryPromptPart(content=error.message))
        self._result = ModelRequestNode(ModelRequest(parts=[part]))
        return self._result


@dataclass
class CallToolsNode(AgentNode[AgentDepsT, OutputDataT]):
    """The node that handles a response: calls its tools, takes its output, or asks again."""

    model_response: ModelResponse
    """The response."""
    tool_call_results: dict[str, Any] | None = None
    """Results for calls that were deferred, by call id."""
    tool_call_metadata: dict[str, dict[str, Any]] | None = None
    """Metadata that came with the results, by call id."""
    user_prompt: str | Sequence[all_messages.UserContent] | None = None
    """A prompt to send with the results."""
    tool_call_digests: dict[str, str] | None = None
    """Digests of the calls that the results are about, by call id."""
    _next_node: ModelRequestNode[Any, Any] | End[FinalResult[Any]] | None = field(default=None, init=False, repr=False)
    _failed: bool = field(default=False, init=False, repr=False, compare=False)
    is_recorded: bool = field(default=False, init=False, repr=False, compare=False)
    """Whether an earlier process got the response, so that the readers of this one have not seen it."""

    async def run(self, ctx: RunGraphContext) -> ModelRequestNode[AgentDepsT, OutputDataT] | End[FinalResult[Any]]:
        """Return the next request, or `End` with the final result.

        Raises:
            UnexpectedModelBehavior: The response cannot be used and no retry is left.
            UsageLimitExceeded: The calls are more than the run may make.
        """
        if self._next_node is None and CallToolsNode.stream is not CallToolsNode._written_stream:
            async with self.stream(ctx) as events:  # a program watches calls by it
                _ = [event async for event in events]
        return self._next_node or await self._handle(ctx, None)

    async def run_shown(
        self, ctx: RunGraphContext, sink: EventSink
    ) -> ModelRequestNode[AgentDepsT, OutputDataT] | End[FinalResult[Any]]:
        """Handle the response, show the events of that, and return the next node."""
        if self.is_recorded:
            await sink.show(ctx.state.step.context, await self.recorded(ctx))
        if self._next_node is None and sink.direct is not None:  # nothing stands between the calls and the reader
            return await sink.direct.carry(with_emitted(ctx.deps.context.stopper, sink.direct, self._handle, ctx))
        if self._next_node is None or self.is_recorded:
            async with self.stream(ctx) as events:
                await sink.show(ctx.state.step.context, events)
        return self._next_node or await self.run(ctx)

    @classmethod
    def of_recorded(
        cls,
        response: ModelResponse,
        results: dict[str, Any],
        metadata: dict[str, dict[str, Any]],
        prompt: str | Sequence[all_messages.UserContent] | None = None,
        final: FinalResult[Any] | None = None,
    ) -> CallToolsNode[AgentDepsT, OutputDataT]:
        """Return the node that handles a response which an earlier process got.

        Args:
            response: The response.
            results: What is known of its calls, by call id.
            metadata: Metadata that came with that.
            prompt: What follows the answers to its calls.
            final: What the run has returned, if it has ended: the response is only shown.
        """
        node = cls(response, tool_call_results=results, tool_call_metadata=metadata, user_prompt=prompt)
        node.is_recorded, node._next_node = True, None if final is None else End(final)
        node.tool_call_digests = digests_of(response.tool_calls, results)
        return node

    async def recorded(self, ctx: RunGraphContext) -> streams.AgentStream[AgentDepsT, Any]:
        """Return a response that an earlier process got, to be read as if it came in."""
        step = await recorded_step(ctx)
        parameters = await request_parameters(ctx, step, None)
        raw = CompletedStreamedResponse(self.model_response, parameters, events=True)
        stream = streams.AgentStream[Any, Any](raw, ctx.state, ctx.deps, step.context, step.tools)
        stream.is_counted = True
        return stream

    async def _handle(
        self, ctx: RunGraphContext, events: EventWriter | None
    ) -> ModelRequestNode[AgentDepsT, OutputDataT] | End[FinalResult[Any]]:
        if events is not None:
            for event in native_tool_events(self.model_response):
                events.put(event)
        if self.is_recorded:  # output functions see its tools, too
            await recorded_step(ctx)
        response, outcome, history = self.model_response, None, ctx.state.message_history
        if self.tool_call_results is None and response.state in ('incomplete', 'interrupted') and not self._failed:
            outcome = self._half_received(ctx, events)
        if outcome is None:
            try:
                is_last = not history or history[-1] is response
                results = self.tool_call_results if is_last else self._results(ctx)
                decided = NO_DECISIONS
                if results or self.tool_call_metadata:
                    decided = Decisions(results or {}, self.tool_call_metadata or {}, self.tool_call_digests)
                outcome = await handle_response(ctx, response, events, decided, self.user_prompt)
            except Exception:
                self._failed = True
                raise
            if self._failed and response.state == 'interrupted':  # a hook has run the node again
                response.state = 'complete'
        if not isinstance(outcome, ModelRequest):
            outcome = continue_with_pending(ctx, outcome)
        if isinstance(outcome, ModelRequest):
            ctx.state.step.answers = outcome
        self._next_node = ModelRequestNode(outcome) if isinstance(outcome, ModelRequest) else End(outcome)
        return self._next_node

    def _results(self, ctx: RunGraphContext) -> dict[str, Any] | None:
        """Return the results of calls, with what was answered already when a hook runs a failed node again."""
        last = last_response(ctx.state.message_history)
        ids = [call.tool_call_id for call in self.model_response.tool_calls]
        if last is None or ids != [call.tool_call_id for call in last[0].tool_calls]:
            return self.tool_call_results
        return {**(self.tool_call_results or {}), **dict.fromkeys(last[1], ALREADY_ANSWERED)}

    def _half_received(self, ctx: RunGraphContext, events: EventWriter | None) -> ModelRequest | None:
        """Answer the calls of a response that was not read to its end without running them; `None` if it has none."""
        answers = answers_to_interrupted_calls(ctx.state.message_history)
        if events is not None:
            for part in answers:
                events.put(FunctionToolResultEvent(part))
        return ModelRequest(parts=[*answers]) if answers else None

    @block_of_run
    async def stream(self, ctx: RunGraphContext) -> AsyncIterator[AsyncIterator[HandleResponseEvent]]:
        """Handle the response and read the events of that.

        Args:
            ctx: State and dependencies of the run, at `AgentRun.ctx`.

        Yields:
            The events, as they happen. When the block is left, the tools are waited for; when it fails or is
            cancelled, they are cancelled.

        Raises:
            UnexpectedModelBehavior: The response cannot be used and no retry is left.
            UsageLimitExceeded: The calls are more than the run may make.
        """
        if self._next_node is not None:
            results = self.tool_call_results if self.is_recorded else None  # what was answered is shown again
            yield answers_shown(ctx, self.model_response, results)
            return
        feed: EventFeed[HandleResponseEvent] = EventFeed()
        task = asyncio.ensure_future(with_emitted(ctx.deps.context.stopper, feed, self._handle, ctx))
        feed.follow(task)
        try:
            yield feed.events()
            feed.leave()
            await task
        finally:
            await cancel_and_drain(task)

    _written_stream = stream


@dataclass
class SetFinalResult(AgentNode[AgentDepsT, OutputDataT]):
    """The node that ends a run whose result is known, because it was streamed."""

    final_result: FinalResult[Any]
    """The result."""

    async def run(self, ctx: RunGraphContext) -> End[FinalResult[Any]]:
        """Return the end of the run."""
        return End(self.final_result)
