"""The settings `request_timeout` and `first_event_timeout`, beside what only stead has."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from stead import Agent, UserError
from stead.exceptions import ModelRequestTimeout
from stead.messages import ModelMessage, ModelResponse, ResponseRestartEvent
from stead.models.fallback import FallbackModel
from stead.models.function import AgentInfo, FunctionModel
from stead.models.test import TestModel

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return 'asyncio'


closed: list[str] = []


async def breaks(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
    try:
        yield 'begun'
        await asyncio.sleep(5)
    finally:
        closed.append('stream')


async def never(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    try:
        await asyncio.sleep(5)
        raise AssertionError
    finally:
        closed.append('request')


SLOW = FunctionModel(never, stream_function=breaks)


async def test_a_stream_whose_time_is_up_starts_again_with_the_next_model() -> None:
    model = FallbackModel(SLOW, TestModel(custom_output_text='whole'), on_partial='restart')
    restarts: list[str] = []
    async with Agent(model).run_stream_events('q', model_settings={'request_timeout': 0.02}) as events:
        async for event in events:
            if isinstance(event, ResponseRestartEvent):
                restarts.append(event.error)
            last: Any = event
    assert last.result.output == 'whole'
    assert len(restarts) == 1 and 'ModelRequestTimeout' in restarts[0]


async def test_what_was_begun_is_closed_and_kept_when_the_time_is_up() -> None:
    closed.clear()
    with pytest.raises(ModelRequestTimeout):
        await Agent(SLOW).run('q', model_settings={'request_timeout': 0.02})
    with pytest.raises(ModelRequestTimeout) as caught:
        async with Agent(SLOW).run_stream('q', model_settings={'request_timeout': 0.02}) as result:
            async for _ in result.stream_text():
                pass
    assert closed == ['request', 'stream']
    (part,) = caught.value.messages[-1].parts  # type: ignore[attr-defined]
    assert part.content == 'begun' and caught.value.messages[-1].state == 'interrupted'  # type: ignore[attr-defined]


async def test_the_limit_of_a_run_holds_for_its_own_requests_only() -> None:
    inner = Agent(TestModel(custom_output_text='inner'))
    outer = Agent(TestModel())

    @outer.tool_plain
    async def ask() -> str:
        await asyncio.sleep(0.04)  # longer than a request of either may take
        return (await inner.run('q')).output

    result = await outer.run('q', model_settings={'request_timeout': 0.03})
    assert 'inner' in result.output


@pytest.mark.parametrize('seconds', ['1', float('nan'), True, [1]])
async def test_a_limit_is_a_number_of_seconds(seconds: Any) -> None:
    with pytest.raises(UserError, match='`request_timeout` must be a number of seconds'):
        await Agent(TestModel()).run('q', model_settings={'request_timeout': seconds})


async def test_no_limit_is_a_limit_too() -> None:
    for seconds in (None, float('inf')):
        settings: Any = {'request_timeout': seconds, 'first_event_timeout': seconds}
        assert (await Agent(TestModel()).run('q', model_settings=settings)).output
