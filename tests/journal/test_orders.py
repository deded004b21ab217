"""Runs that are paused, steered and cancelled from elsewhere: another journal of the same store, and another process."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stead import Agent, RunCancelled, RunContext, UserError
from stead._cli import main as stead
from stead.journal import EncryptedStore, Journal, JournalError, MemoryStore, PostgresStore, RunNotFound, SqliteStore
from stead.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from stead.models.function import AgentInfo, FunctionModel

from ..waiting import until
from .conftest import PostgresServer

ROOT = Path(__file__).parent.parent.parent
FULL = pytest.mark.skipif(os.environ.get('STEAD_TRUST_FULL') != '1', reason='a server is started; `make trust` does so')


def prompts(messages: list[ModelMessage]) -> list[Any]:
    return [
        part.content
        for one in messages
        if isinstance(one, ModelRequest)
        for part in one.parts
        if part.part_kind == 'user-prompt'
    ]


def returns(messages: list[ModelMessage]) -> list[ToolReturnPart]:
    return [part for one in messages for part in one.parts if isinstance(part, ToolReturnPart)]


class Work:
    """An agent that looks three times, and waits each time until it may; and what it has asked its model."""

    def __init__(self, journal: Journal[Any], **options: Any) -> None:
        self.journal = journal
        self.requests: list[list[ModelMessage]] = []
        self.looks: list[int] = []
        self.may_return = asyncio.Event()
        self.agent = Agent(FunctionModel(self.respond), name='work', capabilities=[journal])

        @self.agent.tool(**options)
        async def look(ctx: RunContext[Any], at: int) -> str:
            self.looks.append(at)
            await self.may_return.wait()
            return f'seen {at}'

    def respond(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.requests.append([*messages])
        at = len(returns(messages)) + 1
        call = ToolCallPart('look', {'at': at}, tool_call_id=f'c{at}')
        return ModelResponse(parts=[call if at < 4 else TextPart('done')])

    async def begin(self) -> tuple[asyncio.Task[Any], str]:
        """Begin the run, and return its task and its id when its first call is under way."""
        task = asyncio.ensure_future(self.agent.run('go'))
        await until(lambda: bool(self.looks) or task.done())
        return task, (await self.journal.runs())[0].run_id


STORES: dict[str, Callable[[Path], Any]] = {
    'memory': lambda path: MemoryStore(),
    'file': lambda path: SqliteStore(path / 'runs.db'),
    'encrypted': lambda path: EncryptedStore(path / 'runs.db', b'k' * 32),
}


@pytest.fixture(params=STORES)
def two(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Journal[Any], Journal[Any]]:
    """Two journals of the same records."""
    if request.param == 'encrypted':
        pytest.importorskip('cryptography')
    store = STORES[request.param](tmp_path)
    return Journal(store), Journal(store if request.param == 'memory' else STORES[request.param](tmp_path))


def test_a_run_is_paused_steered_and_continues(two: tuple[Journal[Any], Journal[Any]]) -> None:
    async def main() -> None:
        work, other = Work(two[0]), two[1]
        task, run_id = await work.begin()
        await other.pause(run_id)
        await other.pause(run_id)
        assert await other.paused() == {run_id}
        await asyncio.sleep(1.2)  # until the process has seen it
        work.may_return.set()
        await asyncio.sleep(0.3)
        assert (work.looks, len(work.requests)) == ([1], 1)
        assert [part.content for part in returns((await other.state(run_id)).messages)] == []
        assert list((await other.state(run_id)).answers) == ['c1']  # what ran has come to its end, and is recorded
        await other.steer(run_id, 'Only once more, please.')
        assert [item.priority for item in (await other.state(run_id)).pending_messages] == ['asap']
        assert len(work.requests) == 1
        assert await other.unpause(run_id) and not await other.unpause(run_id)
        result = await task
        assert prompts(work.requests[1]) == ['go', 'Only once more, please.']
        assert prompts(result.all_messages()) == ['go', 'Only once more, please.'] and work.looks == [1, 2, 3]
        assert (await other.state(run_id)).messages == result.all_messages()
        assert [run.run_id for run in await other.runs()] == [run_id]

    asyncio.run(main())


def test_a_run_is_cancelled_and_continues_where_it_was(two: tuple[Journal[Any], Journal[Any]]) -> None:
    async def main() -> None:
        work, other = Work(two[0], effect='read'), two[1]
        task, run_id = await work.begin()
        await other.cancel(run_id, 'It takes too long.')
        with pytest.raises(RunCancelled, match='It takes too long') as caught:
            await task
        assert caught.value.reason == 'It takes too long.'
        answer = caught.value.all_messages()[-1].parts[0]
        assert isinstance(answer, ToolReturnPart) and 'may have run' in str(answer.content)
        assert (await other.runs())[0].status == 'failed'
        for ask in (other.pause, other.cancel, lambda run_id: other.steer(run_id, 'go on')):
            with pytest.raises(JournalError, match='has ended'):
                await ask(run_id)
        work.may_return.set()
        assert (await two[0].resume(work.agent, run_id)).output == 'done'
        assert work.looks == [1, 1, 2, 3]

    asyncio.run(main())


@pytest.mark.parametrize(('effect', 'is_known'), [('read', True), ('write', False), (None, False)])
def test_one_call_is_cancelled(effect: Any, is_known: bool) -> None:
    async def main() -> None:
        store = MemoryStore()
        work, other = Work(Journal(store), effect=effect), Journal[Any](store)
        task, run_id = await work.begin()
        await other.cancel(run_id, call_id='never made')  # it may have ended
        await other.cancel(run_id, 'use the cache', call_id='c1')
        work.may_return.set()
        result = await task
        first, *others = returns(result.all_messages())
        assert 'use the cache' in str(first.content) and first.outcome == 'failed'
        assert ('not known' not in str(first.content)) is is_known
        assert [part.content for part in others] == ['seen 2', 'seen 3']
        assert (await other.state(run_id)).messages == result.all_messages()

    asyncio.run(main())


def test_a_run_that_is_cancelled_together_with_one_of_its_calls_ends() -> None:
    """Its task is cancelled once for both where Python does not count, and the call must not take that for itself."""

    async def main() -> None:
        store = MemoryStore()
        work, other = Work(Journal(store), effect='read'), Journal[Any](store)
        task, run_id = await work.begin()
        await asyncio.gather(other.cancel(run_id, 'only this', call_id='c1'), other.cancel(run_id, 'all of it'))
        with pytest.raises(RunCancelled, match='all of it'):
            await task

    for _ in range(5):
        asyncio.run(main())


def test_a_tool_that_ends_all_the_same_has_its_result_and_the_run_continues() -> None:
    async def main() -> None:
        store, begun = MemoryStore(), asyncio.Event()
        other = Journal[Any](store)
        agent = Agent('test', capabilities=[Journal(store)])

        @agent.tool_plain
        async def stubborn() -> str:
            begun.set()
            try:
                await asyncio.sleep(30)
            except asyncio.CancelledError:
                pass
            return 'done all the same'

        task = asyncio.ensure_future(agent.run('go'))
        await begun.wait()
        run_id = (await other.runs())[0].run_id
        (call,) = (await other.state(run_id)).in_doubt()
        await other.cancel(run_id, call_id=call.tool_call_id)
        assert 'done all the same' in (await task).output
        assert sys.version_info < (3, 11) or not task.cancelling()

    asyncio.run(main())


def test_a_function_in_a_thread_is_left_when_its_call_is_cancelled() -> None:
    async def main() -> None:
        store, goes_on, begun = MemoryStore(), threading.Event(), threading.Event()
        other = Journal[Any](store)
        agent = Agent('test', capabilities=[Journal(store)])

        @agent.tool_plain
        def slow() -> str:
            begun.set()
            goes_on.wait(30)
            return 'late'

        task = asyncio.ensure_future(agent.run('go'))
        await until(begun.is_set)
        run_id = (await other.runs())[0].run_id
        (call,) = (await other.state(run_id)).in_doubt()
        await other.cancel(run_id, call_id=call.tool_call_id)
        goes_on.set()
        assert 'cancelled' in (await task).output

    asyncio.run(main())


def test_a_run_that_no_process_works_on_gets_what_it_was_told_when_it_is_resumed() -> None:
    async def main() -> None:
        store = MemoryStore()
        other = Journal[Any](store)
        work = Work(Journal(store), effect='read')
        task, run_id = await work.begin()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await other.steer(run_id, 'First this.')
        await other.pause(run_id)
        with pytest.raises(JournalError, match='No process works'):
            await other.cancel(run_id, call_id='c1')
        async with other.worker(work.agent, pause=0.05):
            await asyncio.sleep(0.3)  # a worker leaves it alone
            assert work.looks == [1]
            work.may_return.set()
            await other.unpause(run_id)
            await until(lambda: store.get(run_id).status == 'done')  # type: ignore[union-attr]
        assert prompts(work.requests[-1]) == ['go', 'First this.'] and work.looks == [1, 1, 2, 3]

    asyncio.run(main())


def test_a_run_that_waits_or_was_left_ends_when_it_is_cancelled() -> None:
    async def main() -> None:
        store = MemoryStore()
        journal, other = Journal[Any](store), Journal[Any](store)
        agent = Agent('test', capabilities=[journal], output_type=[str], name='shop')

        @agent.tool_plain(requires_approval=True)
        def refund() -> str:
            raise AssertionError('it was not approved')

        from stead import DeferredToolRequests

        await agent.run('go', output_type=[str, DeferredToolRequests])
        (run,) = await other.runs(status='waiting')
        await other.pause(run.run_id)
        await other.cancel(run.run_id, 'The order was withdrawn.')
        state = await other.state(run.run_id)
        assert state.error == {'type': 'RunCancelled', 'message': 'The order was withdrawn.'}
        assert not await other.waiting() and not await other.paused()

    asyncio.run(main())


def test_what_cannot_be_told_to_a_run() -> None:
    async def main() -> None:
        journal = Journal[Any]()
        with pytest.raises(RunNotFound):
            await journal.pause('nowhere')
        result = await Agent('test', capabilities=[journal]).run('go')
        with pytest.raises(JournalError, match='has ended'):
            await journal.steer(result.run_id, 'more')
        wrong_ones: list[Any] = [
            lambda: journal.cancel(result.run_id, 3),  # type: ignore[arg-type]
            lambda: journal.steer(result.run_id, None),  # type: ignore[arg-type]
            lambda: journal.pause('\x00'),
        ]
        for wrong in wrong_ones:
            with pytest.raises(UserError):
                await wrong()
        assert await journal.prune(older_than=0) == 1

    asyncio.run(main())


PROGRAM = """
import asyncio, sys
from stead import Agent
from stead.journal import Journal
from stead.messages import ModelResponse, TextPart, ToolCallPart, UserPromptPart
from stead.models.function import FunctionModel

