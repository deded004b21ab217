"""Second tries: of tools and of outputs, how many there are, and what the model is told."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from stead import Agent, ModelRetry, RunContext, ToolOutput, UnexpectedModelBehavior
from stead.messages import RetryPromptPart, ToolReturnPart

from .kit import call, calling, kinds, outline, script, text


class City(BaseModel):
    name: str
    people: int


def retries_in(messages: Any) -> list[RetryPromptPart]:
    return [part for message in messages for part in message.parts if isinstance(part, RetryPromptPart)]


def test_model_retry_reaches_the_model_word_for_word():
    agent = Agent(script([call('find', {'n': 1})], [call('find', {'n': 2})], text('ok')))

    @agent.tool_plain
    def find(n: int) -> str:
        if n == 1:
            raise ModelRetry('try a larger n')
        return 'found'

    messages = agent.run_sync('go').all_messages()
    retry = retries_in(messages)[0]
    assert (retry.content, retry.tool_name, retry.tool_call_id) == ('try a larger n', 'find', 'id_find')
    assert retry.model_response() == 'try a larger n\n\nFix the errors and try again.'
    assert kinds(messages) == ['user-prompt', 'tool-call', 'retry-prompt', 'tool-call', 'tool-return', 'text']


def test_invalid_arguments_never_reach_the_tool():
    called: list[int] = []
    agent = Agent(
        script([call('find', {'n': 'many'})], [call('find', '{"n": 2')], [call('find', '{"n": 2}')], text('ok'))
    )

    @agent.tool_plain(retries=2)
    def find(n: int) -> str:
        called.append(n)
        return 'found'

    messages = agent.run_sync('go').all_messages()
    first, second = retries_in(messages)
    assert isinstance(first.content, list) and isinstance(second.content, list)
    assert (first.content[0]['loc'], first.content[0]['type']) == (('n',), 'int_parsing')
    assert second.content[0]['type'] == 'json_invalid'
    assert called == [2]


@pytest.mark.parametrize('allowed', [0, 1, 3])
@pytest.mark.parametrize('where', ['agent', 'table', 'tool'])
def test_a_tool_has_as_many_tries_as_allowed(allowed: int, where: str):
    tries: list[tuple[int, int, bool]] = []
    options: dict[str, Any] = {'agent': {'retries': allowed}, 'table': {'retries': {'tools': allowed}}, 'tool': {}}[
        where
    ]
    agent = Agent(script([call('fail')]), **options)

    @agent.tool(**({'retries': allowed} if where == 'tool' else {}))
    def fail(ctx: RunContext) -> None:
        tries.append((ctx.retry, ctx.max_retries, ctx.last_attempt))
        raise ModelRetry('again')

    with pytest.raises(
        UnexpectedModelBehavior,
        match=rf"^Tool 'fail' exceeded max retries count of {allowed}\nTool 'fail' was given up",
    ) as caught:
        agent.run_sync('go')
    assert isinstance(caught.value.__cause__, ModelRetry)
    assert tries == [(n, allowed, n == allowed) for n in range(allowed + 1)]


def test_tools_count_their_failures_apart():
    agent = Agent(script([call('a'), call('b')], [call('a')], [call('b')], text('ok')))
    failed: dict[str, int] = {}

    def flaky(name: str) -> Any:
        def run() -> str:
            failed[name] = failed.get(name, 0) + 1
            if failed[name] == 1:
                raise ModelRetry(f'{name} again')
            return name

        return run

    agent.tool_plain(name='a')(flaky('a'))
    agent.tool_plain(name='b')(flaky('b'))
    result = agent.run_sync('go')
    assert result.output == 'ok'
    assert [part.content for part in retries_in(result.all_messages())] == ['a again', 'b again']


def test_a_success_gives_all_tries_back():
    agent = Agent(
        script([call('t', {'ok': False})], [call('t', {'ok': True})], [call('t', {'ok': False})], text('end'))
    )
    seen: list[int] = []

    @agent.tool
    def t(ctx: RunContext, ok: bool) -> str:
        seen.append(ctx.retry)
        if not ok:
            raise ModelRetry('no')
        return 'yes'

    assert agent.run_sync('go').output == 'end'
    assert seen == [0, 1, 0]


def test_unknown_tools_are_answered_with_those_there_are():
    agent = Agent(script([call('findd')], text('ok')))
    agent.tool_plain(name='find')(lambda: 1)
    agent.tool_plain(name='search')(lambda: 1)
    (retry,) = retries_in(agent.run_sync('go').all_messages())
    assert retry.content == "Unknown tool name: 'findd'. Available tools: 'find', 'search'"
    with pytest.raises(UnexpectedModelBehavior, match="Tool 'nothing' exceeded max retries count of 1"):
        Agent(script([call('nothing')])).run_sync('go')


def test_an_args_validator_may_ask_for_other_arguments():
    agent = Agent(script([call('pay', {'amount': -1})], [call('pay', {'amount': 2})], text('paid')))
    paid: list[int] = []

    def positive(ctx: RunContext, amount: int) -> None:
        if amount < 0:
            raise ModelRetry('amounts are positive')

    @agent.tool(args_validator=positive)
    def pay(ctx: RunContext, amount: int) -> str:
        paid.append(amount)
        return 'ok'

    result = agent.run_sync('go')
    assert result.output == 'paid' and paid == [2]
    assert retries_in(result.all_messages())[0].content == 'amounts are positive'


# Outputs


def test_an_invalid_output_is_sent_back():
    agent = Agent(
        script([call('final_result', {'name': 'Rome'})], [call('final_result', {'name': 'Rome', 'people': 3})]),
        output_type=City,
    )
    result = agent.run_sync('go')
    assert result.output == City(name='Rome', people=3)
    (retry,) = retries_in(result.all_messages())
    assert isinstance(retry.content, list)
    assert (retry.content[0]['loc'], retry.content[0]['type']) == (('people',), 'missing')


@pytest.mark.parametrize('allowed', [0, 2])
@pytest.mark.parametrize('where', ['agent', 'table', 'run', 'run table', 'override'])
def test_an_output_has_as_many_tries_as_allowed(allowed: int, where: str):
    seen: Any = []
    agent_options: Any = {'agent': {'retries': allowed}, 'table': {'retries': {'output': allowed}}}.get(where, {})
    run_options: Any = {'run': {'retries': allowed}, 'run table': {'retries': {'output': allowed}}}.get(where, {})
    agent = Agent(script([call('final_result', {})], seen=seen), output_type=City, **agent_options)
    with pytest.raises(
        UnexpectedModelBehavior, match=rf'^Exceeded maximum output retries \({allowed}\)\nThe output was'
    ) as caught:
        if where == 'override':
            with agent.override(retries=allowed):
                agent.run_sync('go')
        else:
            agent.run_sync('go', **run_options)
    assert isinstance(caught.value.__cause__, ValidationError)
    assert len(seen) == allowed + 1


def test_an_output_tool_may_have_a_limit_of_its_own():
    seen: Any = []
    agent = Agent(
        script([call('city', {})], seen=seen), output_type=ToolOutput(City, name='city', max_retries=3), retries=0
    )
    with pytest.raises(UnexpectedModelBehavior, match=r'Exceeded maximum output retries \(3\)'):
        agent.run_sync('go')
    assert len(seen) == 4


def test_output_validators_run_in_order_and_may_ask_again():
    agent = Agent(script(text('a'), text('bb'), text('ccc')), retries={'output': 2})
    log: list[Any] = []

    @agent.output_validator
    def long_enough(value: str) -> str:
        log.append(value)
        if len(value) < 2:
            raise ModelRetry('longer, please')
        return value.upper()

    @agent.output_validator
    async def longer(ctx: RunContext, value: str) -> str:
        log.append((ctx.retry, value))
        if len(value) < 3:
            raise ModelRetry(f'longer than {value}')
        return value + '!'

    result = agent.run_sync('go')
    assert result.output == 'CCC!'
    assert log == ['a', 'bb', (1, 'BB'), 'ccc', (2, 'CCC')]
    assert [retry.content for retry in retries_in(result.all_messages())] == ['longer, please', 'longer than BB']


def test_text_where_a_tool_is_due_is_sent_back():
    good = [call('final_result', {'name': 'Rome', 'people': 3})]
    result = Agent(script(text('Rome!'), good), output_type=ToolOutput(City)).run_sync('go')
    (retry,) = retries_in(result.all_messages())
    assert retry.content == 'Please include your response in a tool call.' and retry.tool_name is None
    assert result.output.name == 'Rome'


def test_tool_tries_and_output_tries_are_counted_apart():
    agent = Agent(
        script(
            [call('t')], [call('final_result', {})], [call('t')], [call('final_result', {'name': 'R', 'people': 1})]
        ),
        output_type=City,
        retries=1,
    )
    calls: list[int] = []

    @agent.tool_plain
    def t() -> str:
        calls.append(1)
        if len(calls) == 1:
            raise ModelRetry('once')
        return 'ok'

    assert agent.run_sync('go').output == City(name='R', people=1)


def test_the_run_goes_on_after_several_failures_in_one_response():
    agent = calling(call('t', {'n': 1}, 'c1'), call('t', {'n': 'x'}, 'c2'), call('t', {'n': 3}, 'c3'))

    @agent.tool_plain
    def t(n: int) -> int:
        if n == 3:
            raise ModelRetry('not three')
        return n

    messages = agent.run_sync('go').all_messages()
    answers = messages[2].parts
    assert [(type(part), part.tool_call_id) for part in answers] == [  # type: ignore[union-attr]
        (ToolReturnPart, 'c1'),
        (RetryPromptPart, 'c2'),
        (RetryPromptPart, 'c3'),
    ]
    assert outline(messages)[2][0] == ('tool-return', 1)
