"""What a run has to know of the history that it begins with, looked at once however often the history is continued.

Four facts are needed: whether every call is answered, where the system prompts are, whether two neighbours are of the same kind,
and the conversation. Each is read from all messages, which would make the runs of a long conversation slower and slower. So
what was found for a history is remembered with its last message, and a history that begins with those very messages is only
looked at from there on.

Messages are recognized by identity; those that hold calls, results or system prompts also by the parts they hold now. A message
that was a plain prompt or answer is taken for what it was: to change one, pass a new message.

A memory lives as long as the message that it belongs to. It holds the messages before that one, which the history with that
message mostly holds too; short histories are not remembered, and of the others those that were used last.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any

from ..messages import ModelMessage
from .repair import Soundness
from .state import LatePrompts

SHORTEST = 64
"""How many messages a history has that is remembered; a shorter one is quick to look at."""
MOST = 32
"""How many histories are remembered."""
FARTHEST = 128
"""How many messages may follow a history that is remembered."""


@dataclass(slots=True)
class HistoryFacts:
    """What is known of the messages of a history, which may become more."""

    length: int = 0
    """How many messages were looked at."""
    soundness: Soundness = field(default_factory=Soundness)
    """Whether every call is answered, and the messages that are more than a single prompt or text."""
    late_prompts: LatePrompts = field(default_factory=LatePrompts)
    """Whether system prompts stand in a request after the first one."""
    has_neighbours: bool = False
    """Whether two requests or two responses follow each other."""
    last_kind: str = ''
    conversation_id: str | None = None
    """The id in the newest message that has one."""
    named_at: int = -1
    """The place of that message."""

    def update(self, messages: Sequence[ModelMessage]) -> None:
        """Look at the messages that are new.

        Raises:
            UserError: An item is not a message, or a part is in a message of the wrong kind.
        """
        self.soundness.update(messages, self.length)
        self.late_prompts.update(messages)
        kind = self.last_kind
        for index in range(self.length, len(messages)):
            message = messages[index]
            if message.kind == kind:
                self.has_neighbours = True
            kind = message.kind
            if message.conversation_id is not None:
                self.conversation_id, self.named_at = message.conversation_id, index
        self.length, self.last_kind = len(messages), kind

    def is_named_in(self, messages: Sequence[ModelMessage]) -> bool:
        """Return whether the message that has the id of the conversation still has it."""
        return self.named_at < 0 or messages[self.named_at].conversation_id == self.conversation_id

    def __copy__(self) -> HistoryFacts:
        return HistoryFacts(
            self.length,
            copy(self.soundness),
            copy(self.late_prompts),
            self.has_neighbours,
            self.last_kind,
            self.conversation_id,
            self.named_at,
        )


@dataclass
class _Memory:
    """What is known of one history."""

    last: weakref.ref[Any]
    """The last message of the history."""
    before: list[ModelMessage]
    """The other messages."""
    special: int
    """How many messages are special, with the last one."""
    outlines: list[list[Any]]
    """Their parts."""
    facts: HistoryFacts

    def recalled(self, history: Sequence[ModelMessage], last: ModelMessage) -> HistoryFacts | None:
        """Return a copy of what is known of a history, up to its last message; `None` if it is no longer the same."""
        try:
            if self.last() is not last or self.before != history:
                return None
        except Exception:  # where messages are not the same objects, their content is compared, which may be anything
            return None
        facts = copy(self.facts)
        special = facts.soundness.special
        if len(special) < self.special:
            special.append(last)
        return facts if _outlines(special) == self.outlines else None


class SeenHistories:
    """Histories that runs have started with; used by several threads at once."""

    def __init__(self) -> None:
        self._memories: dict[int, _Memory] = {}
        """By the id of the last message; those that were used last are at the end."""
        self._lock = threading.Lock()

    def facts_of(self, history: Sequence[ModelMessage]) -> HistoryFacts:
        """Return what is known of a history, after a look at what is new of it; the result belongs to the caller.

        Raises:
            UserError: An item is not a message, or a part is in a message of the wrong kind.
        """
        is_long = len(history) >= SHORTEST
        facts = (self._find(history) if is_long else None) or HistoryFacts()
        if facts.length < len(history):
            facts.update(history)
            if is_long:
                self._remember(history, facts)
        return facts

    def _find(self, history: Sequence[ModelMessage]) -> HistoryFacts | None:
        """Return what is known of the longest beginning of a history that was seen before."""
        memories = self._memories
        for index in range(len(history) - 1, max(SHORTEST - 2, len(history) - 1 - FARTHEST), -1) if memories else ():
            last = history[index]
            memory = memories.get(id(last))
            if memory is None or len(memory.before) != index:
                continue
            facts = memory.recalled(history[:index], last)
            if facts is not None and facts.is_named_in(history):
                self._keep(id(last), memory)
                return facts
        return None

    def _keep(self, key: int, memory: _Memory) -> None:
        with self._lock:
            self._memories.pop(key, None)
            self._memories[key] = memory
            for oldest in list(self._memories)[:-MOST]:  # a list, because messages may go at any moment
                self._memories.pop(oldest, None)

    def _remember(self, history: Sequence[ModelMessage], facts: HistoryFacts) -> None:
        last, key, memories = history[-1], id(history[-1]), self._memories

        def forget(gone: object) -> None:  # without the lock, which the thread may hold in which this happens
            memory = memories.get(key)
            if memory is not None and memory.last is gone:
                memories.pop(key, None)

        facts = copy(facts)
        special = facts.soundness.special
        count, outlines = len(special), _outlines(special)
        if special and special[-1] is last:  # it is not to be kept alive
            special.pop()
        self._keep(key, _Memory(weakref.ref(last, forget), list(history[:-1]), count, outlines, facts))


def _outlines(messages: Sequence[ModelMessage]) -> list[list[Any]]:
    return [list(message.parts) for message in messages]


SEEN = SeenHistories()
"""The histories that all runs of the process share."""
