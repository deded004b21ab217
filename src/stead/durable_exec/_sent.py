"""Notes of messages that workers have got: the next payload has only new ones.

A history grows with each step, and a step needs all of it. `Outbox` notes what workers have got, and sends the messages after
that, with a digest of those before. `Inbox` keeps what came on the side of the worker, as far as there is room. A worker that
lacks something (another one took the step, or it was started again) answers with how much it has, and gets the rest. That answer
is an outcome like any other, so a run that is executed again sends the same.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from pydantic_core import from_json, to_json

MOST_KEPT = 64 * 2**20
"""Bytes that a worker keeps of all runs together."""
SHORTEST_KEPT = 100
"""Values of fewer bytes are sent each time: a digest would not be much shorter."""
ALWAYS_SENT = 'context'
"""The value that says which run a step belongs to: it is read before what came earlier for that run can be looked up."""


def _chained(before: str, message: bytes) -> str:
    return sha256(before.encode() + message).hexdigest()[:20]


def chain_of(messages: Sequence[bytes]) -> list[str]:
    """Return, for each message, a digest of it and of all those before."""
    chain: list[str] = []
    for message in messages:
        chain.append(_chained(chain[-1] if chain else '', message))
    return chain


@dataclass
class Outbox:
    """What the workers of one run have got."""

    chain: list[str] = field(default_factory=lambda: [])
    """Digests of the messages."""
    values: set[str] = field(default_factory=lambda: set())
    """Digests of other values."""

    def pack(self, messages: Sequence[bytes], values: Mapping[str, bytes], *, lacking: Any = None) -> bytes:
        """Return what has to be sent, as JSON.

        Args:
            messages: The messages of the request, none for other steps.
            values: The other values, as JSON by name.
            lacking: The answer of a worker that lacked something; `None` at the first try.
        """
        chain = chain_of(messages)
        have = 0
        if lacking is not None:
            have = int(lacking['have'])
            if have > len(chain) or (have and chain[have - 1] != lacking['at']):
                have = 0
        else:
            while have < min(len(chain), len(self.chain)) and chain[have] == self.chain[have]:
                have += 1
        packed: list[bytes] = []
        known: dict[str, str] = {}
        for name, value in values.items():
            digest = sha256(value).hexdigest()[:20]
            if name != ALWAYS_SENT and digest in self.values and lacking is None:
                known[name] = digest
            else:
                packed.append(to_json(name) + b':' + value)
        # Digests have a place of their own: among the values, arguments that a model wrote could pass for one.
        head = to_json({'have': have, 'at': chain[have - 1] if have else '', 'known': known})
        return head[:-1] + b',"messages":[' + b','.join(messages[have:]) + b'],"values":{' + b','.join(packed) + b'}}'

    def note(self, messages: Sequence[bytes], values: Mapping[str, bytes], response: bytes | None) -> None:
        """Note what a worker has now, the response that it sent back among it."""
        if messages:
            self.chain = chain_of([*messages, response] if response is not None else messages)
        self.values.update(
            sha256(value).hexdigest()[:20]
            for name, value in values.items()
            if name != ALWAYS_SENT and len(value) >= SHORTEST_KEPT
        )


class Lacking(Exception):
    """A worker does not have what was sent to it, or to another one, before."""

    def __init__(self, have: int, at: str) -> None:
        super().__init__(f'{have} messages are here')
        self.answer = to_json({'lacking': {'have': have, 'at': at}})


@dataclass
class _KeptRun:
    messages: list[bytes] = field(default_factory=lambda: [])
    chain: list[str] = field(default_factory=lambda: [])
    values: dict[str, bytes] = field(default_factory=lambda: {})
    size: int = 0


class Inbox:
    """What a worker has got of the runs that it works for; the oldest are forgotten when there is too much."""

    def __init__(self, most: int = MOST_KEPT) -> None:
        self.most = most
        self._size = 0
        self._runs: OrderedDict[str, _KeptRun] = OrderedDict()
        self._lock = threading.Lock()

    def unpack(self, run: str, body: dict[str, Any]) -> tuple[list[bytes], dict[str, bytes]]:
        """Return messages and values as JSON.

        Args:
            run: What tells runs apart.
            body: What `Outbox.pack` returned, read from its JSON.

        Raises:
            Lacking: Something was sent before and is not here.
        """
        with self._lock:
            kept = self._runs.pop(run, None) or _KeptRun()
            self._runs[run] = kept
            self._size -= kept.size
            try:
                return self._unpacked(kept, body)
            finally:
                kept.size = sum(map(len, kept.messages)) + sum(map(len, kept.values.values()))
                self._size += kept.size
                while self._size > self.most and len(self._runs) > 1:
                    self._size -= self._runs.popitem(last=False)[1].size

    def _unpacked(self, kept: _KeptRun, body: dict[str, Any]) -> tuple[list[bytes], dict[str, bytes]]:
        values: dict[str, bytes] = {}
        lacks = False
        for name, value in body['values'].items():
            values[name] = written = to_json(value)
            if name != ALWAYS_SENT and len(written) >= SHORTEST_KEPT:
                kept.values[sha256(written).hexdigest()[:20]] = written
        for name, digest in body['known'].items():
            found = kept.values.get(digest)
            lacks = lacks or found is None
            values[name] = found or b'null'
        have, new = int(body['have']), [to_json(message) for message in body['messages']]
        if have and (have > len(kept.chain) or kept.chain[have - 1] != body['at']):
            lacks = True
        if lacks:
            raise Lacking(len(kept.chain), kept.chain[-1] if kept.chain else '')
        if not new and not have:
            return [], values
        kept.messages[have:] = new
        kept.chain[have:] = []
        for message in new:
            kept.chain.append(_chained(kept.chain[-1] if kept.chain else '', message))
        return list(kept.messages), values

    def note(self, run: str, response: bytes) -> None:
        """Keep a response that was sent back."""
        with self._lock:
            kept = self._runs.get(run)
            if kept is not None and kept.messages:
                kept.messages.append(response)
                kept.chain.append(_chained(kept.chain[-1], response))
                kept.size += len(response)
                self._size += len(response)


def read(data: bytes) -> dict[str, Any]:
    """Return the object that JSON holds."""
    return from_json(data)
