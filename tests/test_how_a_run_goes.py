"""The page "How a run goes" names the files that a run enters, in the order in which it enters them."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from stead import Agent
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from stead.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel

from .following import functions_entered, read_events, run, stream_to_the_answer

PAGE = Path(__file__).parent.parent / 'docs' / 'how-a-run-goes.md'


def calculator(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    if len(messages) == 1:
        return ModelResponse(parts=[ToolCallPart('add', {'a': 1, 'b': 2})])
    return ModelResponse(parts=[TextPart('The sum is 3.')])


async def streamed_calculator(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
    if len(messages) == 1:
        yield {0: DeltaToolCall('add', '{"a": 1, "b": 2}')}
    else:
        yield 'The sum is 3.'


async def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def test_the_page_names_the_files_in_order() -> None:
    entered = functions_entered(Agent(FunctionModel(calculator), tools=[add]))
    on_the_page = re.findall(r'^\| `([\w/]+\.py)` \|', PAGE.read_text(encoding='utf-8'), re.MULTILINE)
    assert on_the_page == list(dict.fromkeys(file for file, _ in entered))


@pytest.mark.parametrize(('way', 'most'), [(run, 38), (stream_to_the_answer, 48)])
def test_a_run_passes_few_files(way: Callable[[Agent[Any, Any]], Coroutine[Any, Any, None]], most: int) -> None:
    """A reader who follows a run goes through these files; the numbers may only shrink."""
    agent = Agent(FunctionModel(calculator, stream_function=streamed_calculator), tools=[add])
    assert len({file for file, _ in functions_entered(agent, way)}) <= most


def test_events_cost_little_more_than_the_run():
    """The events go from where they happen to their reader, without a stop on the way."""
    agent = Agent(FunctionModel(calculator, stream_function=streamed_calculator), tools=[add])
    calls, with_events = len(functions_entered(agent)), len(functions_entered(agent, read_events))
    assert with_events <= 1.4 * calls, (calls, with_events)
