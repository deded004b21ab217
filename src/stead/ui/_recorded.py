"""Answers to runs that a journal has: the run that asked, or called a tool of the interface, continues, instead of another one.

A front end may send an answer again: a person clicks twice, a proxy tries again, a connection is lost. The run that asked takes
the first one. Later ones get the same results and the same text, and nothing is done for that.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence, Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any, cast

from typing_extensions import Self

from ..agent import AbstractAgent
from ..journal import Journal, JournalError, RunFilter, RunInfo, RunInUse, WaitingRun
from ..journal.traces import ENDED_BY
from ..messages import (
    FunctionToolResultEvent,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    PartEndEvent,
    PartStartEvent,
    RetryPromptPart,
    ToolReturnPart,
    UserPromptPart,
    is_retry,
    is_same_question,
    questions_in,
)
from ..run import AgentRunResultEvent
from ..tools import DeferredToolRequests, DeferredToolResults
from ._approvals import AnswerTooLateError, Asker, is_same_call
from ._event_stream import RESPONSE_EVENTS, NativeEvent
from ._inner import answers_inside, own_id, shown_inside

_OF_THE_RUN = ('message_history', 'deferred_tool_results', 'conversation_id')
_PAUSE = 0.05
_LAST_RUNS = 10


def journal_of(agent: AbstractAgent[Any, Any], capabilities: Sequence[object] = ()) -> Journal[Any] | None:
    """Return the journal that records the runs of an agent.

    Args:
        agent: The agent.
        capabilities: Further capabilities of the run.
    """
    found: list[Journal[Any]] = []

    def visit(capability: object) -> None:
        if isinstance(capability, Journal):
            found.append(cast('Journal[Any]', capability))

    for capability in (agent.root_capability, *capabilities):
        if (apply := getattr(capability, 'apply', None)) is not None:
            apply(visit)
    return found[0] if found else None


@dataclass
class Answers:
    """Answers of a request to the questions of runs."""

    journal: Journal[Any]
    asker: Asker
    """What knows the questions."""
    results: DeferredToolResults
    """The answers."""
    returns: dict[str, ToolReturnPart | RetryPromptPart]
    """What calls returned that the interface executed, by call id."""
    prompts: list[ModelMessage]
    """The prompts that follow."""
    response: ModelResponse | None
    """The response of the request that the calls are of."""

    @classmethod
    def of(
        cls,
        journal: Journal[Any],
        asker: Asker,
        results: DeferredToolResults | None,
        messages: Sequence[ModelMessage],
    ) -> Self | None:
        """Return the answers in a request; `None` if there are none.

        Args:
            journal: What has the runs.
            asker: What knows the questions.
            results: The decisions of the request.
            messages: Its messages.
        """
        results = results or DeferredToolResults()
        approvals = {call_id: answer for call_id, answer in results.approvals.items() if call_id in asker.asked}
        answers = cls(journal, asker, replace(results, approvals=approvals), *_after_the_last_response(messages))
        return answers if approvals or answers.returns else None

    async def record(self) -> tuple[str, set[str]] | None:
        """Record the answers where they were asked for.

        Returns:
            The run to continue with, which is the outermost one, and the calls of it that wait for the answers; `None` if the
            interface executed calls of a run that the journal does not have.

        Raises:
            AnswerTooLateError: The journal does not have a run that asked, so that it must have ended.
            JournalError: A run is paused, or the journal cannot be read or written.
        """
        places: dict[str, set[str]] = {}
        for call_id in self.results.approvals:
            run_id = self.asker.asked[call_id][0].run_id
            root, call = await self._outermost(run_id, own_id(run_id, call_id))
            for one in {run_id, root}:
                await self._check_not_ended(one)
                await self._check_not_paused(one)
            await self._record(run_id)
            places.setdefault(root, set()).add(call)
        if not places:
            return await self._record_returns()
        return [*places.items()][-1]

    async def _record_returns(self) -> tuple[str, set[str]] | None:
        """Record what the interface returned for calls that one of the last runs of the conversation waits for, or waited for."""
        if self.response is None or not self.asker.conversation:
            return None
        sent = {call.tool_call_id: call for call in self.response.tool_calls if call.tool_call_id in self.returns}
        where = RunFilter(conversation_id=self.asker.conversation, is_inner=False, limit=_LAST_RUNS)
        for run in await self.journal.find(where):
            state = await self.journal.state(run.run_id)
            place = _place_of(state.messages, sent.keys())
            if place is None or place < state.new_message_index:
                continue
            own = cast('ModelResponse', state.messages[place]).tool_calls
            waiting = {call.tool_call_id for one in await self._waiting(run.run_id) for call in one.requests.calls}
            wanted = waiting if self.prompts else waiting | state.decided.keys()  # a prompt is new, not sent again
            if any(id in wanted and any(is_same_call(call, one) for one in own) for id, call in sent.items()):
                await self._check_not_paused(run.run_id)
                await self._record(run.run_id)
                return run.run_id, {*sent}
        return None

    async def _waiting(self, run_id: str) -> list[WaitingRun]:
        return [one for one in await self.journal.waiting(inside=run_id) if one.run.run_id == run_id]

    async def _outermost(self, run_id: str, call_id: str) -> tuple[str, str]:
        known: set[str] = set()
        while run_id not in known and (parent := (await self.journal.state(run_id)).parent) is not None:
            known.add(run_id)
            run_id, call_id = parent
        return run_id, call_id

    async def _check_not_ended(self, run_id: str) -> None:
        """Check that no one has ended a run that asked: an answer does not undo that.

        Raises:
            AnswerTooLateError: It was cancelled or given up, or ended with the question open.
        """
        if (await self._info(run_id)).status != 'failed':
            return
        state = await self.journal.state(run_id)
        error = state.error or {}
        if state.undecided() or error.get('type') in ENDED_BY:
            raise AnswerTooLateError(
                f'The run that asked about this call was ended: {error.get("message")} Nothing was done for this answer. Write '
                'another message to continue.'
            )

    async def _check_not_paused(self, run_id: str) -> None:
        """Check that no one has paused a run that asked: the request would be open until it continues.

        Raises:
            JournalError: It is paused.
        """
        if run_id in await self.journal.paused():
            raise JournalError(
                f'Run {run_id!r}, which asked about this call, is paused. Nothing was done, and the question is still open: '
                f'answer it after `journal.unpause({run_id!r})`, or `stead runs resume {run_id}`.'
            )

    async def _record(self, run_id: str) -> None:
        while True:
            info = await self._info(run_id)
            waiting = await self._waiting(run_id)
            if info.status != 'waiting' or not waiting:
                return  # it was decided before
            answers = self._answers(run_id, waiting[0].requests)
            if not answers.approvals and not answers.calls:
                return
            try:
                return await self.journal.answer(run_id, answers)
            except RunInUse:
                await asyncio.sleep(_PAUSE)  # someone answers at this moment

    async def _info(self, run_id: str) -> RunInfo:
        found = await self.journal.find(RunFilter(id_begins=run_id, limit=1))
        if not found or found[0].run_id != run_id:
            raise AnswerTooLateError(
                'The journal does not have the run that asked about this call: it has ended and was deleted, or it is in another '
                'journal. Nothing was done. Write another message to continue.'
            )
        return found[0]

    def _answers(self, run_id: str, requests: DeferredToolRequests) -> DeferredToolResults:
        """Return the answers to the calls that a run waits for, as it made them, and not as the interface sent them."""
        answers, questions = DeferredToolResults(), questions_in(requests)
        for call in requests.approvals:
            for shown in (call, shown_inside(run_id, call)):
                sent = shown.tool_call_id
                if sent not in self.results.approvals or not self.asker.was_asked(self.asker.asked[sent][1], shown):
                    continue
                if is_same_question(asked := self.asker.digest(shown, call), questions[call.tool_call_id]):
                    answers.approvals[call.tool_call_id] = self.results.approvals[sent]
                    answers.digests[call.tool_call_id] = asked
        for call in requests.calls:
            if (part := self.returns.get(call.tool_call_id)) is not None:
                answers.calls[call.tool_call_id] = part if is_retry(part) else part.content
        return answers

    async def events(self, agent: AbstractAgent[Any, Any], options: dict[str, Any]) -> AsyncIterator[NativeEvent]:
        """Record the answers, continue the run, and yield its events; or those that it had, if it was answered before.

        Args:
            agent: The agent.
            options: Options of the run; what is recorded of it takes their place.
        """
        recorded = await self.record()
        if recorded is not None:
            run_id, call_ids = recorded
            resume = {name: value for name, value in options.items() if name not in _OF_THE_RUN}
            async for event in self._resumed(agent, run_id, call_ids, resume):
                if isinstance(event, AgentRunResultEvent):
                    waits = isinstance(event.result.output, DeferredToolRequests)
                    for part in await self._results_inside(has_ended=not waits):
                        yield FunctionToolResultEvent(part)
                if not (self.prompts and isinstance(event, AgentRunResultEvent)):
                    yield event
            if not self.prompts:
                return
            history = [*(await self.journal.state(run_id)).messages, *self.prompts]
            options = {**options, 'message_history': history, 'deferred_tool_results': None}
        async with agent.run_stream_events(**options) as events:
            async for event in events:
                yield event

    async def _results_inside(self, *, has_ended: bool) -> list[ToolReturnPart | RetryPromptPart]:
        """Return the results of the calls inside of others that were decided about."""
        found: list[ToolReturnPart | RetryPromptPart] = []
        shown = [] if self.response is None else self.response.tool_calls
        for run_id in {self.asker.asked[call_id][0].run_id for call_id in self.results.approvals}:
            own = [
                call
                for call in shown
                if call.tool_call_id in self.results.approvals
                and self.asker.asked[call.tool_call_id][0].run_id == run_id
            ]
            messages = (await self.journal.state(run_id)).messages
            found += answers_inside(run_id, messages, own, has_ended=has_ended)
        return found

    async def _resumed(
        self, agent: AbstractAgent[Any, Any], run_id: str, call_ids: set[str], options: dict[str, Any]
    ) -> AsyncIterator[NativeEvent]:
        while True:
            messages = (await self.journal.state(run_id)).messages
            place = _place_of(messages, call_ids)
            if place is None and messages and isinstance(messages[-1], ModelResponse) and messages[-1].tool_calls:
                place = len(messages) - 1  # a tool of a call there makes the call that was decided about
            try:
                async with self.journal.resume_stream_events(agent, run_id, **options) as events:
                    for event in _events(messages[place + 1 :]) if place is not None else ():
                        yield event
                    is_shown = place == len(messages) - 1  # the interface has the response, which comes again
                    async for event in cast('AsyncIterator[NativeEvent]', events):
                        is_shown = is_shown and isinstance(event, RESPONSE_EVENTS)
                        if not is_shown:
                            yield event
                return
            except RunInUse:  # another request with the same answer lets it continue
                async for _ in self.journal.events(run_id, pause=_PAUSE, until_abandoned=True):
                    pass
                await asyncio.sleep(_PAUSE)


def _place_of(messages: Sequence[ModelMessage], call_ids: AbstractSet[str]) -> int | None:
    """Return where the response is that has calls."""
    for place in range(len(messages) - 1, -1, -1):
        message = messages[place]
        if isinstance(message, ModelResponse) and any(call.tool_call_id in call_ids for call in message.tool_calls):
            return place
    return None


def _events(messages: Sequence[ModelMessage]) -> list[NativeEvent]:
    events: list[NativeEvent] = []
    last = messages[-1] if messages else None
    for message in messages:
        if isinstance(message, ModelRequest):
            parts = [part for part in message.parts if isinstance(part, (ToolReturnPart, RetryPromptPart))]
            events += [FunctionToolResultEvent(part) for part in parts if part.tool_name is not None]
        elif message is not last:  # the last one comes when the run is resumed
            for index, part in enumerate(message.parts):
                events += [PartStartEvent(index=index, part=part), PartEndEvent(index=index, part=part)]
    return events


def _after_the_last_response(
    messages: Sequence[ModelMessage],
) -> tuple[dict[str, ToolReturnPart | RetryPromptPart], list[ModelMessage], ModelResponse | None]:
    """Return what calls of the last response returned, by call id, the prompts after it, and the response."""
    returns: dict[str, ToolReturnPart | RetryPromptPart] = {}
    prompts: list[ModelMessage] = []
    for message in reversed(messages):
        if isinstance(message, ModelResponse):
            return returns, prompts, message
        for part in message.parts:
            if isinstance(part, (ToolReturnPart, RetryPromptPart)) and part.tool_name is not None:
                returns[part.tool_call_id] = part
        parts = [part for part in message.parts if isinstance(part, UserPromptPart)]
        if parts:
            prompts.insert(0, replace(message, parts=parts))
    return returns, prompts, None
