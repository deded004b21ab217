"""Stores of conversations: a history is a chain of entries, and a conversation a record that says where its chain ends.

Entries never change. A conversation whose earlier messages are edited, or that goes back to an earlier message, gets another
chain beside the old one, whose end becomes a branch of the record; a fork shares the chain. So saving what was added writes
that alone, and nothing that was said is lost while its record is there.

Every write names the revision that it was made from: of two programs that save the same conversation, the second is refused.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

from ._kit.ids import now_utc, uuid7_str
from .conversation import Conversation
from .exceptions import UserError
from .messages import DeferredToolRequests, ModelMessage
from .run import AgentRunResult
from .usage import RunUsage


@dataclass(frozen=True, kw_only=True)
class ConversationEntry:
    """A message of a history, and the one before it."""

    id: str = field(default_factory=uuid7_str)
    """Its id, which no other entry of the store has."""
    parent_id: str | None
    """The id of the entry before it; `None` for the first."""
    message: ModelMessage
    """The message."""
    kind: Literal['message'] = 'message'
    """What the entry holds."""


@dataclass(kw_only=True)
class ConversationRecord:
    """A conversation without its messages."""

    conversation_id: str
    """The id of the conversation."""
    head_id: str | None
    """The id of its last entry; `None` if nothing was said."""
    usage: RunUsage = field(default_factory=RunUsage)
    """What all its runs have used."""
    deferred_tool_requests: DeferredToolRequests | None = None
    """The calls that it waits for."""
    scope: str | None = None
    """The user, or tenant, that it belongs to; `None` if it belongs to no one."""
    forked_from: str | None = None
    """The conversation that it was forked from."""
    forked_at: str | None = None
    """The id of the entry that it was forked at."""
    branches: list[str] = field(default_factory=lambda: [])
    """The ids of the last entries of histories that it left."""
    revision: str = field(default_factory=uuid7_str)
    """Changes with each write."""
    updated_at: datetime = field(default_factory=now_utc)
    """When it was last written."""
    format_version: Literal[1] = 1
    """The version of this form."""


class ConversationConflict(UserError):
    """A conversation is not as it was when it was loaded: another program has saved or deleted it.

    Args:
        conversation_id: The id of the conversation.
    """

    def __init__(self, conversation_id: str):
        self.conversation_id = conversation_id
        super().__init__(
            f'Conversation {conversation_id!r} was saved or deleted since it was loaded, or there already is one of this id. '
            'Load it again, and save what you add to that.'
        )


class ConversationStore(ABC):
    """Keeps conversations. Subclass it, with the five methods that read and write, to keep them elsewhere.

    With a `scope`, a method sees the conversations of that scope alone: others are as if they did not exist. Without one it sees
    all, so a program that serves several users passes one with every call.
    """

    # What a subclass writes

    @abstractmethod
    async def read_record(self, conversation_id: str) -> ConversationRecord | None:
        """Return a record, which the caller may change; `None` if there is none."""
        raise NotImplementedError

    @abstractmethod
    async def read_records(self, *, scope: str | None = None, limit: int | None = None) -> Sequence[ConversationRecord]:
        """Return records, those written last first.

        Args:
            scope: Only those of this scope; `None` for all.
            limit: How many at most; `None` for all.
        """
        raise NotImplementedError

    @abstractmethod
    async def read_entry(self, entry_id: str) -> ConversationEntry:
        """Return an entry.

        Raises:
            KeyError: There is none of this id.
        """
        raise NotImplementedError

    @abstractmethod
    async def write_record(
        self,
        record: ConversationRecord,
        *,
        new_entries: Sequence[ConversationEntry] = (),
        expected_revision: str | None,
    ) -> None:
        """Write a record and the entries that it needs, as one step.

        Args:
            record: The record.
            new_entries: Entries that the store does not have yet.
            expected_revision: The revision that the store has now; `None` if it must not have the conversation.

        Raises:
            ConversationConflict: It has another revision.
        """
        raise NotImplementedError

    @abstractmethod
    async def delete_record(self, conversation_id: str, *, expected_revision: str) -> None:
        """Delete a record. Entries may stay: forks may need them.

        Raises:
            ConversationConflict: The store has another revision.
        """
        raise NotImplementedError

    async def read_history(self, head_id: str | None, *, limit: int | None = None) -> list[ConversationEntry]:
        """Return the entries up to one, the oldest first. Override it where one question finds them all.

        Args:
            head_id: The last entry; `None` returns none.
            limit: How many of the last ones; `None` for all.

        Raises:
            KeyError: There is no such entry.
        """
        entries: list[ConversationEntry] = []
        while head_id is not None and (limit is None or len(entries) < limit):
            entries.append(entry := await self.read_entry(head_id))
            head_id = entry.parent_id
        return entries[::-1]

    # What programs call

    async def load(
        self, conversation_id: str, *, limit: int | None = None, scope: str | None = None
    ) -> Conversation | None:
        """Return a conversation, or `None` if there is none.

        Args:
            conversation_id: Its id.
            limit: How many of its last messages; `None` for all. What is added to them is saved behind the others.
            scope: Its scope.

        Raises:
            UserError: `limit` is negative.
        """
        _check_limit(limit)
        record = await self._record(conversation_id, scope)
        return None if record is None else _loaded(record, await self.read_history(record.head_id, limit=limit))

    async def load_entries(
        self, conversation_id: str, *, limit: int | None = None, scope: str | None = None
    ) -> list[ConversationEntry] | None:
        """Return the entries of a conversation, the oldest first; arguments and errors as for `load`."""
        _check_limit(limit)
        record = await self._record(conversation_id, scope)
        return None if record is None else await self.read_history(record.head_id, limit=limit)

    async def list_conversations(
        self, *, scope: str | None = None, limit: int | None = None
    ) -> list[ConversationRecord]:
        """Return the records of conversations, those written last first; arguments and errors as for `load`."""
        _check_limit(limit)
        return list(await self.read_records(scope=scope, limit=limit))

    async def save(
        self, conversation: Conversation | AgentRunResult[Any], *, scope: str | None = None
    ) -> list[ConversationEntry]:
        """Store a conversation, and note in it that it is stored, so that it can be continued and saved again.

        Args:
            conversation: The conversation, or the result of a run.
            scope: The scope that a new one belongs to; one that exists keeps its own.

        Returns:
            The entries that were added.

        Raises:
            ConversationConflict: It was saved or deleted since it was loaded, or belongs to another scope.
        """
        one = conversation if isinstance(conversation, Conversation) else conversation.conversation
        record = await self.read_record(one.conversation_id)
        self._check(one.conversation_id, record, one.revision, scope)
        if record is None:
            record = ConversationRecord(conversation_id=one.conversation_id, head_id=None, scope=scope)
        head, branches = record.head_id, record.branches
        known = await self.read_history(head, limit=one.new_message_index)
        pairs = zip(known, one.messages)
        kept = next(
            (number for number, (entry, message) in enumerate(pairs) if entry.message != message),
            min(len(known), len(one.messages)),
        )
        if kept < len(known):
            head, branches = known[kept].parent_id, [*branches, *([head] if head is not None else [])]
        added: list[ConversationEntry] = []
        for message in one.messages[kept:]:
            added.append(ConversationEntry(parent_id=head, message=message))
            head = added[-1].id
        written = _written(record, head, branches, one.deferred_tool_requests)
        written.usage = one.usage
        await self.write_record(written, new_entries=added, expected_revision=one.revision)
        one.revision, one.new_message_index = written.revision, len(one.messages)
        return added

    async def fork(
        self,
        conversation_id: str,
        *,
        at: int | None = None,
        from_entry: str | None = None,
        new_conversation_id: str | None = None,
        scope: str | None = None,
        source_scope: str | None = None,
    ) -> Conversation:
        """Return another conversation that begins as one does.

        Args:
            conversation_id: The conversation.
            at: How many of its messages the other one has; all by default.
            from_entry: The last entry of the other one, which may be of a history that the conversation left.
            new_conversation_id: The id of the other one; a new one by default.
            scope: The scope of the other one.
            source_scope: The scope of the conversation.

        Raises:
            UserError: There is no such conversation or place in it, or both places were passed.
            ConversationConflict: There already is a conversation of the new id.
        """
        if at is not None and from_entry is not None:
            raise _one_place()
        record = await self._record(conversation_id, source_scope)
        if record is None:
            raise _not_stored(conversation_id)
        entries = await self._up_to(record, at, from_entry)
        head = entries[-1].id if entries else None
        is_whole = head == record.head_id
        forked = ConversationRecord(
            conversation_id=new_conversation_id or uuid7_str(),
            head_id=head,
            usage=RunUsage() + record.usage if is_whole else RunUsage(),
            deferred_tool_requests=record.deferred_tool_requests if is_whole else None,
            scope=scope,
            forked_from=conversation_id,
            forked_at=head,
        )
        await self.write_record(forked, expected_revision=None)
        return _loaded(forked, entries)

    async def branch(
        self,
        conversation_id: str,
        *,
        at: int | None = None,
        from_entry: str | None = None,
        expected_revision: str | None,
        scope: str | None = None,
    ) -> Conversation:
        """Let a conversation continue from another place. What it leaves stays stored as a branch.

        Args:
            conversation_id: The conversation.
            at: How many of its messages it keeps.
            from_entry: The entry it continues from, which may be of a history that it left.
            expected_revision: Its revision.
            scope: Its scope.

        Raises:
            UserError: There is no such conversation or place in it, or not exactly one place was passed.
            ConversationConflict: It has another revision.
        """
        if (at is None) == (from_entry is None):
            raise _one_place()
        record = await self._record(conversation_id, scope)
        if record is None:
            raise _not_stored(conversation_id)
        self._check(conversation_id, record, expected_revision, scope)
        entries = await self._up_to(record, at, from_entry)
        head = entries[-1].id if entries else None
        within = {entry.id for entry in entries}
        left = [*record.branches, *([record.head_id] if record.head_id is not None else [])]
        branches = [entry_id for entry_id in dict.fromkeys(left) if entry_id not in within]
        waiting = record.deferred_tool_requests if head == record.head_id else None
        written = _written(record, head, branches, waiting)
        await self.write_record(written, expected_revision=record.revision)
        return _loaded(written, entries)

    async def delete(self, conversation_id: str, *, scope: str | None = None) -> None:
        """Delete a conversation, if there is one. Forks of it stay.

        Raises:
            ConversationConflict: It was saved meanwhile.
        """
        record = await self._record(conversation_id, scope)
        if record is not None:
            await self.delete_record(conversation_id, expected_revision=record.revision)

    async def _record(self, conversation_id: str, scope: str | None) -> ConversationRecord | None:
        record = await self.read_record(conversation_id)
        return record if record is not None and scope in (None, record.scope) else None

    @staticmethod
    def _check(
        conversation_id: str, record: ConversationRecord | None, revision: str | None, scope: str | None
    ) -> None:
        """Check that a conversation may be written."""
        if (record.revision if record is not None else None) != revision:
            raise ConversationConflict(conversation_id)
        if record is not None and scope not in (None, record.scope):
            raise ConversationConflict(conversation_id)

    async def _up_to(
        self, record: ConversationRecord, at: int | None, from_entry: str | None
    ) -> list[ConversationEntry]:
        """Return the entries of a conversation up to a place."""
        entries = await self.read_history(record.head_id)
        if from_entry is None:
            if at is not None and not 0 <= at <= len(entries):
                raise UserError(
                    f'`at` must be from 0 to {len(entries)}, the number of messages of conversation '
                    f'{record.conversation_id!r}; it is {at}.'
                )
            return entries[:at]
        for head in (None, *record.branches):
            history = entries if head is None else await self.read_history(head)
            for number, entry in enumerate(history, 1):
                if entry.id == from_entry:
                    return history[:number]
        raise UserError(
            f'Entry {from_entry!r} is in no history of conversation {record.conversation_id!r}, also in none that it left.'
        )


def _written(
    record: ConversationRecord, head: str | None, branches: list[str], waiting: DeferredToolRequests | None
) -> ConversationRecord:
    """Return a record with another head, as it is written next."""
    return replace(
        record,
        head_id=head,
        branches=branches,
        deferred_tool_requests=waiting,
        revision=uuid7_str(),
        updated_at=now_utc(),
    )


def _loaded(record: ConversationRecord, entries: Sequence[ConversationEntry]) -> Conversation:
    return Conversation(
        messages=[entry.message for entry in entries],
        usage=record.usage,
        conversation_id=record.conversation_id,
        deferred_tool_requests=record.deferred_tool_requests,
        revision=record.revision,
        new_message_index=len(entries),
    )


def _check_limit(limit: int | None) -> None:
    if limit is not None and limit < 0:
        raise UserError(f'`limit` is a number of 0 or more, or `None` for all; not {limit}.')


def _one_place() -> UserError:
    return UserError(
        'A place in a conversation is either `at`, a number of messages, or `from_entry`, the id of an entry.'
    )


def _not_stored(conversation_id: str) -> UserError:
    return UserError(f'There is no conversation {conversation_id!r} in the store, or it belongs to another scope.')


class InMemoryConversationStore(ConversationStore):
    """Keeps conversations in the memory of this process, as copies of its own."""

    def __init__(self) -> None:
        """Build an empty store."""
        self._records: dict[str, ConversationRecord] = {}
        self._entries: dict[str, ConversationEntry] = {}

    async def read_record(self, conversation_id: str) -> ConversationRecord | None:
        """Return a record; see `ConversationStore.read_record`."""
        return deepcopy(self._records.get(conversation_id))

    async def read_records(self, *, scope: str | None = None, limit: int | None = None) -> Sequence[ConversationRecord]:
        """Return records; see `ConversationStore.read_records`."""
        found = [record for record in reversed(self._records.values()) if scope in (None, record.scope)]
        return deepcopy(found[:limit])

    async def read_entry(self, entry_id: str) -> ConversationEntry:
        """Return an entry; see `ConversationStore.read_entry`."""
        return deepcopy(self._entries[entry_id])

    async def write_record(
        self,
        record: ConversationRecord,
        *,
        new_entries: Sequence[ConversationEntry] = (),
        expected_revision: str | None,
    ) -> None:
        """Write a record and entries; see `ConversationStore.write_record`."""
        kept = self._records.get(record.conversation_id)
        if (kept.revision if kept is not None else None) != expected_revision:
            raise ConversationConflict(record.conversation_id)
        entries, written = deepcopy(list(new_entries)), deepcopy(record)
        self._entries.update({entry.id: entry for entry in entries})
        self._records.pop(record.conversation_id, None)  # so that the last written is the last one
        self._records[record.conversation_id] = written

    async def delete_record(self, conversation_id: str, *, expected_revision: str) -> None:
        """Delete a record, and the entries that no other conversation needs.

        Raises:
            ConversationConflict: The store has another revision.
        """
        kept = self._records.get(conversation_id)
        if kept is None or kept.revision != expected_revision:
            raise ConversationConflict(conversation_id)
        del self._records[conversation_id]
        needed: set[str] = set()
        for record in self._records.values():
            for entry_id in (record.head_id, *record.branches):
                while entry_id is not None and entry_id not in needed:
                    needed.add(entry_id)
                    entry_id = self._entries[entry_id].parent_id
        for entry_id in self._entries.keys() - needed:
            del self._entries[entry_id]


__all__ = (
    'ConversationConflict',
    'ConversationEntry',
    'ConversationRecord',
    'ConversationStore',
    'InMemoryConversationStore',
)
