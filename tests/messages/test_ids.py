"""Ids and the time."""

from __future__ import annotations

import os
import re
import sys
import time
import uuid
from datetime import timezone
from types import SimpleNamespace

import pytest

from stead._kit.ids import generate_tool_call_id, guard_tool_call_id, now_utc, uuid7_str


def test_ids_of_calls_have_the_shape_that_programs_read() -> None:
    ids = {generate_tool_call_id() for _ in range(1000)}
    assert len(ids) == 1000
    assert all(re.fullmatch(r'pyd_ai_[0-9a-f]{32}', id_) for id_ in ids)


def test_missing_ids_are_made() -> None:
    assert guard_tool_call_id(SimpleNamespace(tool_call_id='mine')) == 'mine'
    assert guard_tool_call_id(SimpleNamespace(tool_call_id='')).startswith('pyd_ai_')


def test_uuids_are_of_version_7_and_sort_by_time() -> None:
    before = time.time_ns() // 1_000_000
    first = uuid7_str()
    time.sleep(0.002)
    second = uuid7_str()
    parsed = uuid.UUID(first)
    assert (parsed.version, parsed.variant, str(parsed)) == (7, uuid.RFC_4122, first)
    assert first < second
    assert before <= parsed.int >> 80 <= time.time_ns() // 1_000_000
    assert len({uuid7_str() for _ in range(1000)}) == 1000


def test_the_time_has_a_zone() -> None:
    assert now_utc().tzinfo is timezone.utc


@pytest.mark.skipif(
    not hasattr(os, 'fork') or sys.version_info >= (3, 12), reason='forking with threads warns since 3.12'
)
def test_a_forked_child_makes_other_ids() -> None:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, generate_tool_call_id().encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reading, 100).decode() != generate_tool_call_id()
    os.close(reading)
    os.close(writing)
