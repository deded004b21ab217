"""`max_calls`, `max_tool_concurrency`, `on_tool_error` and generator tools: what the reference API does not have."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from stead import Agent, ModelRetry, RunContext, Tool, UsageLimits
from stead.capabilities import HandleDeferredToolCalls, Hooks
from stead.exceptions import ApprovalRequired, UnexpectedModelBehavior, UserError
from stead.messages import (
    FunctionToolProgressEvent,
    ModelMessage,
    ModelResponse,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturn,
    ToolReturnPart,
)
from stead.models.function import AgentInfo, FunctionModel
from stead.tools import ToolErrors
from stead.toolsets import FunctionToolset

from ..waiting import timed_out_when


class Caller:
    """A model that calls a tool so many times at once, in so many steps."""

    def __init__(self, name: str, at_once: int = 1, steps: int = 1) -> None:
        self.name, self.at_once, self.steps = name, at_once, steps
        self.offered: list[list[str]] = []

    def model(self) -> FunctionModel:
        def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            self.offered.append([tool.name for tool in info.function_tools])
            if len(messages) // 2 < self.steps:
                calls = [ToolCallPart(self.name, {}, f'{len(messages)}-{index}') for index in range(self.at_once)]
                return ModelResponse(calls)
            return ModelResponse([TextPart('done')])

        return FunctionModel(respond)


def answers(messages: list[ModelMessage]) -> list[ToolReturnPart | RetryPromptPart]:
    return [
        part for message in messages for part in message.parts if isinstance(part, (ToolReturnPart, RetryPromptPart))
    ]


class Meter:
    """A tool that counts how often it runs, and how many of it run at once."""

    def __init__(self) -> None:
        self.calls = self.now = self.peak = 0

    async def work(self) -> str:
        self.calls += 1
        self.now += 1
        self.peak = max(self.peak, self.now)
        await asyncio.sleep(0.001)
        self.now -= 1
        return 'ok'


# max_calls


def test_calls_are_counted_exactly_and_a_spent_tool_is_hidden() -> None:
    meter, caller = Meter(), Caller('work', at_once=1000, steps=2)
    agent = Agent(caller.model(), tools=[Tool(meter.work, max_calls=7)])
    result = agent.run_sync('x')
    assert meter.calls == 7 == result.usage.tool_calls
    assert caller.offered == [['work'], [], []]
    first = answers(result.all_messages())[:1000]
    answer_counts = Counter(str(part.content) for part in first)
    assert answer_counts['ok'] == 7 and sum(answer_counts.values()) == 1000
    assert "Tool 'work' was called 7 times, which is its limit. Do without it." in answer_counts
    assert {part.outcome for part in first if part.content != 'ok' and isinstance(part, ToolReturnPart)} == {'failed'}


def test_calls_are_counted_for_each_run() -> None:
    meter = Meter()
    agent = Agent(Caller('work').model(), tools=[Tool(meter.work, max_calls=1)])
    agent.run_sync('x')
    agent.run_sync('x')
    assert meter.calls == 2


def test_a_toolset_sets_the_limit_of_each_tool_and_a_wrapper_keeps_it() -> None:
    meter, caller = Meter(), Caller('a_work', at_once=3)
    toolset = FunctionToolset[Any]([meter.work], max_calls=2).prefixed('a')
    Agent(caller.model(), toolsets=[toolset]).run_sync('x')
    assert meter.calls == 2


@pytest.mark.parametrize('value', [-1, 1.5, '3', True])
def test_a_wrong_number_of_calls(value: Any) -> None:
    with pytest.raises(UserError, match=r"`max_calls` of tool 'work'"):
        Tool(Meter().work, max_calls=value)


def test_a_tool_that_may_not_be_called_is_never_offered() -> None:
    caller = Caller('work')
    Agent(caller.model(), tools=[Tool(Meter().work, max_calls=0)]).run_sync('x')
    assert caller.offered == [[], []]


def test_a_spent_tool_that_is_called_all_the_same_is_answered_as_often_as_it_takes() -> None:
    agent = Agent(Caller('work', steps=5).model(), tools=[Tool(Meter().work, max_calls=1, max_retries=0)])
    contents = [part.content for part in answers(agent.run_sync('x').all_messages())]
    assert contents == ['ok', *["Tool 'work' was called once, which is its limit. Do without it."] * 4]


def test_a_call_that_waits_for_approval_is_counted_when_it_is_made() -> None:
    def careful(ctx: RunContext[Any]) -> str:
        if not ctx.tool_call_approved:
            raise ApprovalRequired
        return 'done'

    approve = HandleDeferredToolCalls(lambda ctx, requests: requests.build_results(approve_all=True))
    agent = Agent(Caller('careful').model(), tools=[Tool(careful, max_calls=1)], capabilities=[approve])
    assert [part.content for part in answers(agent.run_sync('x').all_messages())] == ['done']


# max_tool_concurrency


@pytest.mark.parametrize('limit', [0, -1, '3', True, 1.5])
def test_a_wrong_number_of_calls_at_once(limit: Any) -> None:
    with pytest.raises(UserError, match=r"`max_tool_concurrency` of tool 'work' must be a number of calls, 1 or more"):
        Tool(Meter().work, max_tool_concurrency=limit)


@pytest.mark.parametrize('where', ['tool', 'toolset', 'agent'])
def test_the_peak_is_the_limit(where: str) -> None:
    meter = Meter()
    tool = Tool(meter.work, max_tool_concurrency=3) if where == 'tool' else Tool(meter.work)
    toolset = FunctionToolset[Any]([tool], max_tool_concurrency=3 if where == 'toolset' else None)
    agent = Agent(
        Caller('work', at_once=50).model(), toolsets=[toolset], max_tool_concurrency=3 if where == 'agent' else None
    )
    agent.run_sync('x')
    assert (meter.calls, meter.peak) == (50, 3)


def test_runs_share_the_limit() -> None:
    meter = Meter()
    agent = Agent(Caller('work', at_once=5).model(), tools=[meter.work], max_tool_concurrency=2)

    async def main() -> None:
        await asyncio.gather(*(agent.run('x') for _ in range(4)))

    asyncio.run(main())
    assert (meter.calls, meter.peak) == (20, 2)


def test_cancelled_calls_give_their_place_back() -> None:
    started: list[int] = []

    async def work() -> str:
        started.append(1)
        await asyncio.sleep(0 if len(started) > 2 else 30)
        return 'ok'

    agent = Agent(Caller('work', at_once=4).model(), tools=[Tool(work, max_tool_concurrency=2)])

    async def main() -> str:
        with pytest.raises(asyncio.TimeoutError):
            await timed_out_when(lambda: len(started) == 2, agent.run('x'))
        return (await asyncio.wait_for(agent.run('x'), 30)).output

    assert asyncio.run(main()) == 'done'


# on_tool_error


def fails() -> str:
    raise ValueError('the password is 1234')


def test_errors_end_the_run_by_default() -> None:
    with pytest.raises(ValueError, match='1234'):
        Agent(Caller('fails').model(), tools=[fails]).run_sync('x')


def test_the_model_is_told_without_the_text() -> None:
    result = Agent(Caller('fails').model(), tools=[fails], on_tool_error='inform').run_sync('x')
    [part] = answers(result.all_messages())
    assert isinstance(part, ToolReturnPart)
    assert (part.content, part.outcome) == ("Tool 'fails' failed.", 'failed')
    assert part.metadata == {'error': 'ValueError', 'message': 'the password is 1234'}
    assert result.usage.tool_calls == 0


def test_the_text_is_shown_when_asked_for() -> None:
    agent = Agent(Caller('fails').model(), tools=[Tool(fails, on_tool_error=ToolErrors('inform', show_text=True))])
    [part] = answers(agent.run_sync('x').all_messages())
    assert part.content == "Tool 'fails' failed: ValueError: the password is 1234"


def test_the_model_may_try_again_as_often_as_the_tool_allows() -> None:
    agent = Agent(Caller('fails', steps=3).model(), tools=[Tool(fails, on_tool_error='retry', max_retries=1)])
    with pytest.raises(UnexpectedModelBehavior, match='exceeded max retries') as caught:
        agent.run_sync('x')
    retries = [part for part in answers(caught.value.messages) if isinstance(part, RetryPromptPart)]
    assert [part.content for part in retries] == ["Tool 'fails' failed."]
    assert caught.value.__cause__ is not None and isinstance(caught.value.__cause__.__cause__, ValueError)


@pytest.mark.parametrize('is_async', [False, True])
def test_a_function_gives_the_result(is_async: bool) -> None:
    def replace(ctx: RunContext[Any], error: Exception) -> str:
        return f'{ctx.tool_name}: {type(error).__name__}'

    async def replace_async(ctx: RunContext[Any], error: Exception) -> str:
        return replace(ctx, error)

    tool = Tool(fails, on_tool_error=replace_async if is_async else replace)
    [part] = answers(Agent(Caller('fails').model(), tools=[tool]).run_sync('x').all_messages())
    assert part.content == 'fails: ValueError'


def test_the_tool_has_the_last_word_and_then_the_toolset() -> None:
    outcomes: list[Any] = []
    for tool_says, toolset_says in [('raise', 'inform'), (None, 'inform')]:
        toolset = FunctionToolset[Any]([Tool(fails, on_tool_error=tool_says)], on_tool_error=toolset_says)  # type: ignore[arg-type]
        agent = Agent(Caller('fails').model(), toolsets=[toolset], on_tool_error='retry')
        try:
            outcomes += [part.content for part in answers(agent.run_sync('x').all_messages())]
        except ValueError:
            outcomes.append('raised')
    assert outcomes == ['raised', "Tool 'fails' failed."]


@pytest.mark.parametrize('error', [UserError('set up wrongly'), ModelRetry('again')])
def test_what_is_meant_for_others_is_left_alone(error: Exception) -> None:
    def tool() -> str:
        raise error

    agent = Agent(Caller('tool').model(), tools=[tool], on_tool_error='inform')
    if isinstance(error, UserError):
        with pytest.raises(UserError, match='set up wrongly'):
            agent.run_sync('x')
    else:
        [part] = answers(agent.run_sync('x').all_messages())
        assert isinstance(part, RetryPromptPart)


def test_a_limit_of_the_run_is_not_taken_for_a_fault_of_the_tool() -> None:
    inner = Agent('test')

    async def ask(ctx: RunContext[Any]) -> str:
        return (await inner.run('x', usage=ctx.usage, usage_limits=UsageLimits(request_limit=1))).output

    with pytest.raises(Exception, match='request_limit'):
        Agent(Caller('ask').model(), tools=[ask], on_tool_error='inform').run_sync('x')


@pytest.mark.parametrize('hooked', [False, True])
def test_a_tool_without_a_retry_left_ends_the_run_whatever_becomes_of_its_errors(hooked: bool) -> None:
    async def pass_on(ctx: RunContext[Any], *, result: Any, **_: Any) -> Any:
        return result

    def again() -> str:
        raise ModelRetry('again')

    hooks = [Hooks[Any](after_tool_execute=pass_on)] if hooked else []
    agent = Agent(Caller('again', steps=3).model(), tools=[again], on_tool_error='inform', capabilities=hooks)
    with pytest.raises(UnexpectedModelBehavior, match="'again' exceeded max retries count of 1"):
        agent.run_sync('x')


def test_a_delegate_that_gives_up_is_an_error_like_others() -> None:
    inner = Agent(Caller('fails', steps=3).model(), tools=[Tool(fails, on_tool_error='retry')])

    async def ask() -> str:
        return (await inner.run('x')).output

    [part] = answers(Agent(Caller('ask').model(), tools=[ask], on_tool_error='inform').run_sync('x').all_messages())
    assert part.content == "Tool 'ask' failed."


def test_a_wrong_policy() -> None:
    with pytest.raises(UserError, match=r"a `ToolErrors` with one of these.*not ToolErrors\(action='ignore'"):
        Tool(fails, on_tool_error=ToolErrors('ignore'))  # type: ignore[arg-type]
    with pytest.raises(UserError, match="must be 'raise', 'inform', 'retry'"):
        Tool(fails, on_tool_error='ignore')  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="no argument 'max_cals'"):
        Tool(fails, max_cals=3)  # type: ignore[call-arg]


# Generator tools


def count(n: int = 3) -> Iterator[Any]:
    yield from range(n)
    return f'counted to {n}'


async def count_async() -> AsyncIterator[Any]:
    yield 'half'
    yield ToolReturn('all', metadata='m')


async def events_of(agent: Agent[Any, Any]) -> list[Any]:
    seen: list[Any] = []
    async with agent.run_stream_events('x') as events:
        async for event in events:
            if isinstance(event, FunctionToolProgressEvent):
                seen.append((event.tool_name, event.tool_call_id, event.content))
            elif event.event_kind == 'function_tool_result':
                seen.append(event.part.content)
    return seen


def streaming(name: str) -> FunctionModel:
    async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        from stead.models.function import DeltaToolCall

        if len(messages) == 1:
            yield {0: DeltaToolCall(name=name, json_args='{}', tool_call_id='c')}
        else:
            yield 'done'

    return FunctionModel(Caller(name).model().function, stream_function=stream)


def test_what_a_generator_yields_is_progress_and_what_it_returns_is_the_result() -> None:
    seen = asyncio.run(events_of(Agent(streaming('count'), tools=[count])))
    assert seen == [('count', 'c', 0), ('count', 'c', 1), ('count', 'c', 2), 'counted to 3']


def test_an_async_generator_yields_its_result_last() -> None:
    seen = asyncio.run(events_of(Agent(streaming('count_async'), tools=[count_async])))
    assert seen == [('count_async', 'c', 'half'), 'all']


@pytest.mark.parametrize(('tool', 'result'), [(count, 'counted to 3'), (count_async, 'all')])
def test_nobody_needs_to_look(tool: Any, result: str) -> None:
    [part] = answers(Agent(Caller(tool.__name__).model(), tools=[tool]).run_sync('x').all_messages())
    assert part.content == result


def test_a_generator_is_closed_when_its_call_is_cancelled() -> None:
    begun, closed = threading.Event(), threading.Event()

    def endless() -> Iterator[int]:
        begun.set()
        try:
            while True:
                threading.Event().wait(0.005)
                yield 1
        finally:
            closed.set()

    async def main() -> None:
        with pytest.raises(asyncio.TimeoutError):
            await timed_out_when(begun.is_set, Agent(Caller('endless').model(), tools=[endless]).run('x'))
        assert await asyncio.to_thread(closed.wait, 30)

    asyncio.run(main())


@pytest.mark.parametrize(
    ('on_tool_error', 'expected'), [(None, RetryPromptPart), ('inform', ToolReturnPart), ('retry', RetryPromptPart)]
)
@pytest.mark.parametrize('where', ['tool', 'hook'])
def test_invalid_data_in_a_tool_is_for_the_model_unless_the_policy_decides(
    where: str, on_tool_error: Any, expected: type
) -> None:
    def check() -> None:
        if where == 'tool':
            TypeAdapter(int).validate_python('no')

    def check_first(*args: object, **options: object) -> None:
        TypeAdapter(int).validate_python('no')

    capabilities = [Hooks[None](before_tool_execute=check_first)] if where == 'hook' else []
    agent = Agent(Caller('check').model(), tools=[check], capabilities=capabilities, on_tool_error=on_tool_error)
    (answer,) = answers(agent.run_sync('hi').all_messages())
    assert type(answer) is expected
    assert isinstance(answer.content, list) is (on_tool_error is None)


def test_invalid_data_in_a_tool_ends_the_run_where_the_policy_says_so() -> None:
    def check() -> None:
        TypeAdapter(int).validate_python('no')

    agent = Agent(Caller('check').model(), tools=[check], on_tool_error='raise')
    with pytest.raises(ValidationError):
        agent.run_sync('hi')
