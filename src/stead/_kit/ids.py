"""Ids, times and digests of data."""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Callable
from datetime import datetime, timezone
from types import ModuleType
from typing import Any, Protocol

# Not a source of secrets: these ids only have to be unique, and `random` is many times faster than `os.urandom`.
_random = random.Random(int.from_bytes(os.urandom(32), 'big'))
_UTC = timezone.utc

if hasattr(os, 'register_at_fork'):  # a child process must not generate the same ids as its parent

    def _reseed() -> None:
        _random.seed(int.from_bytes(os.urandom(32), 'big'))

    os.register_at_fork(after_in_child=_reseed)


class Source(Protocol):
    """Where ids and the time come from in code that is run again, and has to get the same ones each time."""

    def now(self) -> datetime:
        """Return the time in UTC."""
        ...

    def getrandbits(self, k: int, /) -> int:
        """Return a number of `k` random bits."""
        ...


_finders: tuple[Callable[[], Source | None], ...] = ()


def use_source(find: Callable[[], Source | None]) -> None:
    """Ask a function for the source of ids and of the time from now on; it returns `None` where it has none."""
    global _finders
    _finders = (*_finders, find)


def _source() -> Source | None:
    for find in _finders:
        if (source := find()) is not None:
            return source
    return None


def now_utc() -> datetime:
    """Return the current time in UTC."""
    if _finders and (source := _source()) is not None:
        return source.now()
    return datetime.now(_UTC)


def generate_tool_call_id() -> str:
    """Return an id for a tool call from a model that does not send ids."""
    source = _source() if _finders else None
    return f'pyd_ai_{(source or _random).getrandbits(128):032x}'


def guard_tool_call_id(part: Any) -> str:
    """Return the id of a tool call part, or a new one if it has none."""
    return part.tool_call_id or generate_tool_call_id()


def uuid7_str() -> str:
    """Return a new UUID, version 7: ids sort by the time of their creation (RFC 9562)."""
    source = _source() if _finders else None
    nanoseconds = time.time_ns() if source is None else int(source.now().timestamp() * 1e9)
    random_bits = (source or _random).getrandbits
    milliseconds = nanoseconds // 1_000_000 & (1 << 48) - 1
    bits = milliseconds << 80 | 0x7 << 76 | random_bits(12) << 64 | 0b10 << 62 | random_bits(62)
    text = f'{bits:032x}'
    return f'{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}'


def digest(*values: object) -> str:
    """Return a digest of values that does not depend on how their JSON is written, such as the order of keys."""
    return _hashlib().sha256(canonical_json(values).encode()).hexdigest()


def short_hash(data: str | bytes) -> str:
    """Return six hexadecimal digits that identify content in a prompt."""
    return _hashlib().sha1(data.encode() if isinstance(data, str) else data, usedforsecurity=False).hexdigest()[:6]


def id_of_names(names: list[str]) -> str:
    """Return 16 hexadecimal digits that are the same for the same names in the same order."""
    return _hashlib().blake2s(chr(0).join(names).encode(), digest_size=8).hexdigest()


def _hashlib() -> ModuleType:
    import hashlib  # loads a library of 4 MB, and few runs need a digest

    return hashlib


def canonical_json(value: object) -> str:
    """Return JSON that is the same for the same data only: `1`, `1.0` and `true` differ, the order of keys does not."""
    return json.dumps(value, sort_keys=True, default=str)
