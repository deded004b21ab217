"""`PendingMessage`: messages in the queue of a run, until they can be delivered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from .._kit.ids import uuid7_str
from ..exceptions import UserError
from ..messages import ModelMessage, messages_from_content

PendingMessagePriority = Literal['asap', 'when_idle']
"""When an enqueued message is delivered: at the next model request, or only when the run would otherwise end."""


@dataclass
class PendingMessage:
    """Queued messages, and when to deliver them."""

    messages: Sequence[ModelMessage]
    """The messages; the last one is a request."""
    priority: PendingMessagePriority = 'asap'
    """When to deliver them."""
    call_id: str | None = field(default=None, repr=False, compare=False)
    """The call whose tool has enqueued them; `None` if none has."""
    enqueue_id: str = field(default_factory=uuid7_str, repr=False, compare=False)
    """What they are called in the queue."""

    @classmethod
    def from_content(
        cls, *content: object, priority: PendingMessagePriority = 'asap', call_id: str | None = None
    ) -> PendingMessage:
        """Build messages from prompt content, request parts and whole messages.

        Args:
            content: Adjacent prompt content becomes one user prompt; adjacent parts become one request; whole
                messages are kept as they are.
            priority: When to deliver the messages.
            call_id: The call whose tool enqueues them.

        Raises:
            UserError: The sequence does not end in a request, so the model would have nothing to answer.
        """
        return cls(messages=messages_from_content(*content), priority=priority, call_id=call_id)


def _place(queue: Sequence[PendingMessage] | None, enqueue_id: str) -> int | None:
    if queue is None:
        raise UserError(
            'There is no queue of messages: this RunContext does not belong to a running agent. '
            'Use the context that a tool or hook of a run receives.'
        )
    return next((place for place, item in enumerate(queue) if item.enqueue_id == enqueue_id), None)


def taken_out(queue: list[PendingMessage] | None, enqueue_id: str) -> bool:
    """Take messages out of a queue, and return whether they were in it.

    Raises:
        UserError: There is no queue.
    """
    place = _place(queue, enqueue_id)
    if queue is not None and place is not None:
        del queue[place]
    return place is not None


def moved(queue: list[PendingMessage] | None, enqueue_id: str, priority: PendingMessagePriority) -> bool:
    """Deliver messages of a queue at another time, and return whether they were in it.

    Raises:
        UserError: There is no queue, or no such priority.
    """
    if priority not in get_args(PendingMessagePriority):
        raise UserError(f'The priority of messages is one of {get_args(PendingMessagePriority)}, not {priority!r}.')
    place = _place(queue, enqueue_id)
    if queue is not None and place is not None:
        queue[place] = replace(queue[place], priority=priority)
    return place is not None
