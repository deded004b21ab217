"""Stepping through a run: the nodes, what lies between them, and what may be put in their place."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from stead import Agent, UserError, capture_run_messages
from stead.agent import AgentRun
from stead.graph import End
from stead.messages import ModelRequest, ModelResponse, TextPart, UserPromptPart
from stead.result import FinalResult

from .kit import call, calling, kinds, script, text


def agent_with_tool() -> Agent[Any, str]:
    agent = calling(call('look'), then='found')
    agent.tool_plain(name='look')(lambda: 'a cat')
    return agent


def test_nodes_come_in_order():
    async def main() -> list[Any]:
        async with agent_with_tool().iter('find it') as run:
            return [node async for node in run]

    nodes = asyncio.run(main())
    checks = [Agent.is_user_prompt_node, Agent.is_model_request_node, Agent.is_call_tools_node, Agent.is_end_node]
    which = [next(index for index, check in enumerate(checks) if check(node)) for node in nodes]
    assert which == [0, 1, 2, 1, 2, 3]
    assert all(sum(bool(check(node)) for check in checks) == 1 for node in nodes), 'a node is of one kind only'
    assert nodes[0].user_prompt == 'find it'
    assert nodes[1].request.parts[0].content == 'find it'
    assert nodes[2].model_response.tool_calls[0].tool_name == 'look'
    assert nodes[3].request.parts[0].content == 'a cat'
    assert nodes[5] == End(FinalResult('found'))


def test_messages_grow_from_node_to_node():
    async def main() -> list[tuple[str, list[str], int]]:
        async with agent_with_tool().iter('find it') as run:
            return [(type(node).__name__, kinds(run.all_messages()), run.usage.requests) async for node in run]

    first = ['user-prompt', 'tool-call']
    assert asyncio.run(main()) == [
        ('UserPromptNode', [], 0),
        ('ModelRequestNode', [], 0),
        ('CallToolsNode', first, 1),
        ('ModelRequestNode', first, 1),
        ('CallToolsNode', [*first, 'tool-return', 'text'], 2),
        ('End', [*first, 'tool-return', 'text'], 2),
    ]


def test_next_runs_one_node_and_says_what_follows():
    async def main() -> None:
        async with agent_with_tool().iter('find it') as run:
            node: Any = run.next_node
            steps = 0
            while not Agent.is_end_node(node):
                assert run.result is None
                assert repr(run).startswith('<AgentRun result=<run not finished> usage=RunUsage(')
                node = await run.next(node)
                assert run.next_node is node
                steps += 1
            assert steps == 5
            assert run.result is not None and run.result.output == 'found'
            assert "result='found'" in repr(run)

    asyncio.run(main())


def test_loops_and_next_may_be_mixed():
    async def main() -> list[str]:
        names: list[str] = []
        async with agent_with_tool().iter('find it') as run:
            async for node in run:
                names.append(type(node).__name__)
                if Agent.is_model_request_node(node):
                    names.append('->' + type(await run.next(node)).__name__)
            assert run.result is not None and run.result.output == 'found'
            assert run.usage.requests == 2, 'a node that ran already is not run again'
        return names

    names = asyncio.run(main())
    assert names[0] == 'UserPromptNode' and names[-1] == 'End' and names.count('->CallToolsNode') == 2


def test_a_node_can_be_run_twice_and_does_its_work_once():
    ran: list[int] = []
    agent = calling(call('look'), then='found')
    agent.tool_plain(name='look')(lambda: ran.append(1))

    async def main() -> AgentRun[Any, Any]:
        async with agent.iter('find it') as run:
            request = await run.next(run.next_node)
            response = await run.next(request)
            assert await run.next(request) is response
            following = await run.next(response)
            assert await run.next(response) is following
        return run

    run = asyncio.run(main())
    assert ran == [1] and run.usage.requests == 1


def test_a_request_can_be_changed_before_it_is_sent():
    seen: list[Any] = []

    async def main() -> None:
        async with Agent(script(text('ok'), seen=seen)).iter('one') as run:
            node = await run.next(run.next_node)
            assert Agent.is_model_request_node(node)
            node.request.parts = [*node.request.parts, UserPromptPart('two')]
            while not Agent.is_end_node(node):
                node = await run.next(node)

    asyncio.run(main())
    assert [part.content for part in seen[0][0][0].parts] == ['one', 'two']


def test_another_node_can_take_the_place_of_the_next():
    from stead.agent import CallToolsNode, ModelRequestNode

    async def main() -> str:
        async with agent_with_tool().iter('find it') as run:
            node = await run.next(run.next_node)
            node = await run.next(CallToolsNode(ModelResponse(parts=[TextPart('made up')])))
            assert run.result is not None and run.result.output == 'made up'
        async with Agent(script(text('ok'))).iter('one') as run:
            await run.next(run.next_node)
            node = await run.next(ModelRequestNode(ModelRequest(parts=[UserPromptPart('other')])))
            assert Agent.is_call_tools_node(node)
            assert run.all_messages()[0].parts[0].content == 'other'  # type: ignore[union-attr]
            await run.next(node)
            assert run.result is not None
            return run.result.output

    assert asyncio.run(main()) == 'ok'


def test_the_end_cannot_be_run():
    async def main() -> None:
        async with Agent(script(text('ok'))).iter('one') as run:
            async for _ in run:
                pass
            with pytest.raises(UserError, match=r'`AgentRun.result`'):
                await run.next(run.next_node)  # type: ignore[arg-type]
            assert [node async for node in run] == [], 'a finished run has no more nodes'

    asyncio.run(main())


def test_a_run_can_be_left_before_its_end():
    async def main() -> None:
        async with agent_with_tool().iter('find it') as run:
            async for node in run:
                if Agent.is_call_tools_node(node):
                    break
        assert run.result is None
        assert kinds(run.all_messages()) == ['user-prompt', 'tool-call']
        assert run.usage.requests == 1

    asyncio.run(main())


def test_what_is_captured_is_what_the_run_has():
    async def main() -> None:
        with capture_run_messages() as messages:
            async with agent_with_tool().iter('find it') as run:
                async for _ in run:
                    assert messages == run.all_messages()
        assert kinds(messages) == ['user-prompt', 'tool-call', 'tool-return', 'text']

    asyncio.run(main())
