"""What an SQLite file can suffer: the run fails with a named error before its next effect, and continues when the file is well."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from stead.journal import Journal, LeaseLost, RunFilter, RunInUse, SqliteStore, StoreError
from tests.journal.payer import STEPS, left_run, paid, payer

ROOT = Path(__file__).parent.parent.parent
ALL = [str(amount) for amount in range(1, STEPS + 1)]
pytestmark = [
    pytest.mark.skipif(sys.platform == 'win32', reason='signals and files of Unix'),
    pytest.mark.skipif(os.environ.get('STEAD_TRUST_FULL') != '1', reason='many processes; `make trust` runs these'),
]


def may_mount() -> bool:
    return (
        bool(shutil.which('unshare'))
        and not subprocess.run(
            ['unshare', '-m', 'mount', '-t', 'tmpfs', 'tmpfs', '/tmp'], capture_output=True
        ).returncode
    )


# The disk


@pytest.mark.parametrize(
    ('how', 'message', 'counts'),
    [
        ('quota', 'Cannot append to the journal .*: disk I/O error', range(1, STEPS)),
        ('disk', 'Cannot append to the journal .*: database or disk is full', range(1, STEPS)),
        ('read-only', 'Cannot .* the journal .*: attempt to write a readonly database', range(1)),
    ],
)
def test_a_disk_that_takes_nothing_more(tmp_path: Path, how: str, message: str, counts: range) -> None:
    if how != 'quota' and not may_mount():
        pytest.skip('a disk of its own cannot be mounted here')
    directory, ledger = tmp_path / 'disk', tmp_path / 'ledger'
    directory.mkdir()
    program = [sys.executable, '-m', 'tests.journal.payer', how, str(directory), str(ledger)]
    process = subprocess.run(
        program if how == 'quota' else ['unshare', '-m', *program], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert process.stderr == ''
    error, count, output = process.stdout.splitlines()
    assert re.match(message, error)
    assert int(count) in counts
    assert output == 'paid'
    assert paid(ledger) == ALL


# The file


async def fails(tmp_path: Path, before: Callable[[int], Any], match: str, **options: Any) -> Journal[Any]:
    """Run the payer until something happens to its file."""
    journal: Journal[Any] = Journal(SqliteStore(tmp_path / 'runs.db', **options), lease_seconds=0.5)
    with pytest.raises(StoreError, match=match):
        await payer(tmp_path / 'ledger', before).run('go', capabilities=[journal])
    return journal


async def goes_on(tmp_path: Path) -> None:
    later: Journal[Any] = Journal(tmp_path / 'runs.db')
    run_id = await left_run(later)
    assert run_id is not None
    result = await later.resume(payer(tmp_path / 'ledger'), run_id)
    assert result.output == 'paid'
    assert paid(tmp_path / 'ledger') == ALL


def test_a_file_that_another_process_locks(tmp_path: Path) -> None:
    program = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute('BEGIN IMMEDIATE')
print('locked', flush=True)
sys.stdin.read()
"""

    async def main() -> None:
        processes: list[subprocess.Popen[str]] = []

        def lock(step: int) -> None:
            if step == 2:
                process = subprocess.Popen(
                    [sys.executable, '-c', program, str(tmp_path / 'runs.db')],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
                assert process.stdout is not None
                assert process.stdout.readline() == 'locked\n'
                processes.append(process)

        try:
            await fails(tmp_path, lock, 'Cannot append to the journal .*: database is locked', timeout=0.1)
            assert paid(tmp_path / 'ledger') == ALL[:2]
            # It can still be read.
            assert len(await Journal(tmp_path / 'runs.db').runs()) == 1
        finally:
            for process in processes:
                process.communicate()
        await goes_on(tmp_path)

    asyncio.run(main())


@pytest.mark.parametrize('what', ['deleted', 'replaced', 'log deleted'])
def test_a_file_that_is_taken_away(tmp_path: Path, what: str) -> None:
    file = tmp_path / 'runs.db'

    def take_away(step: int) -> None:
        if step != 3:
            return
        if what == 'log deleted':
            os.unlink(f'{file}-wal')
            return
        for path in (file, Path(f'{file}-wal'), Path(f'{file}-shm')):
            path.unlink()
        if what == 'replaced':
            with closing(sqlite3.connect(file)) as connection:
                connection.execute('CREATE TABLE other (x)')

    async def main() -> None:
        journal = await fails(tmp_path, take_away, 'was deleted or replaced while it was in use')
        assert paid(tmp_path / 'ledger') == ALL[:3]
        # The next run of the same journal has a file that is there.
        result = await payer(tmp_path / 'other ledger').run('go', capabilities=[journal])
        assert result.run_id in [run.run_id for run in await Journal(file).runs()]

    asyncio.run(main())


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / 'runs.db').write_bytes(b'not a database, ' * 1000)
    (tmp_path / 'directory').mkdir()

    async def main() -> None:
        await fails(tmp_path, lambda step: None, 'Cannot open the journal .*: file is not a database')
        assert (tmp_path / 'runs.db').read_bytes() == b'not a database, ' * 1000
        for place in ('directory', 'not there/runs.db'):
            with pytest.raises(StoreError, match='Cannot open the journal .*: unable to open database file'):
                await Journal(tmp_path / place).runs()
        assert paid(tmp_path / 'ledger') == []

    asyncio.run(main())


