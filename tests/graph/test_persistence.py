"""Stored runs: across processes' worth of persistence objects, under locks, and with hostile files."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from stead.graph import BaseNode, End, Graph, GraphRunContext, GraphRuntimeError
from stead.graph.persistence import BaseStatePersistence, build_snapshot_list_type_adapter, file
from stead.graph.persistence.file import FileStatePersistence
from stead.graph.persistence.in_mem import FullStatePersistence


@dataclass
class State:
    done: list[str]


@dataclass
class Work(BaseNode[State, None, str]):
    name: str

    async def run(self, ctx: GraphRunContext[State]) -> Work | End[str]:
        ctx.state.done.append(self.name)
        return Work(chr(ord(self.name) + 1)) if self.name < 'c' else End('.'.join(ctx.state.done))


graph = Graph(nodes=[Work])


def persistences(tmp_path: Path) -> list[BaseStatePersistence[Any, Any]]:
    return [FullStatePersistence(), FileStatePersistence(tmp_path / 'run.json')]


@pytest.mark.parametrize('kind', [0, 1])
def test_a_run_goes_on_step_by_step_from_what_is_stored(tmp_path: Path, kind: int):
    async def main() -> tuple[int, Any]:
        persistence = persistences(tmp_path)[kind]
        await graph.initialize(Work('a'), persistence, state=State([]))
        steps = 0
        while True:
            if kind == 1:
                persistence = FileStatePersistence(tmp_path / 'run.json')
            async with graph.iter_from_persistence(persistence) as run:
                steps += 1
                node = await run.next()
            if isinstance(node, End):
                return steps, node.data

    assert asyncio.run(main()) == (3, 'a.b.c')


def test_a_finished_run_cannot_go_on(tmp_path: Path):
    async def main():
        persistence = FileStatePersistence[Any, Any](tmp_path / 'run.json')
        await graph.run(Work('c'), state=State([]), persistence=persistence)
        async with graph.iter_from_persistence(persistence):
            pass

    with pytest.raises(GraphRuntimeError, match='FileStatePersistence.*has ended'):
        asyncio.run(main())


def test_nothing_but_the_file_is_left(tmp_path: Path):
    persistence = FileStatePersistence[Any, Any](tmp_path / 'run.json')
    asyncio.run(graph.run(Work('a'), state=State([]), persistence=persistence))
    assert [path.name for path in tmp_path.iterdir()] == ['run.json']
    assert [one['kind'] for one in json.loads((tmp_path / 'run.json').read_text())] == ['node', 'node', 'node', 'end']


HOLDER = """
import sys, time
from pathlib import Path
from stead.graph.persistence.file import FileStatePersistence

with FileStatePersistence(Path(sys.argv[1]))._lock():
    print('held', flush=True)
    sys.stdin.read()
"""


def test_a_lock_dies_with_its_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / 'run.json'
    persistence = FileStatePersistence[Any, Any](path)
    with subprocess.Popen(
        [sys.executable, '-c', HOLDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == 'held\n'
        monkeypatch.setattr(file, '_LOCK_TIMEOUT', 0.02)
        with pytest.raises(TimeoutError, match=r'Another process has held .*run\.json\.lock'):
            asyncio.run(graph.initialize(Work('a'), persistence, state=State([])))
        holder.kill()
    assert (tmp_path / 'run.json.lock').exists()
    monkeypatch.undo()
    asyncio.run(graph.initialize(Work('a'), persistence, state=State([])))
    assert [path.name for path in tmp_path.iterdir()] == ['run.json']


def test_two_at_once_lose_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(file, '_LOCK_TIMEOUT', 0)  # which is for other processes

    async def main():
        stores = [FileStatePersistence[Any, Any](tmp_path / 'run.json') for _ in range(2)]
        for store in stores:
            store.set_graph_types(graph)
        await asyncio.gather(*(store.snapshot_node(State([]), Work(name)) for name in 'abcdefgh' for store in stores))
        return len(await stores[0].load_all())

    assert asyncio.run(main()) == 16


@pytest.mark.parametrize(
    'content',
    [
        'garbage',
        '{}',
        '[{"kind": "node", "state": {"done": []}, "node": {"name": "a", "node_id": "Other"}, "id": "x"}]',
        '[{"kind": "node", "state": {"done": []}, "node": {"name": "a"}, "id": "x"}]',
        '[{"kind": "node", "state": {"done": []}, "node": "a", "id": "x"}]',
        '[{"kind": "node", "state": {"done": []}, "node": ["a"], "id": "x"}]',
        '[{"kind": "node", "state": {"done": 3}, "node": {"name": "a", "node_id": "Work"}, "id": "x"}]',
        '[{"kind": "other"}]',
    ],
)
def test_a_file_that_does_not_fit_is_refused(tmp_path: Path, content: str):
    (tmp_path / 'run.json').write_text(content)
    persistence = FileStatePersistence[Any, Any](tmp_path / 'run.json')
    persistence.set_graph_types(graph)
    with pytest.raises(ValueError):
        asyncio.run(persistence.load_all())


def test_a_history_survives_json_with_its_ids():
    async def main():
        stored = FullStatePersistence[Any, Any]()
        await graph.run(Work('b'), state=State([]), persistence=stored)
        read = FullStatePersistence[Any, Any]()
        read.set_graph_types(graph)
        read.load_json(stored.dump_json())
        assert read.history == stored.history
        assert [one.state.done for one in read.history] == [[], ['b'], ['b', 'c']]

    asyncio.run(main())


def test_schemas_need_the_nodes():
    with pytest.raises(RuntimeError, match='set_graph_types'):
        build_snapshot_list_type_adapter(State, str)
