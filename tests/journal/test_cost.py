"""What a journal costs, counted and not timed: bytes, waits for the disk, and what a file with many runs is asked."""

from __future__ import annotations

import asyncio
import inspect
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from stead import Agent, UsageLimits
from stead.journal import Entry, Journal, Record, RunFilter, RunInfo, SqliteStore
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from stead.models.function import AgentInfo, FunctionModel

ROOM = Path(inspect.getfile(Journal)).parent
CALLS = 70
"""How many functions of the journal a step may call at most: a few of them depend on when the other thread writes."""


def looping(steps: int, **options: Any) -> Agent[None, str]:
    def reply(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        step = len(messages) // 2
        return ModelResponse([ToolCallPart('add', {'a': step, 'b': 1}) if step < steps else TextPart('done')])

    agent = Agent(FunctionModel(reply), **options)

    @agent.tool_plain
    def add(a: int, b: int) -> int:
        return a + b

    return agent


def run(steps: int, journal: Journal[Any]) -> Any:
    agent = looping(steps, capabilities=[journal])
    return asyncio.run(agent.run('go', usage_limits=UsageLimits(request_limit=None)))


def test_bytes_of_a_step_stay_the_same_and_are_few(tmp_path: Path) -> None:
    async def stored(journal: Journal[Any], run_id: str) -> int:
        return sum([len(record.body) async for record in journal.events(run_id)])

    each: dict[int, float] = {}
    for steps in (10, 300):
        journal: Journal[Any] = Journal(tmp_path / f'{steps}.db', durability='async')
        result = run(steps, journal)
        size = asyncio.run(stored(journal, result.run_id))
        each[steps] = size / steps
        assert size < 1.3 * len(result.all_messages_json())
    assert each[300] < each[10]


class Counting(SqliteStore):
    """Counts how often it has waited for the disk."""

    waits = 0

    def append(self, entries: Sequence[Entry], *, durable: bool) -> set[str]:
        self.waits += durable
        return super().append(entries, durable=durable)


@pytest.mark.parametrize(('durability', 'waits'), [('sync', 1), ('async', 0), ('exit', 0)])
def test_a_step_waits_for_the_disk_once_with_sync_and_not_otherwise(
    tmp_path: Path, durability: Any, waits: int
) -> None:
    found: dict[int, int] = {}
    for steps in (1, 11):
        store = Counting(tmp_path / f'{steps}.db')
        run(steps, Journal(store, durability=durability))
        found[steps] = store.waits
    assert found[11] - found[1] == 10 * waits


def calls_of_a_step(is_one: Callable[[FrameType, str, Any], bool], **options: Any) -> float:
    """Return how many calls of a kind each step makes in the thread of the loop."""

    def counted(steps: int) -> int:
        agent, count = looping(steps, **options), 0

        def note(frame: FrameType, event: str, function: Any) -> None:
            nonlocal count
            count += is_one(frame, event, function)

        async def main() -> None:
            await agent.run('go', usage_limits=UsageLimits(request_limit=None))  # what is done once is not counted
            sys.setprofile(note)
            try:
                await agent.run('go', usage_limits=UsageLimits(request_limit=None))
            finally:
                sys.setprofile(None)

        asyncio.run(main())
        return count

    return (counted(11) - counted(1)) / 10


def test_the_json_of_a_record_is_written_in_one_go() -> None:
    """A step has four records; a call for each of their messages, parts and counts takes several times as long."""

    def is_json(frame: FrameType, event: str, function: Any) -> bool:
        return event == 'c_call' and function.__name__ in ('to_json', 'to_jsonable_python', 'dumps')

    more = calls_of_a_step(is_json, capabilities=[Journal[Any](durability='async')])
    assert more - calls_of_a_step(is_json) == 4


def test_a_step_is_recorded_with_few_calls() -> None:
    """Each takes its time in the thread of the loop, where everything else waits."""

    def is_ours(frame: FrameType, event: str, function: Any) -> bool:
        code = frame.f_code
        # Comprehensions are functions in older versions of Python.
        return event == 'call' and Path(code.co_filename).parent == ROOM and not code.co_name.startswith('<')

    assert calls_of_a_step(is_ours, capabilities=[Journal[Any](durability='async')]) <= CALLS


def filled(path: Path, runs: int) -> SqliteStore:
    store = SqliteStore(path)
    store.open()
    for number in range(runs):
        status = 'running' if number % 100 == 50 else 'done'
        info = RunInfo(
            f'run-{number:05}',
            agent='shop',
            status=status,
            key=f'key-{number}',
            conversation_id=f'conversation-{number // 10}',
            parent_id=f'run-{number - 1:05}' if number % 10 == 9 else None,
            base_id=f'run-{number - 1:05}' if number % 10 == 8 else None,
            begun_at=float(number),
            last_seq=3,
            token=1,
        )
        store.create(info, [Record(seq, 'request', 1.0, b'{}') for seq in (1, 2, 3)])
    return store


def work_of(store: SqliteStore, do: Callable[[], object]) -> int:
    """Return how many hundreds of instructions SQLite executes."""
    assert store._connection is not None
    count = 0

    def progress() -> int:
        nonlocal count
        count += 1
        return 0

    store._connection.set_progress_handler(progress, 100)
    do()
    store._connection.set_progress_handler(None, 0)
    return count


def test_many_runs_in_a_file_slow_nothing_down(tmp_path: Path) -> None:
    stores = {runs: filled(tmp_path / f'{runs}.db', runs) for runs in (200, 2000)}
    new = iter(range(10_000))

    def each(store: SqliteStore) -> dict[str, int]:
        doing: dict[str, Callable[[], object]] = {
            'list': lambda: store.find(RunFilter(limit=50)),
            'next page': lambda: store.find(RunFilter(before=(150.0, ''), limit=50)),
            'status': lambda: store.find(RunFilter(status='running', limit=2)),
            'left': lambda: store.find(RunFilter(status='running', agent='shop', free_at=time.time(), limit=2)),
            'conversation': lambda: store.find(RunFilter(conversation_id='conversation-7')),
            'key': lambda: store.find(RunFilter(key='key-120', limit=1)),
            'inner runs': lambda: store.find(RunFilter(parent_id='run-00128')),
            'forks': lambda: store.find(RunFilter(base_id='run-00127')),
            'get': lambda: store.get('run-00100'),
            'read': lambda: store.read('run-00100'),
            'take': lambda: store.acquire('run-00100', 'me', time.time(), 1),
            'append': lambda: store.append(
                [Entry('run-00101', 1, [Record(4, 'ended', 1.0, b'{}')], 'done', 1)], durable=False
            ),
            'add': lambda: store.create(RunInfo(f'new-{next(new)}', base_id='run-00100', base_seq=2, last_seq=2)),
        }
        return {words: work_of(store, do) for words, do in doing.items()}

    few, many = each(stores[200]), each(stores[2000])
    for store in stores.values():
        store.close()
    assert {words: (few[words], work) for words, work in many.items() if work > 1.5 * few[words] + 3} == {}
