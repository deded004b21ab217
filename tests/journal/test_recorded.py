"""Journals that earlier versions wrote are read, and their runs continue."""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from stead import DeferredToolResults
from stead.journal import Journal, MemoryStore
from stead.journal._sqlite import MIGRATIONS
from tests.journal.recorded import AGENTS, FOLDER, RESUMED, contents, family, write

FILES = sorted(FOLDER.glob('format-*.db'))


def names_of(file: Path) -> dict[str, Any]:
    return json.loads(file.with_suffix('.json').read_text())


def test_there_is_a_file_of_every_format() -> None:
    assert [file.name for file in FILES] == [f'format-{number}.db' for number in range(1, len(MIGRATIONS) + 1)]
    for number, file in enumerate(FILES, 1):
        with closing(sqlite3.connect(file)) as connection:
            assert connection.execute('PRAGMA user_version').fetchone() == (number,)


@pytest.mark.parametrize('file', FILES, ids=lambda file: file.stem)
def test_everything_in_it_is_read(tmp_path: Path, file: Path) -> None:
    expected = names_of(file)
    place = Path(shutil.copy(file, tmp_path))
    ids = {name: run['run_id'] for name, run in expected.items()}

    async def main() -> None:
        journal: Journal[Any] = Journal(place)
        assert await contents(journal, ids) == expected
        elsewhere: Journal[Any] = Journal(MemoryStore())
        assert await elsewhere.import_([line async for line in journal.export()]) == len(expected)
        assert await contents(elsewhere, ids) == expected

    asyncio.run(main())


@pytest.mark.parametrize('file', FILES, ids=lambda file: file.stem)
def test_its_runs_go_on(tmp_path: Path, file: Path) -> None:
    expected = names_of(file)
    place = Path(shutil.copy(file, tmp_path))

    async def main() -> None:
        journal: Journal[Any] = Journal(place, on_change='accept')

        async def goes_on(agent: Any, run_id: str) -> Any:
            for _ in range(3):
                for waiting in await journal.waiting():
                    if waiting.run.run_id != run_id and run_id not in [item[0] for item in waiting.path]:
                        continue
                    decided = DeferredToolResults()
                    for item in waiting.requests.approvals:
                        in_doubt = waiting.requests.metadata.get(item.tool_call_id, {}).get('kind') == 'reconcile'
                        if in_doubt:
                            decided.calls[item.tool_call_id] = 'paid before'
                        else:
                            decided.approvals[item.tool_call_id] = True
                    await journal.answer(waiting.run.run_id, decided)
                result = await journal.resume(agent, run_id)
                if (await journal.state(run_id)).how == 'done' and isinstance(result.output, str):
                    return result
            raise AssertionError('it does not end')

        for name, output in RESUMED.items():
            agent = AGENTS['done' if name == 'fork' else name]()
            result = await goes_on(agent, expected[name]['run_id'])
            assert (name, result.output) == (name, output)
            # What was received is not asked for again, and what was answered is not done again.
            recorded_messages = expected[name]['messages']
            assert len(result.all_messages()) > len(recorded_messages)
            assert result.usage.requests >= expected[name]['usage'][0]
        in_doubt = await journal.messages(expected['in doubt']['run_id'])
        assert in_doubt[4].parts[0].content == 'paid before'  # type: ignore[union-attr]
        assert (await goes_on(family(journal), expected['outer']['run_id'])).output == 'done'
        # Runs that have ended give their result again.
        for name in ('done', 'parallel', 'retried', 'checked', 'on demand', 'redacted', 'streamed', 'said next'):
            result = await journal.resume(AGENTS.get(name, AGENTS['done'])(), expected[name]['run_id'])
            assert (name, result.output) == (name, expected[name]['output'])
        again = await journal.run(AGENTS['done'](), key='order-17')
        assert again.run_id == expected['key']['run_id']

    asyncio.run(main())


def test_this_version_still_writes_what_is_in_the_newest_file(tmp_path: Path) -> None:
    """A change of what is recorded shows here: read it with care, and write the file again with `tests.journal.recorded`."""

    def shape(found: dict[str, Any]) -> dict[str, Any]:
        return {name: [run['info'][1], *run['info'][5:7], *run['kinds']] for name, run in found.items()}

    async def main() -> None:
        ids = await write(tmp_path / 'runs.db')
        found = await contents(Journal(tmp_path / 'runs.db'), ids)
        assert shape(found) == shape(names_of(FILES[-1]))

    asyncio.run(main())
