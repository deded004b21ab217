"""Cassettes beside other features: approvals, threads, processes, MCP servers, requests without an agent, and level 2."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from stead import Agent, DeferredToolRequests
from stead.capabilities import ProcessHistory
from stead.direct import model_request, model_request_stream, model_request_stream_sync, model_request_sync
from stead.messages import ModelMessage, ModelRequest, ToolReturnPart
from stead.testing import CassetteMiss, ScriptedModel, assert_run, call, cassette, say
from tests.counting import Calls

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return 'asyncio'


ASKED: list[ModelMessage] = [ModelRequest.user_text_prompt('Hi')]


async def test_requests_without_an_agent_are_recorded(tmp_path: Path) -> None:
    path = tmp_path / 'a.jsonl'
    with cassette(path, mode='record'):
        await model_request(ScriptedModel(['one']), ASKED)
        async with model_request_stream(ScriptedModel(['two words']), [ModelRequest.user_text_prompt('Ho')]) as stream:
            async for _ in stream:
                pass
    with cassette(path, mode='replay') as opened:
        assert (await model_request(ScriptedModel([]), ASKED)).text == 'one'
        async with model_request_stream(ScriptedModel([]), [ModelRequest.user_text_prompt('Ho')]) as stream:
            async for _ in stream:
                pass
        assert stream.get().text == 'two words'
        assert opened.replayed == 2
        with pytest.raises(CassetteMiss, match='has no such request'):
            await model_request(ScriptedModel([]), [ModelRequest.user_text_prompt('Hey')])


def test_requests_from_sync_code_are_recorded(tmp_path: Path) -> None:
    path = tmp_path / 'a.jsonl'
    for mode, script in (('record', ['one', 'one']), ('replay', [])):
        with cassette(path, mode=mode):  # type: ignore[arg-type]
            model = ScriptedModel(script)
            assert model_request_sync(model, ASKED).text == 'one'
            with model_request_stream_sync(model, ASKED) as stream:
                for _ in stream:
                    pass
            assert stream.response.text == 'one'


def test_a_run_that_asks_is_recorded_with_what_was_decided(tmp_path: Path) -> None:
    path, paid = tmp_path / 'a.jsonl', list[str]()

    def both(model: Any, approved: bool) -> Any:
        agent = Agent(model, output_type=[str, DeferredToolRequests])

        @agent.tool_plain(requires_approval=True)
        def pay(order: str) -> str:
            paid.append(order)
            return 'paid'

        first = agent.run_sync('Pay A-17')
        assert isinstance(first.output, DeferredToolRequests)
        decided = first.output.build_results(
            approve_all=approved,
            approvals={} if approved else {one.tool_call_id: False for one in first.output.approvals},
        )
        return agent.run_sync(message_history=first.all_messages(), deferred_tool_results=decided)

    with cassette(path, mode='record'):
        both(ScriptedModel([call('pay', order='A-17'), say('Paid.')]), True)
    with cassette(path, mode='replay'):
        assert_run(both(ScriptedModel([]), True)).called('pay', order='A-17').wrote('Paid.')
        with pytest.raises(CassetteMiss, match='denied'):
            both(ScriptedModel([]), False)
    assert paid == ['A-17', 'A-17']


def test_tools_in_threads_and_parallel_calls_are_replayed(tmp_path: Path) -> None:
    path = tmp_path / 'a.jsonl'

    def run(model: Any) -> Any:
        agent = Agent(model)

        @agent.tool_plain
        def find(order: str) -> str:
            return Agent(ScriptedModel([say(f'{order} found')] if script else [])).run_sync(order).output

        return agent.run_sync('Where are they?')

    script: Callable[[], bool] | bool = True
    calls = call('find', order='A') & call('find', order='B') & call('find', order='C')
    with cassette(path, mode='record'):
        recorded = run(ScriptedModel([calls, say('There.')]))
    script = False
    with cassette(path, mode='replay') as opened:
        assert run(ScriptedModel([])).output == recorded.output == 'There.'
        assert opened.replayed == 5


@pytest.mark.parametrize('level', ['1', '2'])
def test_another_process_replays_it(tmp_path: Path, level: str) -> None:
    script = tmp_path / 'desk.py'
    script.write_text(
        'import sys\n'
        'from pydantic_ai import Agent\n'
        'from stead.testing import ScriptedModel, call, cassette, say\n'
        "steps = [call('find', order='A-17'), say('Two lamps.')] if sys.argv[1] == 'record' else []\n"
        'agent = Agent(ScriptedModel(steps))\n'
        '@agent.tool_plain\n'
        'def find(order: str) -> str:\n'
        "    return 'two lamps'\n"
        'with cassette(sys.argv[2], mode=sys.argv[1]):\n'
        "    print(agent.run_sync('Where is A-17?').output)\n"
    )

    def run(mode: str) -> str:
        command = [sys.executable, '-m', 'stead.dropin', '--level', level, str(script), mode, str(tmp_path / 'a.jsonl')]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    assert run('record') == run('replay') == 'Two lamps.\n'


async def test_tools_of_mcp_servers_are_replayed(tmp_path: Path) -> None:
    fastmcp = pytest.importorskip('fastmcp')
    from stead.mcp import MCPToolset

    server: Any = fastmcp.FastMCP('desk')
    asked: list[str] = []

    @server.tool
    def find(order: str) -> str:
        asked.append(order)
        return 'two lamps'

    path = tmp_path / 'a.jsonl'
    for mode, steps in (('record', [call('find', order='A-17'), say('There.')]), ('replay', [])):
        with cassette(path, mode=mode, replay_tools=True):  # type: ignore[arg-type]
            agent = Agent(ScriptedModel(steps), toolsets=[MCPToolset(server)])
            assert (await agent.run('Where is A-17?')).output == 'There.'
    assert asked == ['A-17']


async def test_a_miss_late_in_a_long_run_is_found_without_a_look_at_all_before(tmp_path: Path) -> None:
    """A conversation that is twice as long takes twice as many calls of functions to be compared, not four times as many."""

    async def calls_of(steps: int) -> int:
        path = tmp_path / f'{steps}.jsonl'

        def desk(model: Any) -> Any:
            agent = Agent(model)

            @agent.tool_plain
            def find(order: int) -> str:
                return f'lamp {order}'

            return agent

        with cassette(path, mode='record'):
            script = [*(call('find', order=order) for order in range(steps)), say('Done.')]
            history = (await desk(ScriptedModel(script)).run('Find all')).all_messages()[:-1]
        changed: list[ModelMessage] = [*history[:-1], ModelRequest(parts=[*history[-1].parts])]
        changed[-1].parts = [*history[-1].parts, *ModelRequest.user_text_prompt('And then?').parts]  # type: ignore[assignment]
        miss = pytest.raises(CassetteMiss, match=f'request {steps + 1}, which is most like it')
        with cassette(path, mode='replay'), Calls() as calls, miss:
            await desk(ScriptedModel([])).run(message_history=changed)
        return calls.all

    await calls_of(3)  # what is loaded once is not counted
    short, long = await calls_of(22), await calls_of(44)
    assert long < 2.6 * short, (short, long)


def searching(model: Any, **options: Any) -> Agent[None, str]:
    agent: Agent[None, str] = Agent(model, **options)

    @agent.tool_plain
    async def find(order: int) -> str:
        return f'lamp {order}'

    return agent


def searches(steps: int) -> ScriptedModel:
    return ScriptedModel([*(call('find', order=order) for order in range(steps)), say('Done.')])


async def functions_of(run: Callable[[], Awaitable[object]]) -> int:
    """Return how many functions in Python a run calls."""
    with Calls() as calls:
        await run()
    return calls.all


async def test_a_replayed_run_costs_little_beside_the_run(tmp_path: Path) -> None:
    """A thousand runs of two requests are replayed in a second on a core: less than twice what the run costs by itself."""
    with cassette(tmp_path / 'a.jsonl', mode='record'):
        await searching(searches(1)).run('Find all')
    scripted = searching(searches(1))
    await searching(searches(1)).run('Find all')
    plain = await functions_of(lambda: scripted.run('Find all'))
    with cassette(tmp_path / 'a.jsonl', mode='replay'):
        agent = searching(ScriptedModel([]))
        await agent.run('Find all')
        assert await functions_of(lambda: agent.run('Find all')) < 2 * plain


async def test_a_long_run_is_looked_up_without_a_look_at_all_before(tmp_path: Path) -> None:
    async def replayed(steps: int) -> int:
        path = tmp_path / f'{steps}.jsonl'
        with cassette(path, mode='record'):
            await searching(searches(steps)).run('Find all')
        with cassette(path, mode='replay'):
            return await functions_of(lambda: searching(ScriptedModel([])).run('Find all'))

    await replayed(3)  # what is loaded once is not counted
    short, long = await replayed(20), await replayed(40)
    assert long < 2.3 * short, (short, long)


async def test_runs_at_the_same_time_and_messages_that_change_in_place_are_told_apart(tmp_path: Path) -> None:
    def hide(messages: list[ModelMessage]) -> list[ModelMessage]:
        """Change all results but the last in place, as hooks may."""
        for message in messages[:-1]:
            for part in message.parts:
                if isinstance(part, ToolReturnPart):
                    part.content = hidden
        return messages

    hidden: str | list[str] = 'hidden'
    options: dict[str, Any] = {'capabilities': [ProcessHistory(hide)]}
    path = tmp_path / 'a.jsonl'
    with cassette(path, mode='record'):
        for prompt in ('Find all', 'Find some'):
            await searching(searches(3), **options).run(prompt)
    with cassette(path, mode='replay'):
        agent = searching(ScriptedModel([]), **options)
        results = await asyncio.gather(*(agent.run(prompt) for prompt in ['Find all', 'Find some'] * 12))
    assert [result.output for result in results] == ['Done.'] * 24
    hidden = 'gone'
    with cassette(path, mode='replay'), pytest.raises(CassetteMiss, match="message 3: .*'hidden' → 'gone'"):
        await searching(ScriptedModel([]), **options).run('Find all')
