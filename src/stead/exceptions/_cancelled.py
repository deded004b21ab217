"""The errors of runs that were cancelled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, ClassVar

from ._base import AgentRunError, run_record


class RunCancelled(AgentRunError):
    """A run was cancelled by its `CancellationToken`, or by `ctx.cancel()`.

    Args:
        message: Why the run was cancelled.
        messages: The history of the run until then.
        new_message_index: The index of the first message of this run in it.
        usage: The `RunUsage` until then.
        metadata: The metadata of the run.
        run_id: The id of the run.
        conversation_id: The id of the conversation that the run belongs to.
        reason: What was said when it was cancelled, as with `ctx.cancel('the customer hung up')`; added to the message.
    """

    metadata: dict[str, Any] | None = None

    write_messages: ClassVar[list[Callable[[list[Any]], bytes]]] = []
    """What writes messages as JSON; the module that defines them puts it here."""

    def __init__(
        self,
        message: str,
        *,
        messages: Sequence[Any] = (),
        new_message_index: int = 0,
        usage: Any = None,
        metadata: dict[str, Any] | None = None,
        run_id: str | None = None,
        conversation_id: str | None = None,
        reason: str | None = None,
    ):
        super().__init__(f'{message.rstrip(".")}: {reason}' if reason else message)
        self.reason = reason
        self.messages: Sequence[Any] = list(messages)
        self.usage = usage
        self.metadata = metadata
        self.run_id = run_id
        self.conversation_id = conversation_id
        self._new_message_index = new_message_index

    def all_messages(self) -> list[Any]:
        """Return the messages of the run until it was cancelled, with the history that it began with."""
        return list(self.messages)

    def all_messages_json(self) -> bytes:
        """Return all messages as JSON."""
        return self._as_json(self.all_messages())

    def new_messages(self) -> list[Any]:
        """Return the messages of the run until it was cancelled, without the history that it began with."""
        return list(self.messages[self._new_message_index :])

    def new_messages_json(self) -> bytes:
        """Return the new messages as JSON."""
        return self._as_json(self.new_messages())

    def _as_json(self, messages: list[Any]) -> bytes:
        return self.write_messages[0](messages) if messages else b'[]'

    @property
    def response(self) -> Any:
        """The last `ModelResponse`; `ValueError` if there is none."""
        for message in reversed(self.messages):
            if message.kind == 'response':
                return message
        raise ValueError('The run was cancelled before it had a response.')

    @property
    def timestamp(self) -> datetime:
        """When the last response was created; `ValueError` if there is none."""
        return self.response.timestamp

    @classmethod
    def from_cancellation(cls, exc: BaseException) -> RunCancelled | None:
        """Return what is known of the run that a `CancelledError` ended; `None` if it ended no run.

        Args:
            exc: The error that a cancelled task raised.
        """
        if isinstance(exc, RunCancelled):
            return exc
        record = run_record(exc)
        if record is None:
            return None
        new = (index for index, message in enumerate(record.messages) if message.run_id == record.run_id)
        return cls(
            'The agent run was cancelled by an external asyncio cancellation.',
            messages=record.messages,
            new_message_index=next(new, len(record.messages)),
            usage=record.usage,
            run_id=record.run_id,
            conversation_id=record.conversation_id,
        )


class RunTimedOut(RunCancelled, TimeoutError):
    """A run took longer than its `timeout`."""
