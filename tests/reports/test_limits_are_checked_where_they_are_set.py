"""A limit at which nothing could ever happen is refused where it is set."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from stead import Agent, ConcurrencyLimit, FunctionToolset, Tool, ToolOutput
from stead.concurrency import ConcurrencyLimiter
from stead.exceptions import UserError
from stead.models.test import TestModel


def double(n: int) -> int:
    return 2 * n


WRONG: list[Callable[[], Any]] = [
    lambda: Tool(double, max_retries=-1),
    lambda: Tool(double, timeout=0),
    lambda: Tool(double, timeout=-1),
    lambda: FunctionToolset([double], timeout=0),
    lambda: Agent(TestModel(), tool_timeout=0),
    lambda: Agent(TestModel(), retries=-1),
    lambda: Agent(TestModel(), max_concurrency=0),
    lambda: ToolOutput(int, max_retries=-1),
    lambda: ConcurrencyLimit(0),
    lambda: ConcurrencyLimit(1, max_queued=-1),
    lambda: ConcurrencyLimiter(0),
    lambda: ConcurrencyLimiter(1, max_queued=-1),
]


@pytest.mark.parametrize('number', range(len(WRONG)))
def test_a_limit_that_allows_nothing_is_refused(number: int) -> None:
    with pytest.raises((UserError, ValueError), match=r'must be'):
        WRONG[number]()


def test_limits_that_allow_something_are_taken() -> None:
    assert Tool(double, timeout=0.1, max_retries=0).timeout == 0.1
    assert ConcurrencyLimiter(1, max_queued=0).max_running == 1
