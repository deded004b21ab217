"""A row of a database that holds what no column of its kind can hold is named, whatever is read of it."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from stead import Agent
from stead._cli import main
from stead.journal import (
    Entry,
    Journal,
    JournalError,
    PostgresStore,
    Record,
    RecordUnreadable,
    RunFilter,
    RunInfo,
    SqliteStore,
    Store,
    StoreError,
)
from stead.journal.traces import trace_of
from stead.models.test import TestModel

from .conftest import PostgresServer

RUN = RunInfo('r1', begun_at=1.0, updated_at=1.0, last_seq=1, key='k', conversation_id='c')
RECORD = Record(1, 'begun', 1.0, b'{}')


def next_record(store: Store) -> object:
    return store.append([Entry('r1', 1, [RECORD._replace(seq=2)], 'running', 1)], durable=False)


READERS: dict[str, Callable[[Store], object]] = {
    'get': lambda store: store.get('r1'),
    'find': lambda store: store.find(RunFilter(conversation_id='c')),
    'create': lambda store: store.create(RunInfo('r2', key='k'), [RECORD]),
    'acquire': lambda store: store.acquire('r1', 'me', 2.0, 30.0),
    'append': next_record,
}
READ_BY = dict.fromkeys(('token',), ('acquire',)) | dict.fromkeys(('last_seq', 'updated_at'), ('append',))
"""Which columns those methods read that do not read all of them."""
TEXT, NUMBER, BYTES = 'text', 2, b'\x01\x02'
WRONG: dict[str, tuple[object, ...]] = {
    **dict.fromkeys(('run_id', 'agent', 'status', 'key', 'parent_id', 'conversation_id', 'base_id', 'turn'), (BYTES,)),
    **dict.fromkeys(('begun_at', 'updated_at', 'lease_until', 'steps', 'last_seq', 'base_seq', 'token'), (TEXT, BYTES)),
}
RUN_CASES = [
    (column, value, reader)
    for column, values in WRONG.items()
    for value in values
    for reader in ('get', 'find', 'create', *READ_BY.get(column, ()))
    # What is looked for by it is not found.
    if (column, reader) not in {('run_id', 'get'), ('key', 'create'), ('conversation_id', 'find')}
]


def changed(path: Path, statement: str, value: object) -> SqliteStore:
    """Return a store with one run and a record, in which another program has changed something."""
    store = SqliteStore(path)
    store.open()
    store.create(RUN, [RECORD])
    assert store.acquire('r1', 'me', 1.0, 0.0) == 1
    store.close()
    connection = sqlite3.connect(path)
    connection.execute(statement, [value])
    connection.commit()
    connection.close()
    store.open()
    return store


@pytest.mark.parametrize(('column', 'value', 'reader'), RUN_CASES)
def test_a_column_of_a_run(tmp_path: Path, column: str, value: object, reader: str) -> None:
    store = changed(tmp_path / 'runs.db', f'UPDATE runs SET {column} = ?', value)
    with pytest.raises(StoreError, match=f'damaged: its column `{column}` holds (text|bytes) where it needs') as caught:
        READERS[reader](store)
    store.close()
    assert str(tmp_path / 'runs.db') in str(caught.value) and 'delete the run' in str(caught.value)
    assert column == 'run_id' or "run 'r1'" in str(caught.value)


def test_a_list_of_runs_goes_on_without_it(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = changed(tmp_path / 'runs.db', "UPDATE runs SET steps = ? WHERE run_id = 'r1'", TEXT)
    store.create(RunInfo('r2', begun_at=2.0, updated_at=2.0, last_seq=1), [RECORD])
    assert [run.run_id for run in store.find(RunFilter())] == ['r2']
    assert "run 'r1'" in caplog.text and 'its column `steps` holds text where it needs' in caplog.text
    assert store.delete(['r1']) == 1
    store.close()


@pytest.mark.parametrize(
    ('column', 'value'), [('seq', TEXT), ('kind', BYTES), ('at', TEXT), ('at', BYTES), ('body', '{}'), ('body', NUMBER)]
)
def test_a_column_of_a_record(tmp_path: Path, column: str, value: object) -> None:
    store = changed(tmp_path / 'runs.db', f'UPDATE records SET {column} = ?', value)
    with pytest.raises(RecordUnreadable, match=f"of run 'r1' .* is damaged: its column `{column}` holds"):
        store.read('r1')
    store.close()


@pytest.mark.parametrize('statement', ['UPDATE records SET body = ? WHERE seq = 2', 'UPDATE runs SET token = ?'])
def test_a_run_with_a_damaged_row_is_not_gone_on_with(tmp_path: Path, statement: str) -> None:
    called: list[str] = []

    def pay() -> str:
        called.append('pay')
        return 'paid'

    async def run() -> str:
        return (await Journal(path).run(agent, 'go', key='k')).run_id

    async def resume(run_id: str) -> None:
        await Journal(path).resume(agent, run_id)

    path = tmp_path / 'runs.db'
    agent = Agent(TestModel(), name='payer', tools=[pay])
    run_id = asyncio.run(run())
    connection = sqlite3.connect(path)
    connection.execute(statement, ['secret'])
    connection.execute("UPDATE runs SET status = 'running'")
    connection.commit()
    connection.close()
    with pytest.raises(JournalError, match='is damaged') as caught:
        asyncio.run(resume(run_id))
    assert called == ['pay']
    assert run_id in str(caught.value)
    assert 'secret' not in str(caught.value)


def test_a_run_of_which_a_record_is_missing_is_not_gone_on_with(tmp_path: Path) -> None:
    called: list[str] = []

    def pay() -> str:
        called.append('pay')
        return 'paid'

    async def main() -> None:
        path = tmp_path / 'runs.db'
        agent = Agent(TestModel(), name='payer', tools=[pay])
        run_id = (await Journal(path).run(agent, 'go', key='k')).run_id
        connection = sqlite3.connect(path)
        connection.execute("UPDATE runs SET status = 'running'")
        (last,) = connection.execute('SELECT max(seq) FROM records').fetchone()
        assert last == 8
        for seq in range(2, last + 1):
            connection.execute('CREATE TABLE kept AS SELECT * FROM records WHERE seq = ?', [seq])
            connection.execute('DELETE FROM records WHERE seq = ?', [seq])
            connection.commit()
            journal = Journal(path)
            with pytest.raises(JournalError, match=f'{run_id}.*Record {seq} is missing'):
                await journal.resume(agent, run_id)
            assert (await journal.runs())[0].holder is None
            connection.execute('INSERT INTO records SELECT * FROM kept')
            connection.execute('DROP TABLE kept')
            connection.commit()
        connection.close()
        assert called == ['pay']

    asyncio.run(main())


DAMAGES = {
    'a missing record': 'DELETE FROM records WHERE seq = 3 AND number = ?',
    'a record that says nothing': 'UPDATE records SET body = CAST(\'{"step":[]}\' AS BLOB) WHERE seq = 3 AND number = ?',
    'a wrong type': "UPDATE records SET body = 'text' WHERE seq = 3 AND number = ?",
}


def two_runs(path: Path, damage: str) -> tuple[Journal[None], str, str]:
    """Return a journal with two runs, and their ids; the first one is damaged."""

    async def run() -> list[str]:
        agent = Agent(TestModel(), name='payer', tools=[len])
        return [(await Journal[None](path).run(agent, 'go', key=key)).run_id for key in 'ab']

    damaged, other = asyncio.run(run())
    connection = sqlite3.connect(path)
    (number,) = connection.execute('SELECT number FROM runs WHERE run_id = ?', [damaged]).fetchone()
    connection.execute(DAMAGES[damage], [number])
    connection.commit()
    connection.close()
    return Journal(path), damaged, other


@pytest.mark.parametrize('damage', DAMAGES)
def test_an_error_about_a_record_names_the_run(tmp_path: Path, damage: str, capsys: pytest.CaptureFixture[str]) -> None:
    journal, damaged, other = two_runs(tmp_path / 'runs.db', damage)
    for read in (
        journal.state,
        journal.steps,
        journal.messages,
        lambda run_id: journal.messages(run_id, at=1),
        journal.fork,
        lambda run_id: trace_of(journal, run_id),
    ):
        with pytest.raises(RecordUnreadable) as caught:
            asyncio.run(read(damaged))
        assert str(caught.value).count(damaged) == 1
        asyncio.run(read(other))
    assert main(['runs', '--journal', str(tmp_path / 'runs.db'), 'show', damaged]) == 2
    assert damaged in capsys.readouterr().err


def test_all_others_are_exported(tmp_path: Path) -> None:
    async def main() -> None:
        lines: list[str] = []
        with pytest.raises(RecordUnreadable, match=f'1 runs were not exported.*{damaged}'):
            async for line in journal.export():
                lines.append(line)
        elsewhere: Journal[None] = Journal()
        assert await elsewhere.import_(lines) == 1
        assert (await elsewhere.state(other)).run_id == other
        with pytest.raises(RecordUnreadable, match=damaged):
            assert [line async for line in journal.export([damaged])] == []

    journal, damaged, other = two_runs(tmp_path / 'runs.db', 'a wrong type')
    asyncio.run(main())


def test_a_worker_goes_on_with_the_other_runs(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> str:
        journal = Journal(path)
        damaged, other = [(await journal.run(agent, 'go', key=key)).run_id for key in 'ab']
        connection = sqlite3.connect(path)
        connection.execute("UPDATE runs SET status = 'running', holder = NULL")
        connection.execute("DELETE FROM records WHERE kind = 'ended'")
        connection.execute('UPDATE runs SET last_seq = (SELECT max(seq) FROM records WHERE number = runs.number)')
        connection.execute("UPDATE runs SET steps = 'many' WHERE run_id = ?", [damaged])
        connection.commit()
        connection.close()
        async with journal.worker(agent) as worker:
            await worker.idle()
        assert [*worker.results] == [other]
        return damaged

    path = tmp_path / 'runs.db'
    agent = Agent(TestModel(), name='worker')
    assert asyncio.run(main()) in caplog.text


@pytest.mark.parametrize('column', ['last_seq', 'token', 'begun_at'])
def test_a_table_of_postgres_that_was_altered(postgres: PostgresServer, column: str) -> None:
    store = PostgresStore(postgres.url, schema=postgres.new_schema())
    store.open()
    store.create(RUN, [RECORD])
    store.acquire('r1', 'me', 1.0, 0.0)
    postgres.query(f'ALTER TABLE {store.schema}.stead_runs ALTER COLUMN {column} TYPE text')
    for reader in ('get', 'find', 'create'):
        with pytest.raises(StoreError, match=f'its column `{column}` holds text where it needs'):
            READERS[reader](store)
    store.close()
