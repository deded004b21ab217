"""Messages that are added to a run while it runs."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from stead import Agent, RunContext, UserError
from stead.graph import End
from stead.journal import Journal, MemoryStore
from stead.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from stead.models.function import AgentInfo, FunctionModel
from stead.models.test import TestModel
from stead.run import AgentRunResult
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


@pytest.mark.parametrize('is_left', [False, True])
def test_what_is_taken_out_of_the_queue_stays_out_after_a_crash(is_left: bool) -> None:
    def script(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if len(messages) == 1:
            return ModelResponse(parts=[ToolCallPart('add', {}), ToolCallPart('change', {})])
        return ModelResponse(parts=[TextPart('done')])

    journal = Journal(MemoryStore())
    agent = Agent(FunctionModel(script), name='queue', capabilities=[journal])
    ids: list[str | None] = []

    @agent.tool(sequential=True)
    def add(ctx: RunContext) -> None:
        ids.extend(ctx.enqueue(text, priority='when_idle') for text in ('a', 'b', 'c'))

    @agent.tool(sequential=True)
    def change(ctx: RunContext) -> None:
        first, second, _ = ids
        assert first is not None
        assert second is not None
        assert ctx.dequeue(first)
        assert not ctx.dequeue(first)
        assert ctx.set_enqueue_priority(second, 'asap')
        ctx.enqueue('d', priority='when_idle')

    async def check() -> list[object]:
        async with agent.iter('hi') as run:
            node: Any = run.next_node
            for _ in range(3):
                node = await run.next(node)
            if not is_left:
                while not isinstance(node, End):
                    node = await run.next(node)
                assert run.result is not None
                return prompts(run.result)
        (left,) = await journal.runs(status='running')
        waiting = (await journal.state(left.run_id)).pending_messages
        assert [(item.enqueue_id == ids[1], item.priority) for item in waiting][:2] == [
            (True, 'asap'),
            (False, 'when_idle'),
        ]
        return prompts(await journal.resume(agent, left.run_id))

    def prompts(result: AgentRunResult[Any]) -> list[object]:
        parts = [part for message in result.all_messages() for part in message.parts]
        return [part.content for part in parts if isinstance(part, UserPromptPart)]

    assert asyncio.run(check()) == ['hi', 'b', 'c', 'd']


def test_only_a_run_has_a_queue() -> None:
    ctx = RunContext(deps=None, model=TestModel(), usage=RunUsage())
    for change in (lambda: ctx.dequeue('x'), lambda: ctx.set_enqueue_priority('x', 'asap')):
        with pytest.raises(UserError, match='There is no queue of messages'):
            change()
    with pytest.raises(UserError, match='The priority of messages is one of'):
        ctx.set_enqueue_priority('x', cast(Any, 'soon'))
