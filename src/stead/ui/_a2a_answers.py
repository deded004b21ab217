"""Questions about calls that wait, in messages of A2A, and their answers.

The protocol says that a task may need input (`input-required`), and leaves open what that is. A question is data with the calls
that wait: `approvals` and `calls`, each with an `id`. The answer is data with the same names: `{"approvals": {ID: true}}`, or
`{"calls": {ID: RESULT}}`. The id of an approval is signed, as in the other protocols.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from typing_extensions import Self

from .._calls.answers import own_kind
from .._kit.json_types import JsonObject
from .._kit.records import is_str_dict
from .._kit.sdk_types import SdkObject
from .._kit.shown_arguments import question_about
from ..agent import AbstractAgent, AgentRunResult
from ..journal import Journal
from ..messages import ModelMessage, ToolCallPart, is_same_question, questions_in
from ..tools import DeferredToolApprovalResult, DeferredToolRequests, DeferredToolResults, ToolDenied
from ._approvals import AnswerTooLateError, Asker, once, question_of, waiting_calls
from ._inner import asked_about, shown_inside

HOW = 'Answer with data in this conversation: {"approvals": {ID: true or false}, "calls": {ID: RESULT}}.'
NOT_WAITING = 'Nothing waits for this answer: its calls were decided about, or the conversation continued without them.'


async def question(
    result: AgentRunResult[Any], asker: Asker, journal: Journal[Any] | None
) -> tuple[str, JsonObject] | None:
    """Return the question that a run ended with, as a text for people and as data; `None` if it has an output."""
    output: object = result.output
    if not isinstance(output, DeferredToolRequests):
        return None
    asked = await asked_about(result, journal)
    approvals = [
        {
            'id': asker.question(one.call, one.run_id, one.definition),
            'tool': one.call.tool_name,
            'args': one.call.args_as_dict(),
            'message': question_about(one.call),
        }
        for one in asked
    ]
    inside = {id for id, about in output.metadata.items() if own_kind(about) in ('run', 'call')}
    calls = [
        {'id': call.tool_call_id, 'tool': call.tool_name, 'args': call.args_as_dict()}
        for call in output.calls
        if call.tool_call_id not in inside
    ]
    text = ' '.join(
        [*(str(one['message']) for one in approvals), *(f'`{one["tool"]}` waits for a result.' for one in calls)]
    )
    return text, {'approvals': approvals, 'calls': calls}


@dataclass
class ClientAnswer:
    """The answer of a client to questions."""

    approvals: Mapping[str, Any]
    """Decisions, by the ids of the questions."""
    calls: Mapping[str, Any]
    """Results, by call id."""

    @classmethod
    def among(cls, parts: Sequence[SdkObject]) -> Self | None:
        """Return the answer in the parts of messages; `None` otherwise."""
        found = [part['data'] for part in parts if 'data' in part]
        if len(found) != 1 or not is_str_dict(found[0]) or not found[0].keys() <= {'approvals', 'calls'}:
            return None
        groups = [found[0].get(name, {}) for name in ('approvals', 'calls')]
        if not any(groups) or not all(is_str_dict(group) for group in groups):
            return None
        return cls(*cast('list[JsonObject]', groups))

    async def continued(
        self,
        agent: AbstractAgent[Any, Any],
        asker: Asker,
        journal: Journal[Any] | None,
        history: Sequence[ModelMessage],
        options: Mapping[str, Any],
    ) -> AgentRunResult[Any]:
        """Continue the run that asked, or, without a journal, its history, and return the result.

        Args:
            agent: The agent.
            asker: What knows the questions.
            journal: What records the runs of the agent, if anything does.
            history: The messages of the conversation.
            options: Options of the run.

        Raises:
            AnswerTooLateError: Nothing waits for the answer.
        """
        run_id = history[-1].run_id if history else None
        if journal is None or run_id is None:
            return await self._continued_history(agent, asker, history, options)
        is_answered = False
        for one in await journal.waiting(inside=run_id):
            results, questions = DeferredToolResults(), questions_in(one.requests)
            for call in one.requests.approvals:
                for shown in (call, shown_inside(one.run.run_id, call)):
                    if (decision := self._decision(asker, shown)) is None:
                        continue
                    if is_same_question(asked := asker.digest(shown, call), questions[call.tool_call_id]):
                        results.approvals[call.tool_call_id] = decision
                        results.digests[call.tool_call_id] = asked
            if one.run.run_id == run_id:
                own = [call.tool_call_id for call in one.requests.calls]
                results.calls.update({id: self.calls[id] for id in own if id in self.calls})
            if results.approvals or results.calls:
                await journal.answer(one.run.run_id, results)
                is_answered = True
        if not is_answered:
            raise AnswerTooLateError(NOT_WAITING)
        return await journal.resume(agent, run_id, **options)

    async def _continued_history(
        self, agent: AbstractAgent[Any, Any], asker: Asker, history: Sequence[ModelMessage], options: Mapping[str, Any]
    ) -> AgentRunResult[Any]:
        waiting = waiting_calls(history)
        approvals = {
            id: decision for id, call in waiting.items() if (decision := self._decision(asker, call)) is not None
        }
        calls = {id: value for id, value in self.calls.items() if id in waiting}
        results = once(asker, DeferredToolResults(approvals=approvals, calls=calls), history)
        if results is None:
            raise AnswerTooLateError(NOT_WAITING)
        return await agent.run(message_history=history, deferred_tool_results=results, **options)

    def _decision(self, asker: Asker, call: ToolCallPart) -> DeferredToolApprovalResult | bool | None:
        """Return what was decided about a call; `None` if nothing was, or the question is not one of this server."""
        for id, answer in self.approvals.items():
            about = question_of(id)
            if about is None or about.call_id != call.tool_call_id or not asker.was_asked(id, call):
                continue
            value: object = answer
            reason: object = None
            if is_str_dict(answer):
                value, reason = answer.get('approved'), answer.get('reason')
            if value is True:
                return True
            return ToolDenied(reason) if isinstance(reason, str) and reason else False
        return None
