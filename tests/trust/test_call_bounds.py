"""What a response can cost is bounded. Each test is a promise."""

from __future__ import annotations

import asyncio
import json
import re
import sys
import time
from collections.abc import AsyncIterator, Callable
from types import FrameType
from typing import Any

import pytest

from stead import Agent, RunContext
from stead.capabilities import Capability
from stead.exceptions import UnexpectedModelBehavior, UsageLimitExceeded, UserError
from stead.messages import (
    LOAD_CAPABILITY,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ModelResponsePart,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from stead.models import Model, ModelRequestParameters
from stead.models.fallback import FallbackModel
from stead.models.function import AgentInfo, DeltaToolCall, FunctionModel
from stead.models.test import TestModel
from stead.settings import ModelSettings
from stead.tools import DeferredToolResults, ToolApproved
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
    def count_ids(count: int) -> int:
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

    assert count_ids(500) == count_ids(5) == 0


class Answering(TestModel):
    """Answers with these parts, whatever it is asked."""

    answer: list[ModelResponsePart]
    asked_at = 0.0

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        self.asked_at = time.thread_time()
        return ModelResponse(parts=self.answer)


MANY: dict[str, Callable[[int], ToolCallPart]] = {
    'ids of their own': lambda number: ToolCallPart('f', {}, f'c{number}'),
    'one id': lambda number: ToolCallPart('f', '{}', 'c1'),
    'without arguments': lambda number: ToolCallPart('f', None, f'c{number}'),
    'of a tool that does not exist': lambda number: ToolCallPart('é' * 100, {}, f'c{number}'),
    "of the framework's": lambda number: ToolCallPart('load_capability', {'id': 'x'}, f'c{number}'),
}


@pytest.mark.parametrize('kind', MANY)
def test_a_hundred_thousand_calls_are_refused_before_anything_is_made_for_each(kind: str) -> None:
    model, ran = Answering(), list[int]()
    model.answer = [TextPart('Now:'), *(MANY[kind](number) for number in range(100_000))]
    agent = Agent(model, capabilities=[Capability(id='x', description='x', defer_loading=True)])

    @agent.tool_plain
    def f() -> None:
        ran.append(1)

    async def main() -> tuple[float, list[ModelMessage]]:
        with pytest.raises(
            UsageLimitExceeded, match='has 100000 tool calls.*the history keeps the first 1000'
        ) as caught:
            await agent.run('go')
        return time.thread_time() - model.asked_at, caught.value.messages

    seconds, history = asyncio.run(main())
    assert seconds < 0.5  # it takes a hundredth of a second
    assert [part.part_kind for part in history[-1].parts] == ['text', *['tool-call'] * 1_000]
    assert len(model.answer) == 100_001, 'the response of the model is not changed'
    model.answer = [TextPart('done')]
    assert agent.run_sync('go on', message_history=history).output == 'done'
    answered = agent.run_sync(message_history=history).all_messages()
    assert {str(part.content)[:17] for part in answered[2].parts} == {'Tool not executed'}
    with pytest.raises(UserError, match='broke off before its tool calls'):
        agent.run_sync(message_history=history, deferred_tool_results=DeferredToolResults(approvals={'c1': True}))
    assert ran == []


@pytest.mark.parametrize('fallback', [False, True])
def test_a_stream_of_too_many_calls_is_ended_where_they_become_too_many(fallback: bool) -> None:
    sent = 0

    async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        nonlocal sent
        if len(messages) > 1:
            yield 'done'
            return
        for number in range(1_000):
            sent += 1
            yield {number: DeltaToolCall('read', '{"p": "x"}', tool_call_id=f'c{number}')}

    model: Model = FunctionModel(stream_function=stream)
    agent = wiping([])
    model = FallbackModel(model, model) if fallback else model

    async def main() -> list[ModelMessage]:
        with pytest.raises(UsageLimitExceeded, match='has 4 tool calls.*limit of 3; none of them was run') as caught:
            async with agent.run_stream_events(
                'go', model=model, usage_limits=UsageLimits(tool_calls_per_response_limit=3)
            ) as events:
                async for _ in events:
                    pass
        return caught.value.messages

    history = asyncio.run(main())
    assert sent < 10
    response = history[-1]
    assert isinstance(response, ModelResponse) and response.state == 'interrupted'
    assert 4 <= len(response.tool_calls) < 10
    agent.run_sync(message_history=history)
    assert RAN == []


def test_so_are_those_of_a_stored_history() -> None:
    calls = [read('x', f'c{number}') for number in range(100_000)]
    history = [ModelRequest(parts=[UserPromptPart('go')]), ModelResponse(parts=calls)]
    results = DeferredToolResults(approvals=dict.fromkeys((f'c{number}' for number in range(100_000)), True))
    for deferred in (None, results):
        begin = time.thread_time()
        with pytest.raises(UsageLimitExceeded, match='has 100000 tool calls'):
            wiping([]).run_sync(message_history=history, deferred_tool_results=deferred)
        assert time.thread_time() - begin < 1  # a twentieth of that
    unknown = DeferredToolResults(approvals={'x' * 100_000: True})
    with pytest.raises(UserError, match='ids that are not in the last response') as caught:
        wiping([]).run_sync(
            message_history=[history[0], ModelResponse(parts=calls[:9_000])], deferred_tool_results=unknown
        )
    assert len(str(caught.value)) < 2_000
    assert RAN == []


def test_a_history_whose_calls_are_all_answered_has_no_such_limit() -> None:
    ids = [f'c{number}' for number in range(4)]
    history: list[ModelMessage] = [
        ModelRequest(parts=[UserPromptPart('go')]),
        ModelResponse(parts=[read('x', id) for id in ids]),
        ModelRequest(parts=[ToolReturnPart('read', 'x', id) for id in ids]),
    ]
    limits = UsageLimits(tool_calls_per_response_limit=3)
    assert wiping([]).run_sync(message_history=history, usage_limits=limits).output == 'done'


def test_calls_of_the_framework_are_typed_in_one_go() -> None:
    response = ModelResponse(parts=[ToolCallPart(LOAD_CAPABILITY, {'id': 'x'}, f'c{number}') for number in range(50)])
    model = Answering()
    model.answer = response.parts
    agent = Agent(model, capabilities=[Capability(id='x', description='x', defer_loading=True)])
    with pytest.raises(UsageLimitExceeded) as caught:
        agent.run_sync('go', usage_limits=UsageLimits(request_limit=1))
    answered = caught.value.messages[1]
    assert {type(part).__name__ for part in answered.parts} == {'LoadCapabilityCallPart'}
    assert [part.tool_call_id for part in answered.parts if isinstance(part, ToolCallPart)] == [
        f'c{number}' for number in range(50)
    ]


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


def test_errors_about_decisions_repeat_ids_shortly() -> None:
    def decided(decision: Any, *, arguments: Any = None) -> None:
        call = ToolCallPart('wipe', {'p': 'x'}, 'c' * 100_000)
        first = wiping([call]).run_sync('go')
        decisions = DeferredToolResults(approvals={call.tool_call_id: decision})
        if arguments is not None:
            decisions.digests = {call.tool_call_id: 'of another call'}
        wiping([]).run_sync(message_history=first.all_messages(), deferred_tool_results=decisions)

    for decision in (None, 'yes' * 100_000, ToolApproved(override_args='x' * 100_000)):  # type: ignore[arg-type]
        with pytest.raises(UserError, match="The (decision about the )?tool call 'ccc") as caught:
            decided(decision)
        assert len(str(caught.value)) < 1_000
    with pytest.raises(UserError, match='was about another call') as caught:
        decided(True, arguments={})
    assert len(str(caught.value)) < 1_000
    assert RAN == []


def test_an_answer_lists_fifty_errors_at_most() -> None:
    def answered(count: int) -> RetryPromptPart:
        call = ToolCallPart('read', json.dumps({f'k{number}': number for number in range(count)}), 'c1')
        answer = wiping([call]).run_sync('go').all_messages()[2].parts[0]
        assert isinstance(answer, RetryPromptPart)
        return answer

    assert len(answered(50).content) == 50
    assert answered(51).content[-1]['msg'] == 'There is 1 more error, which is not listed'  # type: ignore[index]
    last: Any = answered(5_000).content[-1]
    assert last == {
        'type': 'too_many_errors',
        'loc': (),
        'msg': 'There are 4950 more errors, which are not listed',
        'input': None,
    }
    assert len(answered(5_000).model_response()) < 12_000


def test_an_invalid_output_has_as_many_errors_at_most() -> None:
    agent = Agent(scripted([ToolCallPart('final_result', {'response': ['x'] * 5_000}, 'c1')]), output_type=list[int])
    with pytest.raises(UnexpectedModelBehavior) as caught:
        agent.run_sync('go')
    assert len(caught.value.messages[2].parts[0].content) == 51  # type: ignore[attr-defined]
