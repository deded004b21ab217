"""The numbers of messages: their places in the whole conversation. `recall` takes them, and people see them.

A request may have fewer messages than the conversation, since neighbours of one kind are merged, and messages whose long results
were replaced are other objects. Parts are recognized in them: by identity, or by the id of their call.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...messages import ModelMessage


def call_id(part: object) -> str | None:
    """Return the id of the call that a part is, or answers; `None` for other parts."""
    return getattr(part, 'tool_call_id', None)


def number_of(messages: Sequence[ModelMessage], index: int, history: Sequence[ModelMessage]) -> int:
    """Return the number of a message of a request.

    Args:
        messages: The messages of the request.
        index: Where it is among them.
        history: All messages.
    """
    if len(messages) == len(history) or not messages[index].parts:
        return index
    parts = messages[index].parts
    known = {id(part) for part in parts}
    calls = {call_id(part) for part in parts} - {None}
    for number in range(index, len(history)):
        if any(id(one) in known or call_id(one) in calls for one in history[number].parts):
            return number
    return index


def index_of(messages: Sequence[ModelMessage], number: int, history: Sequence[ModelMessage]) -> int | None:
    """Return where the message with a number is in a request; `None` if it is not the first part of any."""
    if len(messages) == len(history):
        return number if number < len(messages) else None
    return next(
        (i for i in range(min(number, len(messages) - 1), -1, -1) if number_of(messages, i, history) == number), None
    )
