"""What the pairs have found, each alone."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest

pytest.importorskip('starlette', reason='the package starlette is not installed')

from stead import Agent, DeferredToolRequests
from stead._cli import main as command
from stead.journal import Journal, MemoryStore
from stead.messages import ModelRequest, ModelResponse, ToolCallPart, UserPromptPart
from stead.models.function import FunctionModel
from stead.ui._pages._inspector import create_inspector


def test_the_call_of_an_output_has_its_answer_and_a_run_without_a_prompt_the_last_one_of_its_history() -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal(MemoryStore())
        answers = iter(['many', 2])
        model = FunctionModel(
            lambda messages, info: ModelResponse([ToolCallPart('final_result', {'response': next(answers)})])
        )
        history = [ModelRequest([UserPromptPart('How many?')])]
        await Agent(model, output_type=int, capabilities=[journal]).run(message_history=history)
        transport = httpx.ASGITransport(app=create_inspector(journal))
        page = httpx.AsyncClient(transport=transport, base_url='http://localhost/api/inspect/')
        (run,) = (await page.get('runs')).json()['runs']
        assert (run['prompt'], run['output']) == ('How many?', '2')
        steps = (await page.get(f'runs/{run["id"]}')).json()['steps']
        calls = [call for step in steps for call in step['calls']]
        assert [call['outcome'] for call in calls] == ['failed', 'success']
        assert all(call['at'] <= call['ended'] for call in calls)

    asyncio.run(main())


def test_a_run_that_a_person_went_on_without_is_stopped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async def main() -> Any:
        journal: Journal[Any] = Journal(tmp_path / 'runs.db', conversations=True)
        agent = Agent('test', output_type=[str, DeferredToolRequests], capabilities=[journal])
        agent.tool_plain(pay, requires_approval=True)
        await agent.run('Pay.', conversation_id='talk')
        await journal.conversation('talk').give_up('A person stopped it.')
        await Agent(FunctionModel(broken), capabilities=[journal], name='broken').run('x')

    def pay() -> str:
        return 'paid'

    def broken(messages: Any, info: Any) -> ModelResponse:
        raise OSError('no model')

    with pytest.raises(OSError, match='no model'):
        asyncio.run(main())

    async def look() -> tuple[list[str], str]:
        transport = httpx.ASGITransport(app=create_inspector(Journal(tmp_path / 'runs.db')))
        page = httpx.AsyncClient(transport=transport, base_url='http://localhost/api/inspect/')
        runs = (await page.get('runs')).json()['runs']
        trace = (await page.get(f'runs/{runs[-1]["id"]}')).json()
        return [run['status'] for run in runs], trace['run']['status']

    assert asyncio.run(look()) == (['failed', 'stopped'], 'stopped')
    for status in ('stopped', 'failed'):
        assert command(['runs', '--journal', str(tmp_path / 'runs.db'), 'list', '--status', status]) == 0
        rows = capsys.readouterr().out.splitlines()[1:]
        assert [row.split()[-2] for row in rows] == [status]


@pytest.mark.parametrize(
    ('calls', 'ends'),
    [
        (['broken'], {'broken': 'failed'}),
        (['broken', 'waits'], {'broken': None, 'waits': None}),
    ],  # it is not known which
)
def test_a_call_that_ended_its_run_has_failed(calls: list[str], ends: dict[str, str | None]) -> None:
    journal: Journal[Any] = Journal(MemoryStore())
    model = FunctionModel(lambda messages, info: ModelResponse([ToolCallPart(name, {}) for name in calls]))
    agent = Agent(model, capabilities=[journal])
    waiting = asyncio.Event()

    @agent.tool_plain
    async def broken() -> None:
        if len(calls) > 1:
            await waiting.wait()
        raise OSError('out of order')

    @agent.tool_plain
    async def waits() -> None:
        waiting.set()
        await asyncio.Event().wait()

    async def main() -> list[Any]:
        with pytest.raises(OSError, match='out of order'):
            await agent.run('Begin.')
        transport = httpx.ASGITransport(app=create_inspector(journal))
        page = httpx.AsyncClient(transport=transport, base_url='http://localhost/api/inspect/')
        (run,) = (await page.get('runs')).json()['runs']
        return (await page.get(f'runs/{run["id"]}')).json()['steps']

    (step,) = asyncio.run(main())
    assert {call['tool']: call['outcome'] for call in step['calls']} == ends
    if len(calls) == 1:
        assert step['calls'][0]['result'] == 'OSError: out of order'
        assert step['calls'][0]['at'] <= step['calls'][0]['ended']
