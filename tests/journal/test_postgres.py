"""A journal in PostgreSQL: what every store has to do, and what happens to runs when the database goes away."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from stead import Agent, Done, NotDone, RunContext, UserError
from stead._cli import main as stead
from stead.journal import (
    EncryptedStore,
    Entry,
    Journal,
    PostgresStore,
    Record,
    RunFilter,
    RunInfo,
    RunInUse,
    RunNotFound,
    StoreError,
    _holders,
)
from stead.journal._sql import COLUMNS
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from stead.models.function import AgentInfo, FunctionModel
from stead.testing import check_store, crash_everywhere
from tests.journal.conftest import PostgresServer
from tests.journal.test_crashes import approving, plain

pytestmark = pytest.mark.skipif(
    os.environ.get('STEAD_TRUST_FULL') != '1', reason='a server is started; `make trust` runs these'
)


def new_store(server: PostgresServer, **options: Any) -> PostgresStore:
    return PostgresStore(server.url, schema=server.new_schema(), **options)


def again(store: Any) -> PostgresStore:
    return PostgresStore(store.url, schema=store.schema)


def test_it_does_what_every_store_does(postgres: PostgresServer) -> None:
    assert len(check_store(lambda: new_store(postgres), again=again)) > 9


def test_it_does_so_encrypted(postgres: PostgresServer) -> None:
    pytest.importorskip('cryptography')
    key = EncryptedStore.new_key()
    passed = check_store(
        lambda: EncryptedStore(new_store(postgres), key), again=lambda store: EncryptedStore(again(store.store), key)
    )
    assert len(passed) > 9


def test_runs_go_on_wherever_they_were_killed(postgres: PostgresServer) -> None:
    report = asyncio.run(crash_everywhere(approving, 'go', make_store=lambda: new_store(postgres)))
    assert report.violations == []
    assert report.boundaries > 10


def test_many_runs_of_two_journals_at_once(postgres: PostgresServer) -> None:
    async def main() -> None:
        store = new_store(postgres)
        journals: list[Journal[Any]] = [Journal(store), Journal(again(store))]
        results = await asyncio.gather(
            *(plain().run('go', capabilities=[journals[number % 2]]) for number in range(40))
        )
        for number, result in enumerate(results):
            assert await journals[1 - number % 2].messages(result.run_id) == result.all_messages()

    asyncio.run(main())


def test_two_processes_that_write_about_the_same_runs_do_not_wait_in_a_circle(postgres: PostgresServer) -> None:
    one = new_store(postgres)
    two = again(one)
    one.open()
    two.open()
    ids = [f'run-{number}' for number in range(20)]
    for run_id in ids:
        one.create(RunInfo(run_id, token=1))
    errors: list[Exception] = []

    def write(store: PostgresStore, order: list[str]) -> None:
        try:
            for _ in range(30):
                store.append([Entry(run_id, 1, [], 'running', 1) for run_id in order], durable=False)
                store.renew([(run_id, 1) for run_id in order], 5.0)
        except Exception as error:
            errors.append(error)

    threads = [
        threading.Thread(target=write, args=(one, ids)),
        threading.Thread(target=write, args=(two, ids[::-1])),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    one.close()
    two.close()
    assert errors == []


# The database goes away


class Shop:
    """An agent that pays twice, and what it has really paid."""

    def __init__(self) -> None:
        self.paid: list[int] = []
        self.before_response: dict[int, Any] = {}

    def agent(self) -> Agent[None, str]:
        async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            step = sum(isinstance(message, ModelResponse) for message in messages)
            if (function := self.before_response.pop(step, None)) is not None:
                await function()
            if step < 2:
                return ModelResponse(parts=[ToolCallPart('pay', {'amount': step + 1}, f'c{step}')])
            return ModelResponse(parts=[TextPart('paid')])

        agent: Agent[None, str] = Agent(FunctionModel(answer), name='shop')

        def was_paid(ctx: RunContext, args: dict[str, Any]) -> Done | NotDone:
            return Done(f'paid {args["amount"]}') if args['amount'] in self.paid else NotDone()

        @agent.tool_plain(reconcile=was_paid)
        async def pay(amount: int) -> str:
            self.paid.append(amount)
            return f'paid {amount}'

        return agent


async def is_free(journal: Journal[Any]) -> str:
    """Return the id of the only run, when its lease was given back or has ended."""
    while True:
        (run,) = await journal.runs()
        if run.holder is None or run.lease_until < time.time():
            return run.run_id
        await asyncio.sleep(0.05)


@pytest.mark.parametrize('how', ['restarted', 'crashed', 'connection closed'])
def test_a_run_that_loses_the_database_fails_before_its_next_effect(postgres: PostgresServer, how: str) -> None:
    async def main() -> None:
        shop = Shop()
        store = new_store(postgres)
        # Where the database is there again at once, a lease that is renewed meanwhile would bring the next connection.
        journal: Journal[Any] = Journal(store, lease_seconds=30 if how == 'connection closed' else 0.6)

        async def goes_away() -> None:
            await journal.runs()  # what was recorded before is written
            if how == 'connection closed':
                postgres.query(
                    "SELECT pg_terminate_backend(pid, 30000) FROM pg_stat_activity WHERE application_name LIKE 'stead journal%'"
                )
            else:
                postgres.stop(at_once=how == 'crashed')

        shop.before_response[1] = goes_away
        with pytest.raises(StoreError, match='Cannot .* the journal at 127.0.0.1/postgres'):
            await shop.agent().run('go', capabilities=[journal])
        assert shop.paid == [1]
        if postgres.process is None:
            with pytest.raises(StoreError, match='Cannot'):  # it says so as long as the database is away
                await journal.runs()
            postgres.start()
        # The same journal connects again, and so does another process.
        run_id = await is_free(journal)
        other: Journal[Any] = Journal(again(store))
        result = await other.resume(shop.agent(), run_id)
        assert result.output == 'paid'
        assert shop.paid == [1, 2]
        assert result.usage.requests == 3
        assert [run.status for run in await journal.runs()] == ['done']

    asyncio.run(main())


def test_a_transaction_that_was_cut_off_has_no_effect(postgres: PostgresServer) -> None:
    store = new_store(postgres)
    store.open()
    store.create(RunInfo('r', token=1))
    cut = again(store)
    cut.open()
    with (
        pytest.raises(StoreError, match='Cannot append to'),
        cut._transaction('append to', durable=True) as transaction,
    ):
        ((pid,),) = transaction.fetch('UPDATE stead_runs SET steps = 5 RETURNING pg_backend_pid()')
        postgres.query('SELECT pg_terminate_backend(%s)', pid)
        transaction.fetch('SELECT 1')
    found = store.get('r')
    assert found is not None
    assert found.steps == 0
    # The next use connects again.
    assert cut.append([Entry('r', 1, [Record(1, 'k', 1.0, b'{}')], 'done', 1)], durable=True) == set()
    assert len(store.read('r')) == 1
    store.close()
    cut.close()


def test_a_row_that_stays_locked_is_an_error(postgres: PostgresServer) -> None:
    import psycopg

    store = new_store(postgres, timeout=0.2)
    store.open()
    store.create(RunInfo('r', token=1))
    with psycopg.connect(postgres.url) as other:
        other.execute(f'UPDATE {store.schema}.stead_runs SET steps = 3')  # and it does not commit
        with pytest.raises(StoreError, match='Cannot append to .* lock timeout'):
            store.append([Entry('r', 1, [], 'done', 1)], durable=True)
        other.rollback()
    assert store.append([Entry('r', 1, [], 'done', 1)], durable=True) == set()
    store.close()


def test_a_process_that_was_stopped_within_a_transaction_holds_up_no_one(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    store = new_store(postgres)
    store.open()
    store.create(RunInfo('r', token=1))
    program = f"""
