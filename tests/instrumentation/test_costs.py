"""What spans cost, counted in calls of Python functions: figures of time depend on the machine."""

from __future__ import annotations

import asyncio
import dataclasses
import importlib.abc
import sys
from collections import Counter
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ALWAYS_ON, Sampler

from stead import Agent, UsageLimits
from stead.capabilities import Instrumentation
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from stead.models.function import AgentInfo, FunctionModel
from stead.models.instrumented import InstrumentationSettings

from ..counting import Calls
from ..parity.cases._otel import RecordedSpan
from .kit import recording

MOST: dict[str, tuple[Sampler, bool, float]] = {
    'recorded': (ALWAYS_ON, True, 94.0),
    'without content': (ALWAYS_ON, False, 89.0),
    'not recorded': (ALWAYS_OFF, True, 50.0),
}
"""Calls of stead's own functions that spans add to a step, by what is recorded."""
SLACK = 1.05


def calls_in(steps: int, settings: InstrumentationSettings | None) -> int:
    """Return how many of stead's functions a run calls."""

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        step = len(messages) // 2
        return ModelResponse([TextPart('done') if step >= steps else ToolCallPart('add', {'a': step, 'b': 1})])

    agent = Agent(FunctionModel(answer), capabilities=[Instrumentation(settings)] if settings else [])

    @agent.tool_plain
    async def add(a: int, b: int) -> int:
        return a + b

    async def run() -> int:
        limits = UsageLimits(request_limit=None)
        await agent.run('warm', usage_limits=limits)
        with Calls() as calls:
            await agent.run('go', usage_limits=limits)
        return calls.ours

    return asyncio.run(run())


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason='versions of Python differ in what they count as a call')
@pytest.mark.parametrize('case', MOST)
def test_spans_do_not_cost_more_calls_than_before(case: str) -> None:
    sampler, include_content, most = MOST[case]
    settings = InstrumentationSettings(tracer_provider=TracerProvider(sampler=sampler), include_content=include_content)
    with_spans = calls_in(120, settings) - calls_in(40, settings)
    without = calls_in(120, None) - calls_in(40, None)
    step = (with_spans - without) / 80
    assert step <= most * SLACK, step


def test_a_span_is_given_attributes_once_after_it_began(monkeypatch: pytest.MonkeyPatch) -> None:
    recorder, settings = recording()
    calls: Counter[int] = Counter()

    def set_attributes(span: RecordedSpan, attributes: dict[str, Any]) -> None:
        calls[id(span)] += 1
        span.attributes.update(attributes)

    monkeypatch.setattr(RecordedSpan, 'set_attributes', set_attributes)
    monkeypatch.setattr(RecordedSpan, 'set_attribute', lambda span, name, value: set_attributes(span, {name: value}))
    calls_in(3, settings)
    assert len(recorder.spans) == 2 * (1 + 4 + 3)
    assert {calls[id(span)] for span in recorder.spans} == {1}


class Absent(importlib.abc.MetaPathFinder):
    """Counts how often a package is looked for, which is not there."""

    looked = 0

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> None:
        if fullname == 'genai_prices':
            self.looked += 1
            raise ModuleNotFoundError(fullname, name=fullname)


def test_a_package_of_prices_that_is_not_there_is_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    absent: Any = Absent()
    for name in [name for name in sys.modules if name.partition('.')[0] == 'genai_prices']:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, 'meta_path', [absent, *sys.meta_path])
    calls_in(10, InstrumentationSettings(tracer_provider=TracerProvider()))
    assert absent.looked == 1


def test_a_model_without_a_price_is_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    data_snapshot = pytest.importorskip('genai_prices.data_snapshot')
    looked: list[str] = []

    def look(usage: object, name: str, **options: object) -> None:
        looked.append(name)
        raise LookupError(name)

    monkeypatch.setattr('genai_prices.calc_price', look)
    settings = InstrumentationSettings(tracer_provider=TracerProvider())
    calls_in(10, settings)
    assert len(looked) == 1
    table: Any = dataclasses.replace(data_snapshot.get_snapshot())  # as when prices are updated while the program runs
    data_snapshot.set_custom_snapshot(table)
    try:
        calls_in(10, settings)
    finally:
        data_snapshot.set_custom_snapshot(None)
    assert len(looked) == 2
