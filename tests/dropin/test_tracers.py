"""What libraries that trace agents do to the objects that they wrap."""

from __future__ import annotations

import asyncio
import weakref
from typing import Any

import pytest

from stead import Agent
from stead._aliased.functions import await_maybe
from stead.models.test import TestModel


def test_what_iter_returns_takes_attributes_and_weak_references(monkeypatch: pytest.MonkeyPatch) -> None:
    original, seen = Agent.iter, list[Any]()

    def traced(self: Agent[Any, Any], *args: Any, **options: Any) -> Any:
        scope: Any = original(self, *args, **options)
        scope._span = 'a span'
        seen.append(weakref.ref(scope))
        return scope

    monkeypatch.setattr(Agent, 'iter', traced)
    assert Agent(TestModel()).run_sync('hi').output == 'success (no tool calls)'
    assert len(seen) == 1


def test_a_result_that_may_be_awaited() -> None:
    async def answer() -> str:
        return 'an answer'

    async def both() -> list[str]:
        return [await await_maybe(answer()), await await_maybe('a text')]

    assert asyncio.run(both()) == ['an answer', 'a text']