import sys, time
from stead.journal import PostgresStore
store = PostgresStore({postgres.url!r}, schema={store.schema!r}, timeout=0.3)
store.open()
with store._transaction('append to', durable=True) as transaction:
    transaction.fetch('UPDATE stead_runs SET steps = 7 RETURNING steps')
    print('within', flush=True)
    time.sleep(60)
"""
    process = subprocess.Popen([sys.executable, '-c', program], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == 'within\n'
        process.send_signal(signal.SIGSTOP)
        assert store.append([Entry('r', 1, [Record(1, 'k', 1.0, b'{}')], 'done', 1)], durable=True) == set()
    finally:
        process.kill()
        process.communicate()
    found = store.get('r')
    assert found is not None
    assert found.steps == 1
    store.close()


def test_a_killed_process_is_followed_by_another_one(postgres: PostgresServer) -> None:
    schema = postgres.new_schema()
    program = f"""
import asyncio, os, signal
from stead.journal import Journal, PostgresStore
from tests.journal.test_postgres import Shop
shop = Shop()
async def die():
    await journal.runs()  # what was recorded before is written
    os.kill(os.getpid(), signal.SIGKILL)
shop.before_response[2] = die
journal = Journal(PostgresStore({postgres.url!r}, schema={schema!r}), lease_seconds=0.5)
asyncio.run(journal.run(shop.agent(), 'go', key='order-17'))
"""
    root = Path(__file__).parent.parent.parent
    process = subprocess.run([sys.executable, '-c', program], cwd=root, capture_output=True, text=True)
    assert process.returncode == -signal.SIGKILL, process.stderr

    async def main() -> None:
        shop = Shop()
        journal: Journal[Any] = Journal(PostgresStore(postgres.url, schema=schema))
        result = await journal.run(shop.agent(), 'go', key='order-17')
        assert result.output == 'paid'
        assert shop.paid == []
        assert result.usage.requests == 3

    asyncio.run(main())


DIES = """
import asyncio, os, signal, sys
from stead.journal import Journal, PostgresStore
from tests.journal.test_postgres import Shop
shop = Shop()
async def die():
    await journal.runs()  # what was recorded before is written
    print('there', flush=True)
    sys.stdin.readline()
    os.kill(os.getpid(), signal.SIGKILL)
