"""`Questions`: what a run asks people, kept apart from what happened in it.

A question is about a call of the model, or about a call that a tool wants to make. The state of the run has the decisions; the
questions are here. `requests` returns the open ones, for `journal.waiting`, `journal.answer` and tickets.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from .._calls.answers import own_kind
from .._kit.json_types import JsonObject
from ..messages import ModelMessage, ModelResponse, ToolCallPart
from ..tools import DeferredToolRequests, DeferredToolResults, ToolApproved, ToolDenied
from ._call import AskedCall, CallPlace
from ._redact import touches

_NO_DECISIONS = DeferredToolResults()


@dataclass(slots=True)
class Questions:
    """The calls that wait, or waited, in one step of a run."""

    decided: dict[str, Any] = field(default_factory=lambda: {})
    """Calls of the history that waited and were decided about, with the arguments that they were given in place of theirs."""
    redacted: set[str] = field(default_factory=lambda: set())
    """Calls of the history whose arguments were redacted."""
    waiting: JsonObject | None = None
    """The calls that wait, if the run does: `calls` and `approvals` have ids, `metadata` has what tools say of them."""
    asked: dict[CallPlace, AskedCall] = field(default_factory=lambda: {})
    """Calls that tools would make themselves, and that were asked about."""
    first_ids: dict[str, str] = field(default_factory=lambda: {})
    """The ids that calls of the last response had when they came, by those that they got when they waited."""
    overrides: dict[str, tuple[Any, bool]] = field(default_factory=lambda: {})
    """Arguments that people have put in place of those of the model, and whether they were redacted, by call id."""
    again: set[str] = field(default_factory=lambda: set())
    """Calls that waited for a run inside of them, which can continue now."""
    redacted_decisions: set[str] = field(default_factory=lambda: set())
    """Calls that were approved with arguments which were redacted."""

    @property
    def metadata(self) -> dict[str, JsonObject]:
        """What tools say of the calls that wait."""
        return (self.waiting or {}).get('metadata') or {}

    def kinds(self, call_ids: Iterable[str]) -> dict[str, Literal['external', 'question']]:
        """Return which of some calls are questions, in the form of `DeferredToolRequests`."""
        questions = (self.waiting or {}).get('questions', ())
        return {call_id: 'question' for call_id in call_ids if call_id in questions}

    @property
    def ids(self) -> list[str]:
        """The ids of the calls that wait."""
        return [*self.waiting['calls'], *self.waiting['approvals']] if self.waiting is not None else []

    def id_now(self, first_id: str) -> str:
        """Return the id that a call of the last response has now."""
        return next((now for now, first in self.first_ids.items() if first == first_id), first_id)

    def note_ids(self, before: Sequence[str], now: Sequence[str]) -> None:
        """Note the first ids of calls that have got others."""
        for old, new in zip(before, now):
            if old != new:
                self.first_ids[new] = self.first_ids.pop(old, old)

    # What is open

    def undecided(self, decisions: DeferredToolResults | None) -> list[str]:
        """Return the ids of the calls that wait, and that nothing was decided about."""
        decisions = decisions or _NO_DECISIONS
        decided = decisions.calls.keys() | decisions.approvals.keys() | self.again
        asking = {self.id_now(place[0]) for place, asked in self.asked.items() if not _is_decided(asked, decisions)}
        # A call that waits for calls of its own tool continues when these are decided.
        decided |= {call_id for call_id, data in self.metadata.items() if own_kind(data) == 'call'} - asking
        return [
            call_id for call_id in self.ids if call_id not in decided or (call_id in asking and call_id in self.again)
        ]

    def approvals(self, decisions: DeferredToolResults | None) -> dict[str, JsonObject | None]:
        """Return what tools say of the calls that wait for the approval which these tools need, by call id."""
        if self.waiting is None:
            return {}
        undecided, metadata = set(self.undecided(decisions)), self.metadata
        return {
            call_id: metadata.get(call_id)
            for call_id in self.waiting['approvals']
            if call_id in undecided and own_kind(metadata.get(call_id)) not in ('reconcile', 'redacted')
        }

    def asking(self, decisions: DeferredToolResults | None) -> dict[CallPlace, AskedCall]:
        """Return the calls that tools of calls that wait would make themselves, and that nothing was decided about."""
        waiting = set(self.undecided(decisions))
        return {
            place: asked
            for place, asked in self.asked.items()
            if self.id_now(place[0]) in waiting and not _is_decided(asked, decisions)
        }

    def asked_with(self, decisions: DeferredToolResults | None) -> dict[CallPlace, AskedCall]:
        """Return the calls that tools would make themselves, with what was decided about them."""
        return {
            place: replace(asked, decisions=decisions) if _is_decided(asked, decisions) else asked
            for place, asked in self.asked.items()
        }

    def requests(
        self, decisions: DeferredToolResults | None, messages: Sequence[ModelMessage]
    ) -> DeferredToolRequests | None:
        """Return the calls that a run waits for, without those of tools that wait for a run; `None` if there are none."""
        last = next((message for message in reversed(messages) if isinstance(message, ModelResponse)), None)
        if self.waiting is None or last is None:
            return None
        metadata = self.metadata
        wanted = {
            call_id for call_id in self.undecided(decisions) if own_kind(metadata.get(call_id)) not in ('run', 'call')
        }
        by_id = {call.tool_call_id: call for call in last.tool_calls}
        requests = DeferredToolRequests(
            calls=[by_id[call_id] for call_id in self.waiting['calls'] if call_id in wanted],
            approvals=[by_id[call_id] for call_id in self.waiting['approvals'] if call_id in wanted],
            metadata={call_id: data for call_id, data in metadata.items() if call_id in wanted},
            _kinds=(kinds := self.kinds(wanted)),
        )
        definitions: JsonObject = self.waiting.get('definitions') or {}  # as in the requests that the run ended with
        vars(requests)['definitions'] = {call_id: one for call_id, one in definitions.items() if call_id in wanted}
        for asked in self.asking(decisions).values():
            if asked.is_question:
                kinds[asked.call.tool_call_id] = 'question'
            (requests.approvals if asked.needs_approval else requests.calls).append(asked.call)
            if asked.metadata is not None:
                requests.metadata[asked.call.tool_call_id] = asked.metadata
        return requests if requests.calls or requests.approvals else None

    def lacks_arguments(self, call_id: str, decision: object) -> bool:
        """Return whether a decision would let a call run whose arguments were redacted, without giving it others."""
        if isinstance(decision, ToolApproved) and decision.override_args is not None:
            return call_id in self.redacted_decisions
        return call_id in self.redacted and decision is not False and not isinstance(decision, ToolDenied)

    def reconciled(self, decisions: DeferredToolResults | None) -> set[str]:
        """Return the calls in doubt that a person has declared done."""
        decided = decisions.calls if decisions is not None else ()
        return {call_id for call_id in decided if self.is_in_doubt(call_id)}

    def is_in_doubt(self, call_id: str) -> bool:
        """Return whether a call waits since it is not known whether it was done."""
        return own_kind(self.metadata.get(call_id)) == 'reconcile'

    # What happens to them

    def clear(self) -> None:
        """Forget the calls of a response, as the next request has their answers."""
        self.waiting = None
        for known in (self.asked, self.first_ids, self.overrides):
            known.clear()

    def ask(self, waiting: JsonObject, decisions: DeferredToolResults | None) -> None:
        """Let calls wait; what was decided about them before no longer counts."""
        self.waiting = waiting
        self.again.clear()
        for call_id in self.ids:
            before = decisions.approvals.get(call_id) if decisions is not None else None
            if isinstance(before, ToolApproved) and before.override_args is not None:
                self.overrides[call_id] = before.override_args, call_id in self.redacted_decisions
            self.redacted_decisions.discard(call_id)

    def decide(self, results: DeferredToolResults, redacted: Iterable[str], again: Iterable[str]) -> None:
        """Take decisions. A plain approval gets the arguments that the call was approved with before.

        Args:
            results: The decisions, which are changed so.
            redacted: Those whose arguments were redacted.
            again: Calls that can continue, since the runs inside of them can.
        """
        self.redacted_decisions -= results.approvals.keys()
        self.redacted_decisions.update(redacted)
        for call_id, approval in results.approvals.items():
            is_plain = approval is True or (isinstance(approval, ToolApproved) and approval.override_args is None)
            if is_plain and call_id in self.overrides:  # the call to be made again is the one that was approved first
                arguments, is_redacted = self.overrides[call_id]
                results.approvals[call_id] = ToolApproved(override_args=arguments)
                if is_redacted:
                    self.redacted_decisions.add(call_id)
        for call_id in (*results.calls, *results.approvals):
            self.decided[call_id] = getattr(results.approvals.get(call_id), 'override_args', None)
        self.again.update(self.id_now(call_id) for call_id in again)

    def note_redacted(self, paths: Sequence[Sequence[str | int]], name: str, messages: Sequence[ModelMessage]) -> None:
        """Note calls of messages whose arguments were redacted: they must not be made with others than the model gave them.

        Args:
            paths: What was redacted in a record.
            name: Where the messages stand in the record.
            messages: The messages.
        """
        for place, message in enumerate(messages):
            for index, part in enumerate(message.parts):
                if isinstance(part, ToolCallPart) and touches(paths, [name, place, 'message', 'parts', index, 'args']):
                    self.redacted.add(part.tool_call_id)


def _is_decided(asked: AskedCall, decisions: DeferredToolResults | None) -> bool:
    call_id = asked.call.tool_call_id
    return decisions is not None and (call_id in decisions.calls or call_id in decisions.approvals)
