"""Approvals from an interface. An approval counts only if the server asked for it, and once.

The interface keeps the conversation. It could invent a call that no model made, and approve it. So the id of the
question is signed: it holds for one call with its arguments, of one run and conversation, for the agent that asked.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from functools import cache
from typing import Any, NamedTuple, TypeVar
from weakref import WeakKeyDictionary

from .._kit.short import short_repr
from .._kit.well_formed import arguments_that_run
from ..exceptions import UserError
from ..messages import (
    BaseToolReturnPart,
    ModelMessage,
    ModelResponse,
    RetryPromptPart,
    ToolCallPart,
    UserPromptPart,
    digest_of,
    question_digest,
    warn_of_request,
)
from ..tools import DeferredToolResults

_PartT = TypeVar('_PartT')

SECONDS = 86_400
"""How long an approval counts after its question, in seconds, unless a journal knows whether the call was decided about."""
_MOST_REMEMBERED = 10_000
"""How many decided questions a process remembers: the last ones."""
_SHORTEST_KEY = 16


class AnswerTooLateError(ValueError):
    """An answer came too late: its call was decided about before, or asked about long ago. Nothing is done."""

    __module__ = 'stead.ui.a2a'  # where it is imported from, as a traceback shows it


@cache
def _own_key() -> bytes:
    return secrets.token_bytes(32)


def _key() -> bytes:
    shared = os.environ.get('STEAD_APPROVAL_KEY', '').encode('utf-8', 'surrogateescape')
    if not shared:
        return _own_key()
    if len(shared) < _SHORTEST_KEY:
        raise UserError(
            f'STEAD_APPROVAL_KEY has {len(shared)} bytes, and needs at least {_SHORTEST_KEY}: anyone could guess it, and approve '
            'calls. Make one with `python -c "import secrets; print(secrets.token_hex(32))"`.'
        )
    return shared


class Question(NamedTuple):
    """What the id of a question says of the call that was asked about."""

    run_id: str
    """The run that asked; empty if it is not known."""
    call_id: str
    """The call."""
    asked_at: int
    """When, in seconds since 1970."""
    definition: str
    """The digest of the definition of its tool; empty if it is not known."""
    is_bound: bool
    """Whether it holds for one conversation only."""


_nameless: WeakKeyDictionary[Any, str] = WeakKeyDictionary()


def audience_of(agent: Any) -> str:
    """Return the audience for the questions of an agent without one of its own: the users of the agent of this name.

    One without a name is known by its object.
    """
    while (wrapped := getattr(agent, 'wrapped', None)) is not None and getattr(agent, 'name', None) is None:
        agent = wrapped
    # A name may be taken from a variable later, so what it was at first holds.
    if agent not in _nameless and (name := getattr(agent, 'name', None)):
        return str(name)
    own = _nameless.setdefault(agent, secrets.token_hex(16))
    return '' if os.environ.get('STEAD_APPROVAL_KEY') else own  # other processes have objects of their own


@dataclass
class Asker:
    """Asks about calls, and knows its questions again."""

    audience: str = ''
    """Whom the questions are for."""
    conversation: str = ''
    """The conversation."""
    takes_any: bool = True
    """Whether a question counts, too, that was not asked for anyone in particular."""
    asked: dict[str, tuple[Question, str]] = field(default_factory=dict[str, tuple[Question, str]])
    """The questions that were answered, with their ids, by call id."""

    def question(self, call: ToolCallPart, run_id: str | None = None, definition: str = '') -> str:
        """Return the id of the question whether a call may be made."""
        about = Question(run_id or '', call.tool_call_id, int(time.time()), definition, bool(self.conversation))
        text = urlsafe_b64encode(json.dumps(about).encode()).rstrip(b'=').decode()
        return f'{text}.{_signature(about, call, self.audience, self.conversation)}'

    def was_asked(self, id: str, call: ToolCallPart) -> bool:
        """Return whether an id is that of the question whether this call may be made; if so, it is noted."""
        about = question_of(id)
        if about is None or about.call_id != call.tool_call_id:
            return False
        conversation = self.conversation if about.is_bound else ''
        mine, sent = id.rpartition('.')[2].encode('utf-8', 'replace'), list[bool]()
        for audience in {self.audience, ''} if self.takes_any else {self.audience}:
            sent.append(hmac.compare_digest(mine, _signature(about, call, audience, conversation).encode()))
        if any(sent):
            self.asked[call.tool_call_id] = about, id
        return any(sent)

    def digest(self, shown: ToolCallPart, call: ToolCallPart) -> str:
        """Return the digest of the question about a call that was answered, whose id may be another where it was shown."""
        return question_digest(call, self.asked[shown.tool_call_id][0].definition)


def question_of(id: str) -> Question | None:
    """Return what an id says, before its signature is looked at; `None` if it is not that of a question."""
    text, _, signature = id.rpartition('.')
    if not text or not signature:
        return None
    try:
        about = Question(*json.loads(urlsafe_b64decode(text.encode() + b'=' * (-len(text) % 4))))
    except (ValueError, TypeError, RecursionError):
        return None
    kinds = (str, str, int, str, bool)
    return about if all(type(value) is kind for value, kind in zip(about, kinds)) else None


def _signature(about: Question, call: ToolCallPart, audience: str, conversation: str) -> str:
    content = json.dumps([*about, audience, conversation, _content(call)])
    return hmac.new(_key(), content.encode('utf-8', 'replace'), hashlib.sha256).hexdigest()[:40]


_decided: dict[str, float] = {}
"""When questions were answered in this process, in seconds since 1970; the last ones."""


def _place(about: Question, call: ToolCallPart, asker: Asker) -> str:
    """Return what a question is remembered by: however often it was asked, it is answered once."""
    what = json.dumps([about.run_id or asker.conversation, _content(call)])
    return hashlib.sha256(what.encode('utf-8', 'replace')).hexdigest()


def once(asker: Asker, results: DeferredToolResults, messages: Sequence[ModelMessage]) -> DeferredToolResults | None:
    """Return the answers of a request that count, and remember them: each question is answered once in this process.

    Args:
        asker: What knows the questions.
        results: The answers.
        messages: The history whose last response has the calls.

    Raises:
        AnswerTooLateError: All were answered before, and there is no prompt.
    """
    waiting, now = waiting_calls(messages), time.time()
    left, error, digests = dict(results.approvals), None, dict(results.digests)
    for call_id in [one for one in results.approvals if one in asker.asked and one in waiting]:
        about, call = asker.asked[call_id][0], waiting[call_id]
        if about.asked_at + SECONDS < now:
            error = _too_late(call, f'was asked about {SECONDS // 3600} hours ago or longer')
        elif (before := _decided.setdefault(_place(about, call, asker), now)) is not now:
            error = _too_late(
                call, f'was decided about at {datetime.fromtimestamp(before, timezone.utc):%Y-%m-%d %H:%M:%S} UTC'
            )
        else:
            if about.definition and call_id not in digests:
                digests[call_id] = asker.digest(call, call)
            continue
        del left[call_id]
    while len(_decided) > _MOST_REMEMBERED:
        _decided.pop(next(iter(_decided)), None)
    if error is not None:
        if not left and not has_prompt(messages):
            raise error
        warn_of_request(f'An approval in the request was left out. {error}')
    return replace(results, approvals=left, digests=digests) if left or results.calls else None


def has_prompt(messages: Sequence[ModelMessage]) -> bool:
    """Return whether there is a prompt after the last response."""
    for message in reversed(messages):
        if isinstance(message, ModelResponse):
            return False
        if any(isinstance(part, UserPromptPart) for part in message.parts):
            return True
    return False


def _too_late(call: ToolCallPart, why: str) -> AnswerTooLateError:
    return AnswerTooLateError(
        f'The call {short_repr(call.tool_call_id, 80)} of {short_repr(call.tool_name, 80)} {why}, and an answer counts once. '
        'Nothing was done now. Write another message to continue.'
    )


def waiting_calls(history: Sequence[ModelMessage]) -> dict[str, ToolCallPart]:
    """Return the calls of the last response that have no result, by their ids.

    Calls that share an id are left out: decisions are kept by it, so that one about the first would hold for the other.
    """
    done: set[str] = set()
    for message in reversed(history):
        if isinstance(message, ModelResponse):
            calls = [part for part in message.parts if isinstance(part, ToolCallPart)]
            times = Counter(call.tool_call_id for call in calls)
            return {id: call for call in calls if (id := call.tool_call_id) not in done and times[id] == 1}
        done.update(
            part.tool_call_id for part in message.parts if isinstance(part, (BaseToolReturnPart, RetryPromptPart))
        )
    return {}


def decisions_of_server(
    results: DeferredToolResults, trusted: Sequence[ModelMessage], sent: Sequence[ModelMessage]
) -> tuple[DeferredToolResults, list[ModelMessage], DeferredToolResults]:
    """Bind decisions of the server to the calls that it knows: anyone can send another call with the same id.

    Args:
        results: The decisions.
        trusted: The history that the server has kept.
        sent: The messages of the request.

    Returns:
        The decisions, with digests of the calls in the trusted history; the messages, where a call that comes back from a
        browser is the trusted one again; and the decisions that may be about calls of these messages: results, which run
        nothing, and approvals of the calls that the server knows.
    """
    known = {id: call for id, call in waiting_calls(trusted).items() if id in results.approvals}
    digests = {**{id: digest_of(call) for id, call in known.items()}, **results.digests}
    messages = [
        replace(message, parts=[_trusted(part, known) for part in message.parts])
        if isinstance(message, ModelResponse)
        else message
        for message in sent
    ]
    there = {id: digest_of(call) for id, call in waiting_calls(messages).items() if id in digests}
    approvals = {
        id: decision
        for id, decision in results.approvals.items()
        if id in there and there[id] == digests[id].partition('+')[0]
    }
    return replace(results, digests=digests), messages, DeferredToolResults(calls=results.calls, approvals=approvals)


def _trusted(part: _PartT, known: dict[str, ToolCallPart]) -> _PartT | ToolCallPart:
    """Return the trusted call, if a part is that call."""
    call = known.get(part.tool_call_id) if isinstance(part, ToolCallPart) else None
    if call is None or not isinstance(part, ToolCallPart):
        return part
    return call if is_same_call(part, call) else part


def is_same_call(call: ToolCallPart, other: ToolCallPart) -> bool:
    """Return whether two calls are the same; a browser may have written one of them."""
    return _content(call) == _content(other)


def _content(call: ToolCallPart) -> str:
    """Return what a call is, however a browser writes it."""
    return json.dumps(
        [call.tool_call_id, call.tool_name, _as_sent(arguments_that_run(call))], sort_keys=True, default=str
    )


def _as_sent(value: object) -> object:
    """Return a value as it comes back from a browser, which has one kind of numbers."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {str(key): _as_sent(item) for key, item in value.items()}  # type: ignore[reportUnknownVariableType]
    return [_as_sent(item) for item in value] if isinstance(value, list) else value  # type: ignore[reportUnknownVariableType]
