"""Long histories cost no more than their length."""

from __future__ import annotations

import sys
from typing import Any

from stead._loop.history import merge_neighbours
from stead.messages import ModelRequest, UserPromptPart


def work_for(count: int) -> int:
    """Return how many functions are called to merge so many requests."""
    history = [ModelRequest(parts=[UserPromptPart('q')]) for _ in range(count)]
    calls = 0

    def note(frame: Any, event: str, arg: Any) -> None:
        nonlocal calls
        calls += event in ('call', 'c_call')

    sys.setprofile(note)
    try:
        [merged] = merge_neighbours(history)
    finally:
        sys.setprofile(None)
    assert len(merged.parts) == count
    return calls


def test_merging_a_long_history_is_linear() -> None:
    assert work_for(2000) < 2.5 * work_for(1000)
