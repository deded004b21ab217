"""What an encrypted store keeps can be read with its key, and with nothing else."""

from __future__ import annotations

import asyncio
import itertools
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stead import Agent, UserError
from stead._cli import main as stead
from stead.journal import (
    EncryptedStore,
    Journal,
    JournalError,
    MemoryStore,
    Record,
    RecordUnreadable,
    RunFilter,
    RunInfo,
    SqliteStore,
    Store,
    StoreError,
    WrongKey,
)
from stead.journal._call import what_it_is
from stead.testing import check_store, crash_everywhere
from tests.journal.test_crashes import approving, plain
from tests.waiting import free_runs

pytest.importorskip('cryptography')

OLD, NEW = EncryptedStore.new_key(), EncryptedStore.new_key()
SECRET = 'the patient has a cold'


def test_it_is_a_store_whatever_it_wraps(tmp_path: Path) -> None:
    numbers = itertools.count()

    def on_disk() -> EncryptedStore:
        return EncryptedStore(tmp_path / f'{next(numbers)}.db', NEW)

    def again(store: Any) -> EncryptedStore:
        return EncryptedStore(store.store.path, NEW)

    assert len(check_store(lambda: EncryptedStore(MemoryStore(), NEW))) > 9
    assert len(check_store(on_disk, again=again)) > 9


def test_runs_go_on_wherever_they_were_killed() -> None:
    report = asyncio.run(crash_everywhere(approving, 'go', make_store=lambda: EncryptedStore(MemoryStore(), NEW)))
    assert report.violations == []


def test_nothing_that_was_said_is_in_the_file(tmp_path: Path) -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal(EncryptedStore(tmp_path / 'runs.db', NEW))
        result = await plain().run(SECRET, capabilities=[journal], conversation_id='talk')
        fork = await journal.fork(result.run_id, at=2)
        assert SECRET in repr(await journal.messages(fork))
        await journal._recorder.call(journal.store.close)

    asyncio.run(main())
    content = b''.join(file.read_bytes() for file in tmp_path.iterdir())
    for text in (SECRET, 'paid 1', 'done.', '"amount"', '"parts"'):
        assert text.encode() not in content
    # What stays readable, as the documentation says.
    for text in ('plain', 'talk', 'response', 'calling'):
        assert text.encode() in content


def test_keys_are_rotated() -> None:
    async def main() -> None:
        store = MemoryStore()
        before: Journal[Any] = Journal(EncryptedStore(store, OLD))
        result = await plain().run(SECRET, capabilities=[before])
        both: Journal[Any] = Journal(EncryptedStore(store, NEW, OLD))
        assert await both.messages(result.run_id) == result.all_messages()
        fork = await both.fork(result.run_id, at=3)
        assert (await both.resume(plain(), fork)).output == 'done'
        newest = EncryptedStore(store, NEW)
        assert [record.kind for record in newest.read(fork)][-1] == 'ended'
        with pytest.raises(WrongKey, match='Record 1 of run .* is encrypted with the key'):
            newest.read(result.run_id)
        with pytest.raises(WrongKey):
            EncryptedStore(store, OLD).read(fork)

    asyncio.run(main())


def test_a_wrong_key_is_an_error_that_leaves_the_run_alone() -> None:
    async def main() -> None:
        store = MemoryStore()
        right: Journal[Any] = Journal(EncryptedStore(store, OLD))
        result = await approving().run(SECRET, capabilities=[right])
        wrong: Journal[Any] = Journal(EncryptedStore(store, NEW))
        assert [run.run_id for run in await wrong.runs()] == [result.run_id]
        (waiting,) = await wrong.waiting()  # one bad run hides no other
        assert isinstance(waiting.error, WrongKey)
        assert f'Run {result.run_id!r} waits, and cannot be read' in str(waiting.error)
        for use in (
            lambda: wrong.messages(result.run_id),
            lambda: wrong.resume(approving(), result.run_id),
        ):
            with pytest.raises(WrongKey, match='Pass the key, too') as caught:
                await use()
            assert OLD not in str(caught.value)
            assert NEW not in str(caught.value)
        without: Journal[Any] = Journal(store)
        with pytest.raises(RecordUnreadable, match='It is encrypted: pass the journal an `EncryptedStore`'):
            await without.resume(approving(), result.run_id)
        with pytest.raises(JournalError, match='It is encrypted'):
            await without.messages(result.run_id)
        # Its lease was given back, so that the right key can be used at once.
        assert len(await right.waiting()) == 1
        await right.resume(approving(), result.run_id)

    asyncio.run(main())


