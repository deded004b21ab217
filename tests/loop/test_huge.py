"""Huge inputs: they work, and they do not cost out of proportion."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest

from stead import Agent, ModelRetry, UsageLimits
from stead.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolReturnPart, UserPromptPart
from stead.models.function import FunctionModel

from .kit import call, script, text


def quick(messages: Any, info: Any) -> ModelResponse:
    """Answer without looking at anything, so that what is measured is the framework."""
    return ModelResponse(parts=[TextPart('ok')])


class Plain(FunctionModel):
    """A model that does not estimate tokens either."""

    async def request(self, messages: Any, model_settings: Any, model_request_parameters: Any) -> ModelResponse:
        assert self.function is not None
        return self.function(messages, None)  # type: ignore[arg-type, return-value]


def test_a_prompt_of_ten_megabytes():
    prompt = 'all work and no play ' * 500_000
    assert len(prompt) > 10_000_000
    started = time.thread_time()
    result = Agent(Plain(quick)).run_sync(prompt)
    assert time.thread_time() - started < 5
    sent: Any = result.all_messages()[0].parts[0]
    assert sent.content is prompt, 'it is not copied'


def test_arguments_and_returns_of_ten_megabytes():
    big = 'x' * 10_000_000
    agent = Agent(script([call('echo', {'s': big})], text('ok')))
    agent.tool_plain(name='echo')(lambda s: s)
    returned: Any = agent.run_sync('go').all_messages()[2].parts[0]
    assert returned.content == big


@pytest.mark.parametrize('shape', ['talk', 'calls', 'requests only'])
def test_five_thousand_messages_of_history(shape: str):
    history: list[ModelMessage] = []
    for number in range(2500):
        if shape == 'talk':
            history += [
                ModelRequest(parts=[UserPromptPart(f'q{number}')]),
                ModelResponse(parts=[TextPart(f'a{number}')]),
            ]
        elif shape == 'calls':
            history += [
                ModelResponse(parts=[call('t', {'n': number}, f'c{number}')]),
                ModelRequest(parts=[ToolReturnPart('t', number, f'c{number}')]),
            ]
        else:
            history += [
                ModelRequest(parts=[UserPromptPart(f'q{number}')]),
                ModelRequest(parts=[UserPromptPart('more')]),
            ]
    if shape == 'calls':
        history.insert(0, ModelRequest(parts=[UserPromptPart('go')]))
    agent = Agent(Plain(quick), system_prompt='hidden')
    started = time.thread_time()
    result = agent.run_sync('go', message_history=history)
    assert time.thread_time() - started < 10
    assert len(result.new_messages()) == 2
    if shape == 'talk':
        assert len(result.all_messages()) == 5002
        assert result.all_messages()[4999] is history[4999]


def test_steps_do_not_grow_dearer_with_history():
    """A thousand steps on top of a long history cost about as much as on top of none."""

    def steps(history: list[ModelMessage]) -> float:
        left = [400]

        def answer(messages: Any, info: Any) -> ModelResponse:
            left[0] -= 1
            return ModelResponse(parts=[call('t', {}, f'c{left[0]}')] if left[0] else [TextPart('ok')])

        agent = Agent(Plain(answer))

        @agent.tool_plain
        async def t() -> int:
            return 1

        started = time.thread_time()  # not that of others on this machine
        agent.run_sync('go', message_history=history, usage_limits=UsageLimits(request_limit=None))
        return time.thread_time() - started

    talk: list[ModelMessage] = []
    for number in range(2500):
        talk += [ModelRequest(parts=[UserPromptPart(f'q{number}')]), ModelResponse(parts=[TextPart(f'a{number}')])]
    steps([])
    short = min(steps([]) for _ in range(2))
    long = min(steps(talk) for _ in range(2))
    assert long < short * 5 + 0.2, (short, long)


def test_five_hundred_tools():
    agent = Agent(script([call('tool_499', {'n': 2})], text('ok')))
    for number in range(500):
        agent.tool_plain(name=f'tool_{number}')(lambda n, number=number: n * number)
    result = agent.run_sync('go')
    returned: Any = result.all_messages()[2].parts[0]
    assert (result.output, returned.content) == ('ok', 998)


def test_five_hundred_calls_in_one_response():
    agent = Agent(script([call('t', {'n': n}, f'c{n}') for n in range(500)], text('ok')))
    together = [0, 0]
    all_there = asyncio.Event()

    @agent.tool_plain
    async def t(n: int) -> int:
        together[0] += 1
        together[1] = max(together)
        if together[0] == 500:
            all_there.set()
        await asyncio.wait_for(all_there.wait(), 60)
        together[0] -= 1
        return n

    result = agent.run_sync('go')
    assert together[1] == 500, 'they run at once'
    returned: Any = result.all_messages()[2].parts
    assert [part.content for part in returned] == list(range(500)), 'and answer in the order of the calls'


def test_a_hundred_sync_calls_in_one_response():
    agent = Agent(script([call('t', {'n': n}, f'c{n}') for n in range(100)], text('ok')))
    agent.tool_plain(name='t')(lambda n: time.sleep(0.002) or n)
    returned: Any = agent.run_sync('go').all_messages()[2].parts
    assert [part.content for part in returned] == list(range(100))


def test_a_long_unknown_name_and_a_deep_argument():
    deep: Any = 'x'
    for _ in range(200):
        deep = [deep]
    agent = Agent(script([call('n' * 100_000, {}), call('t', {'n': deep})], text('ok')))
    agent.tool_plain(name='t')(lambda n: 'fine')
    assert agent.run_sync('go').output == 'ok'


def test_arguments_nested_too_deep_are_sent_back():
    agent = Agent(
        script(
            [call('t', '[' * 100_000 + ']' * 100_000)],
            [call('t', '{"n": ' + '[' * 5000 + ']' * 5000 + '}')],
            text('ok'),
        )
    )
    agent.tool_plain(name='t', retries=2)(lambda n: 'fine')
    assert agent.run_sync('go').output == 'ok'


def test_huge_instructions_and_many_of_them():
    agent = Agent(Plain(quick), instructions=['x' * 1_000_000] * 10)

    def rule(number: int) -> Callable[[], str]:
        return lambda: f'rule {number}'

    for number in range(200):
        agent.instructions(rule(number))
    request: Any = agent.run_sync('go').all_messages()[0]
    assert len(request.instructions) > 10_000_000 and request.instructions.endswith('rule 199')


def test_a_retry_message_of_a_megabyte():
    agent = Agent(script([call('t', {})], text('ok')))
    retries: list[int] = []

    @agent.tool_plain
    def t() -> None:
        retries.append(1)
        raise ModelRetry('no ' * 400_000)

    result = agent.run_sync('go')
    assert result.output == 'ok' and len(retries) == 1
