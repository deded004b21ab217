"""Ids and the time: everything in a run that must be unique or new."""

from __future__ import annotations

import random
import time
from datetime import datetime, timezone
from typing import Any
from uuid import UUID

# Not a source of secrets: these ids only have to be unique, and `random` is many times faster than `os.urandom`.
_random = random.Random(random.SystemRandom().getrandbits(128))
_UTC = timezone.utc


def now_utc() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(_UTC)


def generate_tool_call_id() -> str:
    """Return an id for a tool call of a model that sends none."""
    return f'pyd_ai_{_random.getrandbits(128):032x}'


def guard_tool_call_id(part: Any) -> str:
    """Return the id of a tool call part, or a new one if it has none."""
    return part.tool_call_id or generate_tool_call_id()


def uuid7_str() -> str:
    """Return a new UUID, version 7: ids sort by the time they were made (RFC 9562)."""
    milliseconds = time.time_ns() // 1_000_000
    bits = (milliseconds & (1 << 48) - 1) << 80 | 0x7 << 76 | _random.getrandbits(12) << 64
    return str(UUID(int=bits | 0b10 << 62 | _random.getrandbits(62)))
