"""Messages that are added to a run while it runs."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from stead import Agent, RunContext, UserError
from stead.messages import ModelRequest, ModelResponse, TextPart, UserPromptPart
from stead.models.test import TestModel
from stead.usage import RunUsage

from .kit import call, calling, kinds, outline, script, text


def test_a_tool_adds_to_the_next_request():
    seen: Any = []
    agent = Agent(script([call('t')], text('ok'), seen=seen))

    @agent.tool
    def t(ctx: RunContext) -> str:
        ctx.enqueue('by the way', 'and another thing')
        return 'x'

    result = agent.run_sync('go')
    assert result.output == 'ok'
    assert [part.part_kind for message in seen[1][0][2:] for part in message.parts] == ['tool-return', 'user-prompt']
    assert list(seen[1][0][2].parts[-1].content) == ['by the way', 'and another thing']


def test_several_tools_at_once_lose_nothing():
    agent = calling(*[call('t', {'n': n}, f'c{n}') for n in range(10)])

    @agent.tool
    def t(ctx: RunContext, n: int) -> int:
        ctx.enqueue(f'note {n}')
        return n

    contents = [
        str(c) for row in outline(agent.run_sync('go').all_messages()) for kind, c in row if kind == 'user-prompt'
    ]
    assert sorted(contents) == sorted(['go', *(f'note {n}' for n in range(10))])


def test_when_idle_waits_for_the_end():
    agent = Agent(script([call('t')], text('first end'), text('second end')))

    @agent.tool
    def t(ctx: RunContext) -> str:
        ctx.enqueue('later', priority='when_idle')
        return 'x'

    result = agent.run_sync('go')
    assert result.output == 'second end'
    assert outline(result.all_messages())[2:] == [
        [('tool-return', 'x')],
        [('text', 'first end')],
        [('user-prompt', 'later')],
        [('text', 'second end')],
    ]


def test_a_run_can_be_given_more_from_outside():
    async def main() -> Any:
        async with Agent(script(text('one'), text('two'))).iter('go') as run:
            async for node in run:
                if Agent.is_call_tools_node(node) and run.usage.requests == 1:
                    run.enqueue('wait')
                    assert len(run.pending_messages) == 1
        assert run.result is not None and run.pending_messages == []
        return run.result

    result = asyncio.run(main())
    assert result.output == 'two'
    assert kinds(result.all_messages()) == ['user-prompt', 'text', 'user-prompt', 'text']


def test_whole_messages_can_be_added():
    agent = Agent(script([call('t')], text('ok')))

    @agent.tool
    def t(ctx: RunContext) -> str:
        ctx.enqueue(ModelResponse(parts=[TextPart('I said')]), ModelRequest(parts=[UserPromptPart('and then?')]))
        return 'x'

    assert outline(agent.run_sync('go').all_messages())[2:] == [
        [('tool-return', 'x')],
        [('text', 'I said')],
        [('user-prompt', 'and then?')],
        [('text', 'ok')],
    ]


def test_what_is_added_belongs_to_the_run():
    agent = calling(call('t'))

    @agent.tool
    def t(ctx: RunContext) -> str:
        ctx.enqueue('more')
        return 'x'

    result = agent.run_sync('go')
    assert {message.run_id for message in result.all_messages()} == {result.run_id}
    assert len(result.new_messages()) == len(result.all_messages())


def test_only_a_run_can_deliver():
    context = RunContext(deps=None, model=TestModel(), usage=RunUsage())
    with pytest.raises(UserError, match='does not belong to a running agent'):
        context.enqueue('hello')


def test_the_queue_of_one_run_is_not_that_of_another():
    agent = Agent(TestModel())

    @agent.tool
    def t(ctx: RunContext) -> str:
        if ctx.prompt == 'noisy':
            ctx.enqueue('noise')
        return 'x'

    async def main() -> list[int]:
        results = await asyncio.gather(agent.run('noisy'), agent.run('quiet'))
        return [kinds(result.all_messages()).count('user-prompt') for result in results]

    assert asyncio.run(main()) == [2, 1]