def respond(messages, info):
    said = [part.content for one in messages for part in one.parts if isinstance(part, UserPromptPart)]
    if 'stop now' in said:
        return ModelResponse(parts=[TextPart('stopped as told')])
    return ModelResponse(parts=[ToolCallPart('look', {})])

agent = Agent(FunctionModel(respond), name='loop', capabilities=[Journal(PLACE)])

@agent.tool_plain(effect='read')
async def look() -> str:
    print('look', flush=True)
    await asyncio.sleep(0.1)
    return 'nothing'

if __name__ == '__main__':
    from stead import RunCancelled, UsageLimits
    try:
        print(agent.run_sync('go', usage_limits=UsageLimits(request_limit=None)).output)
    except RunCancelled as error:
        print('cancelled because', error.reason)
"""


def say(place: list[str], *words: str) -> None:
    assert stead(['runs', words[0], *place, *words[1:]]) == 0


def is_looking(process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    assert process.stdout.readline() == 'look\n', process.stderr


def two_processes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], store: str, place: list[str], journal: Journal[Any]
) -> None:
    """Tell a run of another process what to do, as a person does in a terminal."""
    (tmp_path / 'loop.py').write_text(PROGRAM.replace('PLACE', store))

    def start() -> tuple[subprocess.Popen[str], str]:
        process = subprocess.Popen(
            [sys.executable, tmp_path / 'loop.py'], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        is_looking(process)
        return process, asyncio.run(journal.runs())[0].run_id

    first, run_id = start()
    try:
        say(place, 'pause', run_id)
        assert ' '.join(['stead runs', *place, 'resume', run_id]) in capsys.readouterr().out
        say(place, 'list', '--status', 'paused')
        assert run_id[-8:] in capsys.readouterr().out
        say(place, 'steer', run_id, 'stop now')
        asyncio.run(asyncio.sleep(1))
        assert first.poll() is None
        say(place, 'resume', run_id)
        assert first.communicate(timeout=30)[0].splitlines()[-1] == 'stopped as told'
        second, run_id = start()
        say(place, 'cancel', run_id, '--reason', 'enough')
        assert second.communicate(timeout=30)[0].splitlines()[-1] == 'cancelled because enough'
        third, run_id = start()
        say(place, 'pause', run_id)
        third.kill()  # and what takes over is paused, too
        third.communicate()
        assert stead(['runs', 'cancel', *place, run_id, '--call', 'any']) == 2
        say(place, 'cancel', run_id)
        say(place, 'list', '--status', 'cancelled')
        assert run_id[-8:] in capsys.readouterr().out
        assert asyncio.run(journal.state(run_id)).how == 'failed'
    finally:
        first.kill()


def test_two_processes_with_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / 'runs.db')
    two_processes(tmp_path, capsys, repr(path), ['--journal', path], Journal(path))


@FULL
def test_two_processes_with_a_database(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], postgres: PostgresServer
) -> None:
    schema = postgres.new_schema()
    place = ['--journal', postgres.url, '--schema', schema]
    store = f'__import__("stead.journal").journal.PostgresStore({postgres.url!r}, schema={schema!r})'
    two_processes(tmp_path, capsys, store, place, Journal(PostgresStore(postgres.url, schema=schema)))
