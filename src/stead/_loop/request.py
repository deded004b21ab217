"""One model request: put together from the run, sent, and its response taken into the run."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from operator import is_
from typing import Any

from .. import usage as usages
from .._calls.approvals import distinct_calls
from .._contracts.hooks import MODEL_REQUEST, MODEL_REQUEST_AGAIN
from .._contracts.model import ModelRequestContext, ModelResolutionContext
from .._contracts.output import FinalResult
from .._contracts.pending import PendingMessage
from .._deferral.history import typed_calls
from .._kit.ids import now_utc
from .._streams.exchange import Connection, RequestHandler, StreamedExchange
from ..exceptions import RetryModelRequest, SkipModelRequest, UsageLimitExceeded, UserError
from ..messages import (
    LOAD_CAPABILITY,
    SEARCH_TOOLS,
    EnqueuedMessagesEvent,
    InstructionPart,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    well_formed_response,
)
from ..models import Model, StreamedResponse
from ..models.bounded import bounded_request, bounded_stream, has_time_limits
from ..models.wrapper import WrapperModel
from ..usage import RunUsage, countable, has_rare_counts
from . import repair
from .history import cut, has_neighbours_of_one_kind, mark_interrupted, merge_neighbours
from .parameters import keep_changes, request_parameters
from .repair import is_sendable, refuse_separated, repaired
from .state import (
    Caches,
    GraphAgentState,
    LatePrompts,
    RunGraphContext,
    RunStep,
    add_message,
    add_usage,
    begin_step,
    build_run_context,
    count_request,
    give_back_request,
    note_max_tokens,
    replace_history,
    reserve_request,
    set_following,
    set_new_message_index,
    take_pending,
)

MOST_KEPT = 1_000
"""Calls of a response with too many of them that the history keeps: each of them costs time in the runs that continue it."""


async def prepare_request(ctx: RunGraphContext, request: ModelRequest, *, is_part: bool = False) -> RunStep:
    """Begin a step: take the request into the history, and put together the request to the model.

    Args:
        ctx: State and dependencies of the run.
        request: The request.
        is_part: Whether it is part of the history already.

    Raises:
        UsageLimitExceeded: The run may make no further request.
    """
    state, deps, last = ctx.state, ctx.deps, ctx.state.step
    begin_step(state)
    last.answers = None
    if state.unfinished:  # a hook continued after the failure
        state.unfinished = []
    if not is_part:
        stamp(ctx, request)
        add_message(state, request)
    if state.pending_messages:
        take_in_enqueued(ctx, take_pending(state, idle=False), idle=False)
    if state.message_history[-1] is not request:
        set_following(state, request)

    known = last.tools.tools
    if known is None or LOAD_CAPABILITY in known or SEARCH_TOOLS in known:
        state.caches.deferral.catch_up(state.message_history)
    context = build_run_context(ctx)
    context.max_retries = last.tools.default_max_retries
    if deps.select_model is not None:
        context.model = await deps.select_model(context)
    tools = await last.tools.for_run_step(context)
    if last.tools.ctx is not None:
        last.tools.ctx.tool_manager = tools  # not itself: such a circle would hold the history until it is collected
    step = state.step = RunStep(context, tools)

    instruction_parts = await deps.get_instructions(context) if deps.get_instructions is not None else None
    request.instructions = InstructionPart.join(instruction_parts) if instruction_parts else None

    # Hooks may set something in it, also where nothing is set.
    context.model_settings = settings = deps.get_model_settings(context) or {}
    step.request = ModelRequestContext(
        model=context.model,
        messages=list(state.message_history),
        model_settings=settings,
        model_request_parameters=await request_parameters(ctx, step, instruction_parts),
    )
    if deps.ledger is not None:
        await deps.ledger.begin_request(ctx, step, request)
    return step


def take_in(ctx: RunGraphContext, message: ModelMessage) -> None:
    """Add a message to the history as one of this run."""
    stamp(ctx, message)
    add_message(ctx.state, message)


def announce(ctx: RunGraphContext, step: RunStep) -> None:
    """Announce to the model the tools of the capabilities that it has loaded, if there are new ones."""
    request = ctx.state.message_history[-1 - ctx.state.following]
    for message in ctx.state.caches.deferral.announcement(step.tools.tools or {}):
        take_in(ctx, message)
        step.request.messages.append(message)
    if isinstance(request, ModelRequest):
        set_following(ctx.state, request)


def stamp(ctx: RunGraphContext, message: ModelMessage) -> None:
    """Mark a message as one of this run, unless it belongs to another."""
    if message.timestamp is None:
        message.timestamp = now_utc()
    message.run_id = message.run_id or ctx.state.run_id
    message.conversation_id = message.conversation_id or ctx.state.conversation_id


def continue_with_pending(ctx: RunGraphContext, final: FinalResult[Any]) -> ModelRequest | FinalResult[Any]:
    """Return the request that continues a run that would end, if enqueued messages are due; otherwise its result."""
    if not ctx.state.pending_messages or not (due := take_pending(ctx.state, idle=True)):
        return final
    last = due[-1].messages[-1]
    assert isinstance(last, ModelRequest), 'enqueued messages end in a request'
    take_in_enqueued(ctx, due, idle=True)
    return last


def take_in_enqueued(ctx: RunGraphContext, due: Sequence[PendingMessage], *, idle: bool) -> None:
    """Add what was enqueued to the history, and show it to what reads the events of the run.

    Args:
        ctx: State and dependencies of the run.
        due: What was enqueued.
        idle: Whether the run would end otherwise: the last message is then the next request, which adds itself.
    """
    last = due[-1].messages[-1] if idle else None
    for item in due:
        for message in item.messages:
            if message is not last:
                take_in(ctx, message)
            else:
                stamp(ctx, message)
        if ctx.deps.chain.shows_changes:
            first, is_part = item.messages[0], not idle and len(item.messages) == 1
            parts = tuple(first.parts) if is_part and isinstance(first, ModelRequest) else ()
            event = EnqueuedMessagesEvent(enqueue_id=item.enqueue_id, messages=tuple(item.messages), parts=parts)
            ctx.deps.context.stopper.show(event)


@dataclass
class Exchange:
    """A request on its way through the hooks to the model, and the response on its way back."""

    ctx: RunGraphContext
    step: RunStep
    response: ModelResponse | None = None
    """What the model answered, before any hook saw it."""
    attempts: int = 1
    """How often it was sent, as far as hooks ask for more."""
    prepared: ModelRequestContext | None = None
    """The request that was handed over to be sent."""
    fitted: tuple[Model, list[ModelMessage]] | None = None
    """The model, and the messages that were fitted to it, where hooks around the request may still change both."""

    async def send(self) -> ModelResponse:
        """Send the request through the hooks and return the response.

        Raises:
            ModelRetry: A hook asks for another try; `response` holds what it objects to, if the model has answered.
        """
        if self.step.tools.chain.model_request:
            return await self.send_through_hooks(self._request)
        return await self._request(await take_over(self.ctx, self.step.request))

    async def send_through_hooks(self, handler: RequestHandler) -> ModelResponse:
        """Run the hooks around a handler, which sends the request, and return the response.

        Raises:
            ModelRetry: A hook asks for another try.
        """
        step, point, request = self.step, MODEL_REQUEST, self.step.request
        try:
            while True:
                try:
                    return await step.tools.chain.call(point, step.context, request, handler, self._take_over)
                except RetryModelRequest as again:
                    request = await self._again(again)
                    point = MODEL_REQUEST_AGAIN
        except SkipModelRequest as skip:
            return skip.response
        finally:
            keep_changes(self.ctx, step)

    async def _again(self, again: RetryModelRequest) -> ModelRequestContext:
        """Return the request to send again, to the model that a hook names; what was answered so far stays in the usage.

        Raises:
            UserError: The hook runs before the request.
            UsageLimitExceeded: The request was sent as often as the run may send requests.
        """
        if self.prepared is None:
            raise UserError(
                '`RetryModelRequest` sends a request again, and was raised before it was sent. Raise it in '
                '`on_model_request_error` or `after_model_request`; `before_model_request` may set `request_context.model`.'
            ) from again
        self.attempts += 1
        limit = self.ctx.deps.usage_limits.request_limit
        if limit is not None and self.attempts > limit:
            raise UsageLimitExceeded(f'The next request would exceed the request_limit of {limit}')
        if self.response is not None:
            add_usage(self.ctx.state, self.response.usage, has_rare_counts(self.response.usage))
            self.response = None
        self.prepared.attempt += 1
        if again.model is not None:
            about = ModelResolutionContext(agent=self.ctx.deps.agent, deps=self.ctx.deps.user_deps)
            self.prepared.model = await self.step.tools.chain.choices.model_named(about, again.model)
        return self.prepared

    async def open(self, streamed: StreamedExchange) -> StreamedResponse:
        """Send the request through the hooks for a reader of its stream.

        Raises:
            ModelRetry: A hook asks for another try.
        """
        request = self.step.request
        request.streaming = True
        if not self.step.tools.chain.model_request:
            return await streamed.open(await take_over(self.ctx, request))
        return await streamed.open_held(self.send_through_hooks, request.model_request_parameters)

    def connect(self, prepared: ModelRequestContext) -> Connection:
        """Return the connection on which the response is streamed; the request is sent when it is entered."""
        self._fit(prepared)
        if (ledger := self.ctx.deps.ledger) is not None:
            return ledger.paid_stream(prepared, self.ctx, self._connection)
        return self._connection(prepared)

    def _connection(self, prepared: ModelRequestContext) -> Connection:
        model, settings = prepared.model, prepared.model_settings or None
        if (choices := self.step.tools.chain.choices).asked:
            model = choices.wrapped(model)
        messages, params, context = prepared.messages, prepared.model_request_parameters, self.step.context
        if (settings or model.settings) and has_time_limits(settings, model.settings):
            connection = bounded_stream(model, messages, settings, params, context)
        else:
            connection = model.request_stream(messages, settings, params, context)
        return self._announced(prepared, connection) if self.step.tools.chain.watchers else connection

    @asynccontextmanager
    async def _announced(
        self, prepared: ModelRequestContext, connection: Connection
    ) -> AsyncGenerator[StreamedResponse, None]:
        await self._announce_sent(prepared)
        async with connection as stream:
            yield stream

    async def _announce_sent(self, prepared: ModelRequestContext) -> None:
        """Announce the request as it is handed to the model."""
        from .._show.changes import sent_request

        fact = sent_request(prepared, self.ctx.state.message_history, self.ctx.state.run_step, self.ctx.deps.sources)
        await self.step.tools.chain.announce_change(self.step.context, fact)

    async def _take_over(self, prepared: ModelRequestContext) -> None:
        if self.ctx.deps.usage_limits.count_tokens_before_request:
            keep_changes(self.ctx, self.step, prepared)
        chain = self.step.tools.chain
        # Only hooks before the request have had the list of its messages: without any, it is as it was made.
        is_seen = prepared is not self.step.request or self.attempts > 1 or bool(chain.steps['before_model_request'])
        await take_over(self.ctx, prepared, is_seen=is_seen)
        self.fitted, self.prepared = (prepared.model, prepared.messages), prepared
        if chain.prepare_model_request:
            ready = await chain.run_prepare_model_request(self.step.context, prepared)
            if ready is not prepared:
                vars(prepared).update(vars(ready))

    def _fit(self, prepared: ModelRequestContext) -> None:
        """Note what is sent, and fit the messages again if hooks changed them, which is for this request alone."""
        if self.ctx.deps.kept_parameters.is_exposed:
            keep_changes(self.ctx, self.step, prepared)
        state = self.ctx.state
        max_tokens = prepared.model_settings.get('max_tokens') if prepared.model_settings else None
        if max_tokens != state.last_max_tokens:
            note_max_tokens(state, max_tokens)
        state.last_model_request_parameters = prepared.model_request_parameters
        self.step.response_metadata = prepared.response_metadata
        if self.fitted is None:
            return
        model, messages = self.fitted
        if prepared.model is not model or prepared.messages is not messages:
            fit_messages(prepared, _prompts_sent(state.caches, prepared.messages), prepared.messages)

    async def _request(self, prepared: ModelRequestContext, is_paid: bool = False) -> ModelResponse:
        if not is_paid:
            self._fit(prepared)
            if (ledger := self.ctx.deps.ledger) is not None:
                return await ledger.paid_request(prepared, self.ctx, partial(self._request, is_paid=True))
        chain, model = self.step.tools.chain, prepared.model
        if chain.watchers:
            await self._announce_sent(prepared)
        if chain.choices.asked:
            model = chain.choices.wrapped(model)
        messages, settings, params = (
            prepared.messages,
            prepared.model_settings or None,
            prepared.model_request_parameters,
        )
        if (settings or model.settings) and has_time_limits(settings, model.settings):
            self.response = await bounded_request(model, messages, settings, params)
        else:
            self.response = await model.request(messages, settings, params)
        if failed := prepared.failed_attempts:
            self.response = replace(self.response, failed_attempts=failed + (self.response.failed_attempts or []))
        if not self.step.counted:  # hooks that run after it see it in the usage, as they do when it is streamed
            count_request(self.ctx.state)
            self.step.counted = True
        return self.response


async def take_over(
    ctx: RunGraphContext, prepared: ModelRequestContext, *, is_seen: bool = True
) -> ModelRequestContext:
    """Keep the changes that hooks made to a request, fit its messages to the model, and check the limits of the run.

    Args:
        ctx: State and dependencies of the run.
        prepared: The request.
        is_seen: Whether hooks have seen it.

    Returns:
        The request.

    Raises:
        UserError: Hooks left nothing to send, nothing to answer, or a history that cannot be repaired.
        UsageLimitExceeded: The request would go over a limit.
    """
    state, caches = ctx.state, ctx.state.caches
    if state.step.tools.chain.model_request:
        history, messages = state.message_history, prepared.messages
        if len(history) != len(messages) or (is_seen and not all(map(is_, history, messages))):
            _check_replaced(messages)
            stamp(ctx, messages[-1])
            replace_history(state, messages)
            caches.deferral.start_over()
            caches.needs_cleaning = has_neighbours_of_one_kind(messages)
            caches.late_prompts = LatePrompts()
            _look_at_replaced(caches, messages)
            caches.oldest = sys.maxsize
            set_new_message_index(state, first_own(state, messages))
        elif messages[-1].run_id != state.run_id:  # hooks changed the ids of the messages in place
            set_new_message_index(state, first_own(state, messages))
    if caches.needs_repair or caches.needs_cleaning:
        _mend_history(caches, prepared)
    fit_messages(prepared, caches.late_prompts, state.message_history)
    limits, usage = ctx.deps.usage_limits, state.usage
    if limits.count_tokens_before_request or state.step.counted:
        usage = await _usage_before_request(ctx, prepared)
    reserve_request(state, limits, usage)
    return prepared


def _look_at_replaced(caches: Caches, messages: list[ModelMessage]) -> None:
    """Note whether a history from hooks has to be repaired.

    Raises:
        UserError: Hooks separated a call from its result.
    """
    if caches.needs_repair or repair.SEPARATED != 'sent':
        was_sound, caches.needs_repair = not caches.needs_repair, not is_sendable(messages)
        if caches.needs_repair and was_sound:
            refuse_separated(merge_neighbours(messages))
            caches.needs_repair = repair.SEPARATED == 'repaired'


def _mend_history(caches: Caches, prepared: ModelRequestContext) -> None:
    """Repair and merge the messages of a request where that is needed.

    Raises:
        UserError: The history cannot be repaired.
    """
    if caches.needs_repair:
        prepared.messages = repaired(prepared.messages)
    if caches.needs_cleaning or caches.needs_repair:  # repair may leave out a message between two
        prepared.messages = merge_neighbours(prepared.messages)


def first_own(state: GraphAgentState, messages: list[ModelMessage]) -> int:
    """Return where the messages of the run begin in a history that hooks have changed anywhere: where its id does.

    A resumed request has that id too, but was there before: hooks may have copied it, so it is known by its parts.
    """
    if (resumed := state.resumed) is not None:
        for index in range(len(messages) - 1, -1, -1):
            if isinstance(messages[index], ModelRequest) and messages[index].parts == resumed.parts:
                return index + 1
    own = (index for index, message in enumerate(messages) if message.run_id == state.run_id)
    return next(own, len(messages))


def fit_messages(prepared: ModelRequestContext, prompts: LatePrompts, messages: Sequence[ModelMessage]) -> None:
    """Let the model prepare the messages, if that may change them.

    Args:
        prepared: The request.
        prompts: Knows whether system prompts stand in the middle.
        messages: The messages that it is asked about.
    """
    model = prepared.model
    own = type(model).prepare_messages is not Model.prepare_messages  # most models need no closer look
    if (own and prepares_in_its_own_way(model)) or (
        not model.profile.supports_inline_system_prompts and prompts.update(messages)
    ):
        prepared.messages = model.prepare_messages(prepared.messages)


def _prompts_sent(caches: Caches, messages: list[ModelMessage]) -> LatePrompts:
    """Return what is known of the system prompts of messages that hooks around requests left: mostly, of all but the last."""
    last, prompts = caches.sent or ([], LatePrompts())
    if len(last) > len(messages) or not all(map(is_, last, messages)):
        prompts = LatePrompts()
    caches.sent = [*messages], prompts
    return prompts


def _check_replaced(messages: list[ModelMessage]) -> None:
    if not messages:
        raise UserError(
            'Hooks or history processors left no message to send. Keep at least the last request of the history.'
        )
    if not isinstance(messages[-1], ModelRequest):
        raise UserError(
            'Hooks or history processors left a history that ends in a `ModelResponse`, so the model has nothing to '
            'answer. Keep the last request at its end.'
        )


async def _usage_before_request(ctx: RunGraphContext, prepared: ModelRequestContext) -> RunUsage:
    """Return the usage to check before a request: that of the run, without the request itself if it is sent again.

    Raises:
        UsageLimitExceeded: The tokens of the prompt, counted first, go over a limit.
    """
    limits, usage = ctx.deps.usage_limits, ctx.state.usage
    if limits.count_tokens_before_request:
        request_usage = await prepared.model.count_tokens(
            prepared.messages, prepared.model_settings or None, prepared.model_request_parameters
        )
        projected = replace(usage, details=dict(usage.details))
        projected.incr(countable(request_usage))
        limits.check_per_request_input_tokens(request_usage.input_tokens)
        limits.check_tokens(projected)
    if ctx.state.step.counted:  # a hook sends it again: that is the same request
        usage = replace(usage, requests=usage.requests - 1)
    return usage


def count_usage(ctx: RunGraphContext, step: RunStep, response: ModelResponse) -> None:
    """Add the usage of the response of a step to the run."""
    has_rare = has_rare_counts(response.usage)
    response.usage = countable(response.usage, has_rare)
    ledger = ctx.deps.ledger
    if usages.PRICED or ctx.deps.usage_limits.cost_limit is not None or (ledger is not None and ledger.has_usd):
        from .._show.costs import note_cost

        note_cost(response)
    if not step.counted:
        count_request(ctx.state)
    elif ctx.state.caches.is_reserved:  # a hook sent it again
        give_back_request(ctx.state)
    step.counted = False
    add_usage(ctx.state, response.usage, has_rare)


def finish_request(ctx: RunGraphContext, step: RunStep, response: ModelResponse) -> ModelResponse:
    """Take the response of a step, after its hooks, into the history, and its usage into that of the run.

    Raises:
        UsageLimitExceeded: The tokens used so far are more than the run may use, or the response has too many calls.
        UserError: The model gave a tool an invalid kind.
    """
    state = ctx.state
    if ctx.deps.kept_parameters.is_exposed and not step.tools.chain.model_request:  # with hooks, it is done after them
        keep_changes(ctx, step)
    if response.run_id not in (None, state.run_id):
        response = replace(response, run_id=None, conversation_id=None)
    limits, parts, calls, kept = ctx.deps.usage_limits, len(response.parts), 0, None
    most = limits.tool_calls_per_response_limit
    if most is not None and parts > most:  # before anything is made for each of them
        calls = len(response.tool_calls)
        if calls > max(most, MOST_KEPT):
            response, kept = cut(response, MOST_KEPT), MOST_KEPT
    response.run_id = state.run_id
    response.conversation_id = state.conversation_id
    if step.response_metadata is not None:
        response.metadata = {**(response.metadata or {}), **step.response_metadata}
    well_formed_response(response)
    count_usage(ctx, step, response)
    try:
        if calls:
            limits.check_response(calls, kept)
        if parts > 1:
            distinct_calls(response)
        if tools := step.tools.tools:
            typed_calls(response, tools)
        if limits.has_token_limits():
            limits.check_per_request_input_tokens(response.usage.input_tokens)
            limits.check_tokens(state.usage)
        if limits.cost_limit is not None:
            limits.check_cost(state.usage)
    except UsageLimitExceeded:
        state.unfinished = [response]  # it was paid for
        raise
    add_message(state, response)
    return response


def keep_interrupted(ctx: RunGraphContext, step: RunStep, response: ModelResponse) -> None:
    """Take a response that broke off, as far as it came, into the history, and its usage into that of the run.

    Programs that send a history again may not expect such a response, so that agents can be told to leave it out.
    """
    count_usage(ctx, step, response)
    if response.parts and ctx.deps.keep_interrupted:
        most = ctx.deps.usage_limits.tool_calls_per_response_limit
        if most is not None and len(response.parts) > most and len(response.tool_calls) > most:
            response = cut(response)
        well_formed_response(response)
        distinct_calls(response)
        response.state = 'interrupted'
        response.run_id, response.conversation_id = ctx.state.run_id, ctx.state.conversation_id
        add_message(ctx.state, response)


def settle(ctx: RunGraphContext) -> None:
    """Complete the history of a run that failed or was left before its end, so that it can be continued.

    Responses that were paid for and tool results that were not sent yet are added, and a response with open calls is marked
    as interrupted.
    """
    state = ctx.state
    for message in state.unfinished:
        take_in(ctx, message)
    state.unfinished = []
    if (answers := state.step.answers) is not None:
        take_in(ctx, answers)
        state.step.answers = None
    mark_interrupted(state)


def prepares_in_its_own_way(model: Model) -> bool:
    """Return whether a model overrides `prepare_messages`, which otherwise only moves late system prompts."""
    while type(model).prepare_messages is WrapperModel.prepare_messages and isinstance(model, WrapperModel):
        model = model.wrapped
    return type(model).prepare_messages is not Model.prepare_messages
