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
from stead.capabilities import HandleDeferredToolCalls
from stead.journal import Journal, MemoryStore
from stead.messages import ModelRequest, ModelResponse, TextPart, ToolCallPart, ToolReturnPart, UserPromptPart
from stead.models.function import FunctionModel
from stead.tools import DeferredToolResults
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


def test_a_call_that_has_the_id_of_an_earlier_one_and_was_allowed_is_in_doubt_after_a_crash() -> None:
    store, paid = MemoryStore(), list[str]()

    class Killed(BaseException):
        """Stands for the end of the process."""

    def allow(ctx: Any, requests: DeferredToolRequests) -> DeferredToolResults | None:
        if any(data['kind'] == 'reconcile' for data in requests.metadata.values()):
            return None
        return DeferredToolResults(approvals={call.tool_call_id: True for call in requests.approvals})

    def respond(messages: Any, info: Any) -> ModelResponse:
        if isinstance(messages[-1].parts[-1], UserPromptPart):
            return ModelResponse([ToolCallPart('pay', {}, 'call_0')])  # as some servers call every call
        return ModelResponse([TextPart('done')])

    async def process(*, dies: bool) -> Any:
        journal: Journal[Any] = Journal(store, conversations=True)
        options: Any = {
            'output_type': [str, DeferredToolRequests],
            'capabilities': [journal, HandleDeferredToolCalls(allow)],
        }
        agent = Agent(FunctionModel(respond), name='desk', **options)

        @agent.tool_plain(requires_approval=True)
        def pay() -> str:
            paid.append('lamp')
            if dies and len(paid) == 2:
                raise Killed
            return 'paid'

        if dies:
            await agent.run('Pay.', conversation_id='talk')
            with pytest.raises(Killed):
                await agent.run('Pay again.', conversation_id='talk')
            return None
        (run,) = await journal.runs(status='running')
        requests = (await journal.resume(agent, run.run_id)).output
        (call,) = requests.approvals
        await journal.answer(run.run_id, DeferredToolResults(calls={call.tool_call_id: 'paid'}))
        assert (await journal.resume(agent, run.run_id)).output == 'done'
        messages = await journal.messages(run.run_id)
        calls = [part.tool_call_id for message in messages for part in message.parts if isinstance(part, ToolCallPart)]
        answers = [
            part.tool_call_id for message in messages for part in message.parts if isinstance(part, ToolReturnPart)
        ]
        assert calls == answers and calls[1:] == [call.tool_call_id] != calls[:1]
        page = httpx.AsyncClient(
            transport=httpx.ASGITransport(app=create_inspector(journal)), base_url='http://localhost/api/inspect/'
        )
        step = (await page.get(f'runs/{run.run_id}')).json()['steps'][0]
        assert [(one['outcome'], one['effect']) for one in step['calls']] == [('success', 'write')]

    asyncio.run(process(dies=True))
    asyncio.run(process(dies=False))
    assert paid == ['lamp', 'lamp']