def with_record(store: Store, change: Callable[[Record], Record], run_id: str = 'r') -> list[Record]:
    """Return what is read of a record that was changed behind the back of the encryption."""
    plain_store = MemoryStore()
    EncryptedStore(plain_store, NEW).create(
        RunInfo('r', last_seq=2), [Record(1, 'begun', 1.0, b'{"a":1}'), Record(2, 'request', 2.0, b'{"b":2}')]
    )
    first, second = plain_store.read('r')
    changed = change(first)
    other = MemoryStore()
    other.create(RunInfo(run_id, last_seq=2), [changed, second])
    return EncryptedStore(other, NEW).read(run_id)


@pytest.mark.parametrize(
    ('change', 'run_id'),
    [
        (lambda record: record._replace(body=record.body[:-1] + bytes([record.body[-1] ^ 1])), 'r'),
        (lambda record: record._replace(body=record.body[:12] + b'?' + record.body[13:]), 'r'),
        (lambda record: record._replace(body=record.body[:30]), 'r'),
        (lambda record: record._replace(body=record.body[:10]), 'r'),
        (lambda record: record._replace(kind='ended'), 'r'),
        (lambda record: record, 'another'),
    ],
    ids=['altered', 'nonce', 'cut', 'cut short', 'another kind', 'another run'],
)
def test_what_was_altered_or_moved_is_refused(change: Callable[[Record], Record], run_id: str) -> None:
    assert len(with_record(MemoryStore(), lambda record: record)) == 2
    with pytest.raises(StoreError, match='was altered after it was written, or is damaged'):
        with_record(MemoryStore(), change, run_id)


def test_a_run_that_was_altered_hides_no_other_one_that_waits() -> None:
    async def main() -> None:
        sealed, altered = MemoryStore(), MemoryStore()
        journal: Journal[Any] = Journal(EncryptedStore(sealed, NEW))
        first, second = [(await approving().run('wipe', capabilities=[journal])).run_id for _ in range(2)]
        for run in sealed.find(RunFilter()):
            records = sealed.read(run.run_id)
            if run.run_id == first:
                records[1] = records[1]._replace(body=records[1].body[:-1])
            altered.create(run, records)
        found = await Journal[Any](EncryptedStore(altered, NEW)).waiting()
        assert {one.run.run_id: one.error is None for one in found} == {first: False, second: True}
        assert 'was altered' in str(next(one.error for one in found if one.error is not None))

    asyncio.run(main())


def test_plain_records_are_read_only_if_that_is_wanted() -> None:
    async def main() -> None:
        store = MemoryStore()
        result = await plain().run('go', capabilities=[Journal(store)])
        with pytest.raises(StoreError, match='is not encrypted. If the store is older'):
            await Journal(EncryptedStore(store, NEW)).messages(result.run_id)
        journal: Journal[Any] = Journal(EncryptedStore(store, NEW, read_plain=True))
        assert await journal.messages(result.run_id) == result.all_messages()
        # A store is encrypted as a whole by taking its runs to another one.
        other: Journal[Any] = Journal(EncryptedStore(MemoryStore(), NEW))
        assert await other.import_([line async for line in journal.export()]) == 1
        assert await other.messages(result.run_id) == result.all_messages()

    asyncio.run(main())


@pytest.mark.parametrize(
    'key',
    [b'short', 'not base64!', NEW[:-4], b'x' * 33, 7, 'ä'],
    ids=['short', 'no base64', 'cut off', 'long', 'number', 'not ASCII'],
)
def test_what_is_not_a_key_is_refused(key: Any) -> None:
    with pytest.raises(UserError, match='32 random bytes, or their base64 form') as caught:
        EncryptedStore(MemoryStore(), key)
    assert str(key) not in str(caught.value) or key == 7


def test_a_record_costs_the_same_few_bytes() -> None:
    store = MemoryStore()
    sealed = EncryptedStore(store, NEW)
    bodies = [b'{}', b'x' * 10_000]
    sealed.create(RunInfo('r', last_seq=2), [Record(seq, 'k', 1.0, body) for seq, body in enumerate(bodies, 1)])
    assert [len(record.body) - len(body) for record, body in zip(store.read('r'), bodies)] == [37, 37]
    # The same data is never the same bytes.
    sealed.create(RunInfo('s', last_seq=1), [Record(1, 'k', 1.0, b'{}')])
    sealed.delete(['r'])
    sealed.create(RunInfo('r', last_seq=1), [Record(1, 'k', 1.0, b'{}')])
    assert store.read('r')[0].body[9:] != store.read('s')[0].body[9:]


