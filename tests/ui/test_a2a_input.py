"""A2A: a task whose run waits needs input, and its run continues with the answer, once."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip('fasta2a')

from stead import Agent, DeferredToolRequests
from stead.capabilities import Journal
from stead.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from stead.models.function import FunctionModel
from stead.tools import ToolDefinition
from stead.toolsets import ExternalToolset
from stead.ui.a2a import RecentStorage, agent_to_a2a

from .test_a2a import ask, client_of, data, text

JOURNAL = pytest.mark.parametrize('has_journal', [True, False], ids=['journal', 'alone'])


def calling(*names: str) -> FunctionModel:
    """Return a model that calls the tools, and then says what they returned."""

    def reply(messages: Any, info: Any) -> ModelResponse:
        last = messages[-1].parts
        if isinstance(last[-1], ToolReturnPart):
            return ModelResponse([TextPart(f'said {[part.content for part in last]}')])
        if 'pay' not in str(last[-1].content):
            return ModelResponse([TextPart('hello')])
        return ModelResponse([ToolCallPart(name, {}, f'c{place}') for place, name in enumerate(names)])

    return FunctionModel(reply)


def desk(
    journal: Journal[Any] | None, paid: list[str], *, inside: bool = False, name: str = 'desk'
) -> Agent[None, Any]:
    output: Any = [str, DeferredToolRequests]
    capabilities = [journal] if journal else []
    agent = Agent(calling('pay'), name='payer' if inside else name, output_type=output, capabilities=capabilities)

    @agent.tool_plain(requires_approval=True)
    def pay() -> str:
        paid.append('pay')
        return 'paid'

    if not inside:
        return agent
    outer = Agent(calling('pass_on'), name=name, output_type=output, capabilities=capabilities)

    @outer.tool_plain(effect='idempotent')
    async def pass_on() -> str:
        return str((await agent.run('pay')).output)

    return outer


def question_of(task: dict[str, Any]) -> dict[str, Any]:
    """Return the data of the question that a task ends with."""
    assert task['status']['state'] == 'input-required'
    message, asked = task['history'][-1]['parts']
    assert 'Answer with data' in message['text']
    return asked['data']


def talk(task: dict[str, Any], *, same_task: bool = True) -> dict[str, str]:
    return {'contextId': task['contextId'], **({'taskId': task['id']} if same_task else {})}


@JOURNAL
@pytest.mark.parametrize('same_task', [True, False], ids=['the task', 'its conversation'])
def test_an_approval_continues_the_run_once(has_journal: bool, same_task: bool, tmp_path: Path) -> None:
    async def main() -> None:
        paid: list[str] = []
        journal: Journal[Any] | None = Journal(tmp_path / 'runs.db') if has_journal else None
        async with client_of(agent_to_a2a(desk(journal, paid))) as client:
            task = await ask(client, text('pay'))
            asked = question_of(task)
            ((one,), calls) = asked['approvals'], asked['calls']
            assert (one['tool'], one['args'], calls, paid) == ('pay', {}, [], [])
            yes = data({'approvals': {one['id']: True}})
            done = await ask(client, yes, **talk(task, same_task=same_task))
            assert (done['id'] == task['id']) is same_task
            assert (done['status']['state'], paid) == ('completed', ['pay'])
            assert done['artifacts'][-1]['parts'][0]['text'] == "said ['paid']"
            again = await ask(client, yes, **talk(task))
            assert (again['status']['state'], paid) == ('rejected', ['pay'])
            assert 'decided about' in again['history'][-1]['parts'][0]['text']
            more = await ask(client, text('and now?'), **talk(done))
            assert more['artifacts'][-1]['parts'][0]['text'] == 'hello'
        if journal is not None:
            assert [run.status for run in await journal.runs()] == ['done', 'done']

    asyncio.run(main())


@JOURNAL
@pytest.mark.parametrize(
    'answer', [False, {'approved': False, 'reason': 'too much'}, 'yes', 1, {'approved': 'true'}, None], ids=repr
)
def test_what_is_not_a_clear_yes_is_a_no(has_journal: bool, answer: object) -> None:
    async def main() -> None:
        paid: list[str] = []
        async with client_of(agent_to_a2a(desk(Journal() if has_journal else None, paid))) as client:
            task = await ask(client, text('pay'))
            (one,) = question_of(task)['approvals']
            done = await ask(client, data({'approvals': {one['id']: answer}}), **talk(task))
            reason = 'too much' if isinstance(answer, dict) and 'reason' in answer else 'The tool call was denied.'
            assert done['artifacts'][-1]['parts'][0]['text'] == f'said [{reason!r}]'
            assert paid == []

    asyncio.run(main())


@JOURNAL
def test_an_answer_to_another_question_leaves_the_task_waiting(has_journal: bool) -> None:
    async def main() -> None:
        paid: list[str] = []

        def journal() -> Journal[Any] | None:
            return Journal() if has_journal else None

        async with client_of(agent_to_a2a(desk(journal(), paid, name='other'))) as client:
            (of_another_agent,) = question_of(await ask(client, text('pay')))['approvals']
        async with client_of(agent_to_a2a(desk(journal(), paid))) as client:
            (of_another_talk,) = question_of(await ask(client, text('pay')))['approvals']
            task = await ask(client, text('pay'))
            (one,) = question_of(task)['approvals']
            for id in (of_another_agent['id'], of_another_talk['id'], 'c0', one['id'][:-1], ''):
                left = await ask(client, data({'approvals': {id: True}}), **talk(task))
                assert (left['status']['state'], paid) == ('input-required', [])
            done = await ask(client, data({'approvals': {one['id']: True}}), **talk(task))
            assert (done['status']['state'], paid) == ('completed', ['pay'])

    asyncio.run(main())


@JOURNAL
def test_a_result_from_elsewhere_continues_the_run(has_journal: bool) -> None:
    async def main() -> None:
        look = ToolDefinition(name='look', parameters_json_schema={'type': 'object'})
        agent = Agent(
            calling('look'),
            output_type=[str, DeferredToolRequests],
            toolsets=[ExternalToolset([look])],
            capabilities=[Journal()] if has_journal else [],
        )
        async with client_of(agent_to_a2a(agent)) as client:
            task = await ask(client, text('pay'))
            assert question_of(task) == {'approvals': [], 'calls': [{'id': 'c0', 'tool': 'look', 'args': {}}]}
            done = await ask(client, data({'calls': {'c0': 'a lamp'}}), **talk(task))
            assert done['artifacts'][-1]['parts'][0]['text'] == "said ['a lamp']"

    asyncio.run(main())


def test_an_agent_inside_of_a_tool_asks_too(tmp_path: Path) -> None:
    async def main() -> None:
        paid: list[str] = []
        storage = RecentStorage()
        async with client_of(
            agent_to_a2a(desk(Journal(tmp_path / 'runs.db'), paid, inside=True), storage=storage)
        ) as client:
            task = await ask(client, text('pay'))
        journal: Journal[Any] = Journal(tmp_path / 'runs.db')  # after a restart, with a storage that lasts
        async with client_of(agent_to_a2a(desk(journal, paid, inside=True), storage=storage)) as client:
            (one,) = question_of(task)['approvals']
            assert (one['tool'], paid) == ('pay', [])
            done = await ask(client, data({'approvals': {one['id']: True}}), **talk(task))
            assert done['artifacts'][-1]['parts'][0]['text'] == 'said ["said [\'paid\']"]'
        assert (paid, {run.status for run in await journal.runs()}) == (['pay'], {'done'})

    asyncio.run(main())


def test_someone_who_goes_on_without_an_answer_is_heard() -> None:
    async def main() -> None:
        paid: list[str] = []
        async with client_of(agent_to_a2a(desk(None, paid))) as client:
            task = await ask(client, text('pay'))
            question_of(task)
            done = await ask(client, text('never mind'), **talk(task))
            assert (done['artifacts'][-1]['parts'][0]['text'], paid) == ('hello', [])

    asyncio.run(main())


def test_tasks_that_wait_for_input_give_way_to_new_ones() -> None:
    class Small(RecentStorage):
        most = 2

    async def main() -> None:
        async with client_of(agent_to_a2a(desk(None, []), storage=Small())) as client:
            for _ in range(4):
                question_of(await ask(client, text('pay')))

    asyncio.run(main())
