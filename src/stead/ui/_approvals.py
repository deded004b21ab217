"""Approvals from an interface. An approval counts only if the server asked for it.

The interface keeps the conversation. It could invent a call that no model made, and approve it. So the id of the
question is signed: it holds for one call with its arguments.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import TypeVar

from .._contracts.deferred import digest_of
from ..messages import BaseToolReturnPart, ModelMessage, ModelResponse, RetryPromptPart, ToolCallPart
from ..tools import DeferredToolResults

_PartT = TypeVar('_PartT')


@cache
def _own_key() -> bytes:
    return secrets.token_bytes(32)


def _key() -> bytes:
    shared = os.environ.get('STEAD_APPROVAL_KEY')
    return shared.encode() if shared else _own_key()


def approval_id(call: ToolCallPart) -> str:
    """Return the id of the question whether a call may be made."""
    content = json.dumps(
        [call.tool_call_id, call.tool_name, _as_sent(call.args_as_dict())], sort_keys=True, default=str
    )
    return hmac.new(_key(), content.encode('utf-8', 'replace'), hashlib.sha256).hexdigest()[:40]


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


def was_asked(id: str, call: ToolCallPart) -> bool:
    """Return whether an id is that of the question whether this call may be made."""
    return hmac.compare_digest(id.encode('utf-8', 'replace'), approval_id(call).encode())


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
    approvals = {id: decision for id, decision in results.approvals.items() if id in there and there[id] == digests[id]}
    return replace(results, digests=digests), messages, DeferredToolResults(calls=results.calls, approvals=approvals)


def _trusted(part: _PartT, known: dict[str, ToolCallPart]) -> _PartT | ToolCallPart:
    """Return the trusted call, if a part is that call."""
    call = known.get(part.tool_call_id) if isinstance(part, ToolCallPart) else None
    return part if call is None or approval_id(call) != approval_id(part) else call  # type: ignore[reportArgumentType]


def _as_sent(value: object) -> object:
    """Return a value as it comes back from a browser, which has one kind of numbers."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {str(key): _as_sent(item) for key, item in value.items()}  # type: ignore[reportUnknownVariableType]
    return [_as_sent(item) for item in value] if isinstance(value, list) else value  # type: ignore[reportUnknownVariableType]