def test_an_encrypted_journal_in_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, keys = tmp_path / 'runs.db', tmp_path / 'keys'
    agent: Agent[None, Any] = plain()
    asyncio.run(agent.run(SECRET, capabilities=[Journal(EncryptedStore(file, OLD))]))
    with closing(sqlite3.connect(file)) as connection:
        ((run_id,),) = connection.execute('SELECT run_id FROM runs')
    keys.write_text(f'{NEW}\n{OLD}\n')
    arguments = ['runs', '--journal', str(file)]
    assert stead([*arguments, 'list']) == 0
    assert run_id[-8:] in capsys.readouterr().out
    assert stead([*arguments, 'show', run_id]) == 2
    assert 'It is encrypted' in capsys.readouterr().err
    assert stead([*arguments, 'tail', run_id]) == 2
    assert 'It is encrypted' in capsys.readouterr().err
    assert stead([*arguments, '--keys', str(keys), 'show', run_id]) == 0
    assert SECRET in capsys.readouterr().out
    keys.write_text('\n')
    assert stead([*arguments, '--keys', str(keys), 'list']) == 2
    assert 'There is no key in' in capsys.readouterr().err
    assert stead([*arguments, '--keys', str(tmp_path), 'list']) == 2
    assert 'The keys cannot be read' in capsys.readouterr().err


def test_runs_are_found_by_what_stays_readable() -> None:
    store = EncryptedStore(MemoryStore(), NEW)
    run = RunInfo('r', agent='a', key='k', conversation_id='c')
    assert store.create(run) == run
    assert store.find(RunFilter(key='k')) == [replace(run)]
    assert isinstance(EncryptedStore('runs.db', NEW).store, SqliteStore)


def test_a_guessed_prompt_of_an_inner_run_cannot_be_confirmed(tmp_path: Path) -> None:
    class Killed(BaseException):
        pass

    ran: list[str] = []

    async def main(*keys: str, dies: bool = False) -> str:
        journal: Journal[None] = Journal(EncryptedStore(tmp_path / 'runs.db', *keys))
        inner = Agent('test', name='doctor', capabilities=[journal])
        outer = Agent('test', name='desk', capabilities=[journal])

        @inner.tool_plain
        def look_up() -> str:
            ran.append('look_up')
            return 'a cold'

        @outer.tool_plain(effect='idempotent')
        async def ask() -> str:
            answer = (await inner.run(SECRET)).output
            if dies:
                raise Killed
            return answer

        runs = await free_runs(journal)
        for run in runs:
            assert 'sealed' not in (run.key or '')
        if runs:
            return (await journal.resume(outer, next(run.run_id for run in runs if run.parent_id is None))).output
        return (await outer.run('go')).output

    with pytest.raises(Killed):
        asyncio.run(main(OLD, dies=True))
    digest = what_it_is('doctor', f'"{SECRET}"')  # which anyone can make who guesses the prompt
    with closing(sqlite3.connect(tmp_path / 'runs.db')) as connection:
        keys = [key for (key,) in connection.execute('SELECT key FROM runs WHERE key IS NOT NULL')]
    assert (
        len(keys) == 1
        and digest not in keys[0]
        and all(digest.encode() not in file.read_bytes() for file in tmp_path.iterdir())
    )
    asyncio.run(main(NEW, OLD))
    assert ran == ['look_up'], 'the inner run was found, also with a newer key'


def test_keys_of_inner_runs_that_an_older_version_stored_are_found() -> None:
    plain = MemoryStore()
    store = EncryptedStore(plain, NEW)
    outer = replace(RunInfo('outer'), key='order/17')
    inner = replace(RunInfo('inner'), parent_id='outer', key='outer/c1/0123456789ab-1')
    for run in (outer, inner):
        store.create(run)
    old = plain.create(replace(RunInfo('old'), parent_id='outer', key='outer/c2/0123456789ab-1'))
    for run in (outer, inner, old):
        assert [one.key for one in store.find(RunFilter(key=run.key))] == [run.key]
        found = store.get(run.run_id)
        assert found is not None and found.key == run.key
    assert {run.key for run in plain.find(RunFilter())} >= {'order/17', 'outer/c2/0123456789ab-1'}
    assert not plain.find(RunFilter(key=inner.key))


def test_a_key_of_a_run_is_taken_however_it_is_stored() -> None:
    inner = replace(RunInfo('inner'), parent_id='outer', key='k')
    for first, before, after in (
        (inner, [OLD], [NEW, OLD]),
        (inner, [NEW], [NEW]),
        (replace(inner, parent_id=None), [NEW], [NEW]),
    ):
        for parent_id in ('outer', None):
            plain = MemoryStore()
            EncryptedStore(plain, *before).create(first)
            created = EncryptedStore(plain, *after).create(replace(RunInfo('second'), parent_id=parent_id, key='k'))
            assert created == first and len(plain.find(RunFilter())) == 1


@pytest.mark.parametrize('parent_id', ['outer', None])
def test_a_new_run_is_looked_for_only_as_the_store_does_not_look_itself(parent_id: str | None) -> None:
    searches: list[RunFilter] = []

    class Watched(MemoryStore):
        def find(self, wanted: RunFilter) -> list[RunInfo]:
            searches.append(wanted)
            return super().find(wanted)

    EncryptedStore(Watched(), NEW).create(replace(RunInfo('inner'), parent_id=parent_id, key='k'))
    assert len(searches) == 1
