"""Usage limits: each of them, when it is checked, and what is left when it is reached."""

from __future__ import annotations

from typing import Any

import pytest

from stead import Agent, ModelRetry, RunContext, UsageLimitExceeded, UsageLimits
from stead.messages import ModelResponse, TextPart, ToolCallPart
from stead.models.function import FunctionModel
from stead.usage import RequestUsage, RunUsage

from .kit import call, kinds, script, text

ENDLESS = [call('t')]


def looping(seen: Any = None, **options: Any) -> Agent[Any, str]:
    agent = Agent(script(ENDLESS, seen=seen), **options)
    agent.tool_plain(name='t')(lambda: 'x')
    return agent


def test_fifty_requests_are_the_default():
    seen: Any = []
    with pytest.raises(UsageLimitExceeded) as caught:
        looping(seen).run_sync('go')
    assert str(caught.value) == 'The next request would exceed the request_limit of 50'
    assert len(seen) == 50


def test_requests_are_counted_before_they_are_sent():
    seen: Any = []
    with pytest.raises(UsageLimitExceeded, match='request_limit of 2') as caught:
        looping(seen).run_sync('go', usage_limits=UsageLimits(request_limit=2))
    assert len(seen) == 2
    assert caught.value.usage.requests == 2 and caught.value.usage.tool_calls == 2
    assert kinds(caught.value.messages) == ['user-prompt', *['tool-call', 'tool-return'] * 2]


def test_no_limit_means_none():
    agent = Agent(script(*[ENDLESS] * 60, text('at last')))
    agent.tool_plain(name='t')(lambda: 'x')
    result = agent.run_sync('go', usage_limits=UsageLimits(request_limit=None))
    assert result.output == 'at last' and result.usage.requests == 61


def costing(input_tokens: int, output_tokens: int, parts: list[Any] | None = None) -> ModelResponse:
    usage = RequestUsage(input_tokens=input_tokens, output_tokens=output_tokens)
    return ModelResponse(parts=parts or [TextPart('ok')], usage=usage)


@pytest.mark.parametrize(
    ('limits', 'words'),
    [
        (UsageLimits(input_tokens_limit=9), 'Exceeded the input_tokens_limit of 9 (input_tokens=10)'),
        (UsageLimits(output_tokens_limit=4), 'Exceeded the output_tokens_limit of 4 (output_tokens=5)'),
        (UsageLimits(total_tokens_limit=14), 'Exceeded the total_tokens_limit of 14 (total_tokens=15)'),
    ],
)
def test_tokens_are_counted_after_each_response(limits: UsageLimits, words: str):
    with pytest.raises(UsageLimitExceeded) as caught:
        Agent(script(costing(10, 5))).run_sync('go', usage_limits=limits)
    assert str(caught.value) == words
    assert caught.value.usage == RunUsage(requests=1, input_tokens=10, output_tokens=5)
    assert kinds(caught.value.messages) == ['user-prompt', 'text'], 'the response was paid for'


@pytest.mark.parametrize(
    'limits',
    [UsageLimits(input_tokens_limit=10), UsageLimits(output_tokens_limit=5), UsageLimits(total_tokens_limit=15)],
)
def test_a_limit_may_be_reached_but_not_passed(limits: UsageLimits):
    assert Agent(script(costing(10, 5))).run_sync('go', usage_limits=limits).output == 'ok'


def test_tokens_add_up_over_requests():
    agent = Agent(script(costing(10, 5, [call('t')]), costing(20, 5)))
    agent.tool_plain(name='t')(lambda: 'x')
    with pytest.raises(UsageLimitExceeded, match=r'input_tokens=30'):
        agent.run_sync('go', usage_limits=UsageLimits(input_tokens_limit=29))


def test_tokens_may_be_counted_before_a_request():
    sent: list[int] = []

    class Counting(FunctionModel):
        async def count_tokens(self, messages: Any, settings: Any, parameters: Any) -> RequestUsage:
            return RequestUsage(input_tokens=100)

    model = Counting(lambda messages, info: sent.append(1) or costing(1, 1))
    limits = UsageLimits(input_tokens_limit=99, count_tokens_before_request=True)
    with pytest.raises(UsageLimitExceeded, match=r'input_tokens_limit of 99 \(input_tokens=100\)') as caught:
        Agent(model).run_sync('go', usage_limits=limits)
    assert sent == [], 'a prompt over the limit is not sent'
    assert caught.value.usage.input_tokens == 0, 'what was only counted is not used'
    fits = UsageLimits(input_tokens_limit=100, count_tokens_before_request=True)
    assert Agent(model).run_sync('go', usage_limits=fits).usage.input_tokens == 1


def test_calls_over_the_limit_are_not_made_at_all():
    ran: list[int] = []
    agent = Agent(script([call('t', {'n': n}, f'c{n}') for n in range(3)]))

    @agent.tool_plain
    def t(n: int) -> None:
        ran.append(n)

    with pytest.raises(UsageLimitExceeded, match=r'tool_calls_limit of 2 \(tool_calls=3\)') as caught:
        agent.run_sync('go', usage_limits=UsageLimits(tool_calls_limit=2))
    assert ran == []
    assert kinds(caught.value.messages) == ['user-prompt', *['tool-call'] * 3]
    with pytest.raises(UsageLimitExceeded, match=r'tool_calls_limit of 4 \(tool_calls=6\)'):
        agent.run_sync('go', usage_limits=UsageLimits(tool_calls_limit=4))
    assert sorted(ran) == [0, 1, 2]


def test_failed_calls_and_output_tools_do_not_count_as_calls():
    agent = Agent(script([call('t')], [call('t')], [call('final_result', {'response': 5})]), output_type=int)
    calls: list[int] = []

    @agent.tool_plain
    def t() -> str:
        calls.append(1)
        if len(calls) == 1:
            raise ModelRetry('again')
        return 'x'

    result = agent.run_sync('go', usage_limits=UsageLimits(tool_calls_limit=1))
    assert (result.output, result.usage.tool_calls, result.usage.requests) == (5, 1, 3)


def test_usage_can_be_shared_between_runs():
    usage = RunUsage()
    agent = Agent(script(costing(10, 5)))
    agent.run_sync('one', usage=usage)
    result = agent.run_sync('two', usage=usage)
    assert usage == RunUsage(requests=2, input_tokens=20, output_tokens=10)
    assert result.usage == usage
    with pytest.raises(UsageLimitExceeded, match='request_limit of 2'):
        agent.run_sync('three', usage=usage, usage_limits=UsageLimits(request_limit=2))


def test_a_tool_may_spend_from_the_budget_of_its_run():
    inner = Agent(script(costing(7, 7)))
    agent = Agent(script([call('ask')], text('ok')))

    @agent.tool
    async def ask(ctx: RunContext) -> str:
        return (await inner.run('nested', usage=ctx.usage)).output

    result = agent.run_sync('go')
    assert result.usage.requests == 3
    assert result.usage.output_tokens >= 7


def test_limits_hold_for_every_run_anew():
    agent = Agent(script(text('ok')))
    for _ in range(3):
        agent.run_sync('go', usage_limits=UsageLimits(request_limit=1))


def test_costs_of_a_call_with_huge_arguments_are_counted():
    agent = Agent(script([ToolCallPart('t', {'s': 'x ' * 1000})], text('ok')))
    agent.tool_plain(name='t')(lambda s: len(s))
    assert agent.run_sync('go').usage.output_tokens > 1000