def test_a_newer_version_that_takes_over_the_file(tmp_path: Path) -> None:
    file = tmp_path / 'runs.db'

    def upgrade(step: int) -> None:
        if step == 2:
            with closing(sqlite3.connect(file)) as connection:
                connection.execute('ALTER TABLE runs ADD COLUMN tag TEXT')
                connection.execute('PRAGMA user_version=99')

    async def main() -> None:
        journal = await fails(tmp_path, upgrade, r'written by a newer version of stead \(format 99')
        assert paid(tmp_path / 'ledger') == ALL[:2]
        with pytest.raises(StoreError, match='Update stead, or use another file'):
            await payer(tmp_path / 'ledger').run('go', capabilities=[journal])
        with pytest.raises(StoreError, match='Update stead'):
            await Journal(file).runs()
        assert paid(tmp_path / 'ledger') == ALL[:2]

    asyncio.run(main())


def test_a_process_that_goes_to_another_directory_keeps_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'elsewhere').mkdir()

    async def main() -> None:
        journal: Journal[Any] = Journal('runs.db')
        agent = payer(tmp_path / 'ledger', lambda step: os.chdir('elsewhere') if step == 1 else None)
        result = await agent.run('go', capabilities=[journal])
        assert await journal.messages(result.run_id) == result.all_messages()
        assert list((tmp_path / 'elsewhere').iterdir()) == []

    asyncio.run(main())


# The log that SQLite writes beside it


def test_a_log_that_was_cut_off_loses_its_end_and_nothing_else(tmp_path: Path) -> None:
    program = """
import os, signal, sys
from pathlib import Path
from tests.journal.payer import payer
from stead.journal import Journal
import asyncio
place = Path(sys.argv[1])
journal = Journal(place / 'runs.db', lease_seconds=0.1)
async def die():
    await journal.runs()  # what was recorded before is written
    os.kill(os.getpid(), signal.SIGKILL)
asyncio.run(payer(place / 'ledger', lambda step: die() if step == 4 else None).run('go', capabilities=[journal]))
"""
    process = subprocess.run([sys.executable, '-c', program, str(tmp_path)], cwd=ROOT, capture_output=True, text=True)
    assert process.returncode == -signal.SIGKILL, process.stderr
    log = (tmp_path / 'runs.db-wal').read_bytes()
    database = (tmp_path / 'runs.db').read_bytes()
    frame = 24 + 4096
    assert len(log) > 100 * frame

    def recorded(name: str, content: bytes) -> list[Any]:
        place = tmp_path / f'{name}.db'
        place.write_bytes(database)
        Path(f'{place}-wal').write_bytes(content)
        store = SqliteStore(place)
        store.open()
        try:
            runs = store.find(RunFilter())
            return store.read(runs[0].run_id) if runs else []
        finally:
            store.close()

    whole = recorded('whole', log)
    assert [record.seq for record in whole] == [*range(1, len(whole) + 1)]
    counts: list[int] = []
    for part in range(6):
        end = len(log) * part // 6 + part * 7
        readable = recorded(f'cut-{part}', log[:end])
        assert readable == whole[: len(readable)]
        counts.append(len(readable))
        # Bits that have changed in the middle are found, too.
        spoiled = bytearray(log)
        spoiled[end : end + 8] = b'\xa5' * 8
        readable = recorded(f'spoiled-{part}', bytes(spoiled))
        assert readable == whole[: len(readable)]
    assert counts == sorted(counts)
    assert counts[0] == 0 < counts[3] < len(whole)

    asyncio.run(goes_on(tmp_path))


# The clock


class Clock:
    """The clock of the machine, which can be set."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.offset = 0.0
        real = time.time
        monkeypatch.setattr(time, 'time', lambda: real() + self.offset)


@pytest.mark.parametrize('jump', ['forward', 'back and forward'])
def test_a_clock_that_jumps_gives_a_run_to_one_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jump: str
) -> None:
    clock = Clock(monkeypatch)
    file, ledger = tmp_path / 'runs.db', tmp_path / 'ledger'

    async def main() -> None:
        journal: Journal[Any] = Journal(file, lease_seconds=0.3 if jump != 'forward' else 30)
        other: Journal[Any] = Journal(file)
        outputs: list[str] = []

        async def takes_over() -> None:
            (run,) = await other.runs()
            with pytest.raises(RunInUse):
                await other.resume(payer(ledger), run.run_id)
            if jump == 'forward':
                clock.offset = 3600
            else:
                # The lease is renewed while the clock is slow, so it has ended when the clock is right again.
                clock.offset = -3600
                while (await other.runs())[0].lease_until > time.time() + 60:  # noqa: ASYNC110 - a thread renews it
                    await asyncio.sleep(0.02)
                clock.offset = 0
            outputs.append((await other.resume(payer(ledger), run.run_id)).output)

        with pytest.raises(LeaseLost, match='was taken over by another process'):
            await payer(ledger, lambda step: takes_over() if step == 3 else None).run('go', capabilities=[journal])
        assert outputs == ['paid']
        assert paid(ledger) == ALL
        assert [run.status for run in await other.runs()] == ['done']

    asyncio.run(main())


def test_a_clock_that_was_set_back_keeps_a_run_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    clock.offset = 3600

    async def main() -> None:
        store = SqliteStore(tmp_path / 'runs.db')
        journal: Journal[Any] = Journal(store, lease_seconds=30)
        run = journal._recorder.new_run('r', 'payer', None, 'order-17')
        await journal._recorder.call(lambda: store.create(run))
        clock.offset = 0
        other: Journal[Any] = Journal(tmp_path / 'runs.db')
        with pytest.raises(RunInUse, match='has it for another 36[0-9][0-9] seconds'):
            await other.resume(payer(tmp_path / 'ledger'), 'r')
        clock.offset = 3631
        assert (await other.run(payer(tmp_path / 'ledger'), 'go', key='order-17')).output == 'paid'

    asyncio.run(main())
