"""What a response can cost is bounded. Each test is a promise."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from types import FrameType
from typing import Any

import pytest

from stead import Agent, RunContext
from stead.exceptions import UnexpectedModelBehavior, UsageLimitExceeded
from stead.messages import (
    RetryPromptPart,
    ToolCallPart,
)
from stead.usage import UsageLimits

from .agents import RAN, read, scripted, wiping


@pytest.fixture(autouse=True)
def nothing_has_run() -> None:
    RAN.clear()


def test_the_limit_of_tool_calls_holds_for_calls_that_tools_make() -> None:
    async def main(at_once: bool) -> None:
        agent = wiping([ToolCallPart('code', {}, 'c1')])

        @agent.tool
        async def code(ctx: RunContext[None]) -> str:
            manager: Any = ctx.tool_manager
            calls = [manager.handle_call(read(str(number), f'i{number}')) for number in range(10)]
            if at_once:
                for result in await asyncio.gather(*calls, return_exceptions=True):
                    if isinstance(result, BaseException):
                        raise result
            else:
                for index, one in enumerate(calls):
                    try:
                        await one
                    except UsageLimitExceeded:
                        for rest in calls[index + 1 :]:
                            rest.close()
                        raise
            return ''

        with pytest.raises(UsageLimitExceeded, match='tool_calls_limit of 3'):
            await agent.run('go', usage_limits=UsageLimits(tool_calls_limit=3))

    for at_once in (False, True):
        RAN.clear()
        asyncio.run(main(at_once))
        assert len(RAN) == 2, 'the call that makes them is the third'


def test_a_response_with_too_many_calls_runs_none_of_them() -> None:
    agent = wiping([read(str(number), f'c{number}') for number in range(4)])
    limits = UsageLimits(tool_calls_per_response_limit=3)
    with pytest.raises(UsageLimitExceeded, match=re.escape('tool_calls_per_response_limit=...')):
        agent.run_sync('go', usage_limits=limits)
    assert RAN == []
    assert UsageLimits().tool_calls_per_response_limit == 10_000, 'there is a bound without one being set'


def test_no_ids_are_made_for_the_calls_of_a_response_that_is_refused() -> None:
    def ids_made(count: int) -> int:
        agent = wiping([read(str(number), 'c1') for number in range(count)])
        limits = UsageLimits(tool_calls_per_response_limit=1)
        ids = 0

        def on_event(frame: FrameType, event: str, argument: object) -> None:
            nonlocal ids
            ids += event == 'call' and frame.f_code.co_name == 'generate_tool_call_id'

        sys.setprofile(on_event)
        try:
            with pytest.raises(UsageLimitExceeded) as caught:
                agent.run_sync('go', usage_limits=limits)
        finally:
            sys.setprofile(None)
        assert len(caught.value.messages[1].parts) == count, 'it is in the history all the same'
        assert caught.value.usage.requests == 1
        return ids

    assert ids_made(500) == ids_made(5) == 0


def test_a_response_of_one_id_that_is_refused_can_be_continued() -> None:
    agent = wiping([read(str(number), 'c1') for number in range(3)])
    with pytest.raises(UsageLimitExceeded) as caught:
        agent.run_sync('go', usage_limits=UsageLimits(tool_calls_per_response_limit=2))
    history = caught.value.messages
    agent.run_sync('go on', message_history=history)
    assert RAN == []
    agent.run_sync(message_history=history)
    assert len(RAN) == 3


def test_thousands_of_unknown_calls_are_answered_in_a_few_words_each() -> None:
    agent = wiping([ToolCallPart('x' * 100_000, {}, f'c{number}') for number in range(100)], retries=5)
    for number in range(200):
        agent.tool_plain(name=f'tool_with_a_long_name_{number}')(lambda: None)
    messages = agent.run_sync('go').all_messages()
    texts = [str(part.content) for message in messages for part in message.parts if isinstance(part, RetryPromptPart)]
    assert len(texts) == 100
    assert 'Available tools' in texts[0], 'the first answers say what there is'
    assert sum(map(len, texts)) < 200_000


def test_an_answer_lists_some_hundred_errors_at_most() -> None:
    def answered(count: int) -> RetryPromptPart:
        call = ToolCallPart('read', json.dumps({f'k{number}': number for number in range(count)}), 'c1')
        answer = wiping([call]).run_sync('go').all_messages()[2].parts[0]
        assert isinstance(answer, RetryPromptPart)
        return answer

    assert len(answered(200).content) == 200
    last: Any = answered(5_000).content[-1]
    assert last['msg'] == 'There are 4800 more errors, which are not listed'
    assert len(answered(5_000).model_response()) < 50_000


def test_an_invalid_output_has_as_many_errors_at_most() -> None:
    agent = Agent(scripted([ToolCallPart('final_result', {'response': ['x'] * 5_000}, 'c1')]), output_type=list[int])
    with pytest.raises(UnexpectedModelBehavior) as caught:
        agent.run_sync('go')
    assert len(caught.value.messages[2].parts[0].content) == 201  # type: ignore[attr-defined]
