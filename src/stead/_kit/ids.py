"""Ids and the current time."""

from __future__ import annotations

import os
import random
import time
from datetime import datetime, timezone
from typing import Any

# Not a source of secrets: these ids only have to be unique, and `random` is many times faster than `os.urandom`.
_random = random.Random(int.from_bytes(os.urandom(32), 'big'))
_UTC = timezone.utc

if hasattr(os, 'register_at_fork'):  # a child process must not generate the same ids as its parent

    def _reseed() -> None:
        _random.seed(int.from_bytes(os.urandom(32), 'big'))

    os.register_at_fork(after_in_child=_reseed)


def now_utc() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(_UTC)


def generate_tool_call_id() -> str:
    """Return an id for a tool call from a model that does not send ids."""
    return f'pyd_ai_{_random.getrandbits(128):032x}'


def guard_tool_call_id(part: Any) -> str:
    """Return the id of a tool call part, or a new one if it has none."""
    return part.tool_call_id or generate_tool_call_id()


def uuid7_str() -> str:
    """Return a new UUID, version 7: ids sort by the time of their creation (RFC 9562)."""
    milliseconds = time.time_ns() // 1_000_000 & (1 << 48) - 1
    bits = milliseconds << 80 | 0x7 << 76 | _random.getrandbits(12) << 64 | 0b10 << 62 | _random.getrandbits(62)
    text = f'{bits:032x}'
    return f'{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}'
