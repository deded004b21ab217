"""`PendingMessage`: messages in the queue of a run, until they can be delivered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

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