shop.before_response[2] = die
journal = Journal(PostgresStore(sys.argv[1], schema=sys.argv[2]))
asyncio.run(journal.run(shop.agent(), 'go', key='order-17'))
"""


@pytest.mark.skipif(not _holders._host(), reason='what is known of the machine is less than what is needed')
def test_the_run_of_a_process_that_is_dead_on_this_machine_goes_on_at_once(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    schema = postgres.new_schema()
    process = subprocess.Popen(
        [sys.executable, '-c', DIES, postgres.url, schema],
        cwd=Path(__file__).parent.parent.parent,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None

    async def main() -> None:
        assert process.stdout is not None and process.stdin is not None
        process.stdout.readline()
        journal: Journal[Any] = Journal(PostgresStore(postgres.url, schema=schema))
        (run,) = await journal.runs()
        assert run.holder is not None  # it lives
        assert await journal.find(RunFilter(free_at=time.time())) == []
        process.stdin.write('die\n')
        process.stdin.flush()
        process.wait()
        # On a machine that was copied from this one while the process ran, its pid may be free.
        with monkeypatch.context() as elsewhere:
            elsewhere.setattr(_holders, '_host', lambda: 'beef')
            assert (await journal.runs())[0].holder is not None
            with pytest.raises(RunInUse):
                await journal.resume(Shop().agent(), run.run_id)
        # Nor is it sure as long as the database has a session of it.
        import psycopg

        name = 'stead journal ' + run.holder.partition('-')[0].rpartition('.')[0]
        with psycopg.connect(postgres.url, application_name=name):
            assert (await journal.runs())[0].holder is not None
        while not (found := await journal.find(RunFilter(free_at=time.time()))):  # noqa: ASYNC110 - the session ends
            await asyncio.sleep(0.01)
        assert found[0].holder is None and found[0].is_abandoned
        assert (await journal.runs())[0].is_abandoned
        shop = Shop()
        assert (await journal.run(shop.agent(), 'go', key='order-17')).output == 'paid'
        assert shop.paid == []

    try:
        asyncio.run(main())
    finally:
        process.kill()
        process.communicate()


def test_a_run_that_is_forked_while_it_is_pruned_stays_whole_or_is_not_forked(postgres: PostgresServer) -> None:
    async def main() -> None:
        store = new_store(postgres)
        pruning: Journal[Any] = Journal(store)
        forking: Journal[Any] = Journal(again(store))
        outcomes: Counter[str] = Counter()

        async def fork(run_id: str, turns: int) -> None:
            for _ in range(turns):
                await asyncio.sleep(0)
            try:
                fork_id = await forking.fork(run_id, at=2)
            except RunNotFound:
                outcomes['pruned'] += 1
                return
            outcomes['forked'] += 1
            assert (await forking.resume(plain(), fork_id)).output == 'done'
            assert [record.seq for record in await forking.records(fork_id)][0] == 1

        for turns in range(40):
            result = await plain().run('go', capabilities=[pruning])
            await asyncio.gather(fork(result.run_id, turns), pruning.prune(older_than=0))
            left = {run.run_id: run for run in await pruning.runs(limit=1000)}
            for run in left.values():
                assert run.base_id is None or run.base_id in left
        assert sum(outcomes.values()) == 40

    asyncio.run(main())


async def waits_for_a_lock(server: PostgresServer) -> None:
    while not server.query('SELECT 1 FROM pg_locks WHERE NOT granted'):  # noqa: ASYNC110 - the other session comes to it
        await asyncio.sleep(0.01)


def test_a_fork_whose_base_is_being_pruned_waits_and_is_not_left_without_it(postgres: PostgresServer) -> None:
    import psycopg

    async def main() -> None:
        store = new_store(postgres)
        journal: Journal[Any] = Journal(store)
        result = await plain().run('go', capabilities=[journal])
        with psycopg.connect(postgres.url) as pruning:
            place = f'{store.schema}.stead_runs'
            pruning.execute(f'SELECT 1 FROM {place} WHERE run_id = %s FOR UPDATE', [result.run_id])
            forking = asyncio.create_task(journal.fork(result.run_id, at=2))
            await waits_for_a_lock(postgres)
            pruning.execute(f'DELETE FROM {place} WHERE run_id = %s', [result.run_id])
        with pytest.raises(RunNotFound, match='was deleted while it was forked'):
            await forking
        assert await journal.runs() == []

    asyncio.run(main())


def test_what_is_being_forked_is_not_pruned(postgres: PostgresServer) -> None:
    import psycopg

    async def main() -> None:
        store = new_store(postgres)
        journal: Journal[Any] = Journal(store)
        result = await plain().run('go', capabilities=[journal])
        with psycopg.connect(postgres.url) as forking:
            place = f'{store.schema}.stead_runs'
            forking.execute(f'SELECT 1 FROM {place} WHERE run_id = %s FOR KEY SHARE', [result.run_id])
            names = ', '.join(name for name in COLUMNS if name not in ('run_id', 'key', 'base_id', 'status'))
            forking.execute(
                f'INSERT INTO {place} (run_id, base_id, status, {names}) '
                f"SELECT 'fork', run_id, 'running', {names} FROM {place} WHERE run_id = %s",
                [result.run_id],
            )
            pruning = asyncio.create_task(journal.prune(older_than=0))
            await waits_for_a_lock(postgres)
        assert await pruning == 0
        assert {run.run_id for run in await journal.runs()} == {'fork', result.run_id}

    asyncio.run(main())


# What it is made of


def test_tables_of_a_newer_version_are_left_alone(postgres: PostgresServer) -> None:
    store = new_store(postgres)
    store.open()
    store.create(RunInfo('r', token=1))
    postgres.query(f'UPDATE {store.schema}.stead_version SET version = 99')
    with pytest.raises(StoreError, match='written by a newer version of stead .format 99'):
        again(store).open()
    # A process of this version that was there before writes nothing more, either.
    with pytest.raises(StoreError, match='written by a newer version of stead'):
        store.append([Entry('r', 1, [Record(1, 'k', 1.0, b'{}')], 'done', 1)], durable=True)
    with pytest.raises(StoreError, match='written by a newer version of stead'):
        store.create(RunInfo('s'))
    assert store.read('r') == []
    assert store.get('s') is None
    store.close()


def test_tables_of_an_older_version_are_brought_up_to_date(postgres: PostgresServer) -> None:
    store = new_store(postgres)
    store.open()
    store.create(RunInfo('r', key='k', conversation_id='me', token=1))
    assert store.append([Entry('r', 1, [Record(1, 'k', 1.0, b'{}')], 'done', 1)], durable=True) == set()
    store.close()
    # Without what the last format has added, the tables are those of the version before.
    postgres.query(f'ALTER TABLE {store.schema}.stead_runs DROP COLUMN turn')
    postgres.query(f'UPDATE {store.schema}.stead_version SET version = 1')
    stores = [again(store) for _ in range(4)]
    threads = [threading.Thread(target=one.open) for one in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    first, second, *_ = stores
    assert first.create(RunInfo('s', turn='r#me')).run_id == 's'
    assert second.create(RunInfo('t', turn='r#me')).run_id == 's'
    assert first.get('r') == RunInfo(
        'r', key='k', conversation_id='me', token=1, status='done', steps=1, last_seq=1, updated_at=1.0
    )
    assert len(first.read('r')) == 1
    for one in stores:
        one.close()


def test_what_is_only_read_is_left_as_it_is(postgres: PostgresServer) -> None:
    store = new_store(postgres)
    reader = PostgresStore(store.url, schema=store.schema, read_only=True)
    with pytest.raises(StoreError, match='has no journal, and is only to be read'):
        reader.open()
    store.open()
    store.create(RunInfo('r', token=1))
    reader.open()
    record = Record(1, 'k', 1.0, b'{}')
    for write in (
        lambda: reader.create(RunInfo('s')),
        lambda: reader.append([Entry('r', 1, [record], 'done', 1)], durable=True),
        lambda: reader.acquire('r', 'me', 1.0, 1.0),
        lambda: reader.renew([('r', 1)], 1.0),
        lambda: reader.release('r', 1),
        lambda: reader.delete(['r']),
    ):
        with pytest.raises(StoreError, match='read.only'):
            write()
    store.append([Entry('r', 1, [record], 'done', 1)], durable=True)  # what is written meanwhile is seen
    assert (reader.read('r'), reader.get('r')) == ([record], store.get('r'))
    reader.close()
    store.close()
    postgres.query(f'ALTER TABLE {store.schema}.stead_runs DROP COLUMN turn')
    postgres.query(f'UPDATE {store.schema}.stead_version SET version = 1')
    reader.open()
    assert [run.run_id for run in reader.find(RunFilter())] == ['r']
    reader.close()


def test_many_processes_create_the_tables_once(postgres: PostgresServer) -> None:
    schema = postgres.new_schema()
    stores = [PostgresStore(postgres.url, schema=schema) for _ in range(6)]
    errors: list[Exception] = []
    start = threading.Barrier(len(stores))

    def open_(store: PostgresStore) -> None:
        start.wait()
        try:
            store.open()
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=open_, args=(store,)) for store in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for store in stores:
        store.close()
    assert errors == []


def test_a_user_without_the_right_to_create_uses_tables_that_exist(postgres: PostgresServer) -> None:
    store = new_store(postgres)
    store.open()
    postgres.query(f'CREATE ROLE guest_{store.schema} LOGIN')
    postgres.query(f'GRANT USAGE ON SCHEMA {store.schema} TO guest_{store.schema}')
    postgres.query(
        f'GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {store.schema} TO guest_{store.schema}'
    )
    guest = PostgresStore(postgres.url.replace('stead@', f'guest_{store.schema}@'), schema=store.schema)
    guest.open()
    assert guest.create(RunInfo('r', token=1)).run_id == 'r'
    assert guest.append([Entry('r', 1, [Record(1, 'k', 1.0, b'{}')], 'done', 1)], durable=True) == set()
    guest.close()
    elsewhere = PostgresStore(guest.url, schema='not_there')
    with pytest.raises(StoreError, match='Cannot open .* permission denied'):
        elsewhere.open()
    store.close()


def test_passwords_are_in_no_message() -> None:
    pytest.importorskip('psycopg')
    store = PostgresStore('postgresql://me:hunter2@127.0.0.1:1/x')
    assert repr(store) == '<PostgresStore 127.0.0.1/x>'
    with pytest.raises(StoreError, match='Cannot open the journal at 127.0.0.1/x') as caught:
        store.open()
    assert 'hunter2' not in str(caught.value)
    with pytest.raises(UserError, match='cannot be read') as refused:
        PostgresStore('postgresql://me:hunter2%zz@host/x')
    assert 'hunter2' not in str(refused.value)


def test_text_that_the_database_cannot_hold_is_an_error(postgres: PostgresServer) -> None:
    store = new_store(postgres)
    store.open()
    for text in ('a\x00b', 'half \ud83d'):
        with pytest.raises(StoreError, match='Cannot add a run to'):
            store.create(RunInfo(text))
    assert store.create(RunInfo('fine')).run_id == 'fine'
    store.close()


def test_a_store_that_is_not_open_says_so(postgres: PostgresServer) -> None:
    store = new_store(postgres)
    with pytest.raises(StoreError, match='is not open: call `open'):
        store.get('r')


def test_the_terminal_takes_an_address(postgres: PostgresServer, capsys: pytest.CaptureFixture[str]) -> None:
    result = asyncio.run(plain().run('hello', capabilities=[Journal(postgres.url)]))
    assert stead(['runs', '--journal', postgres.url, 'list']) == 0
    assert f'\n{result.run_id[-8:]} ' in capsys.readouterr().out
    assert stead(['runs', '--journal', postgres.url, 'show', result.run_id]) == 0
    assert '> hello' in capsys.readouterr().out
    assert stead(['runs', '--journal', 'postgres://stead@127.0.0.1:1/x', 'list']) == 2
    assert 'Cannot open the journal at 127.0.0.1/x' in capsys.readouterr().err
