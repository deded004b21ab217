"""Snapshots of runs: in memory and in a file, begun here and finished there, with their JSON and their errors."""

import asyncio
import json
import pathlib
import tempfile
from dataclasses import dataclass, field

from pydantic_graph import BaseNode, End, EndSnapshot, Graph, GraphRunContext, NodeSnapshot
from pydantic_graph.persistence.file import FileStatePersistence
from pydantic_graph.persistence.in_mem import FullStatePersistence, SimpleStatePersistence


@dataclass
class State:
    n: int = 0


@dataclass
class First(BaseNode[State, None, int]):
    x: int = 1
    seen: list = field(default_factory=list)

    async def run(self, ctx: GraphRunContext[State]) -> 'Second':
        ctx.state.n += self.x
        return Second(y='q')


@dataclass
class Second(BaseNode[State, None, int]):
    y: str

    async def run(self, ctx: GraphRunContext[State]) -> End[int]:
        ctx.state.n += 10
        if self.y == 'fail':
            raise ValueError('y')
        return End(ctx.state.n)


graph = Graph(nodes=[First, Second], name='graph')


def show(*facts):
    print(json.dumps(facts, default=repr))


def facts(snapshot):
    if snapshot is None:
        return None
    if isinstance(snapshot, EndSnapshot):
        return ['end', snapshot.state.n, repr(snapshot.result), snapshot.node is snapshot.result, snapshot.id[:4]]
    timed = [snapshot.start_ts is not None, snapshot.duration is not None]
    return [snapshot.kind, snapshot.state.n, repr(snapshot.node), snapshot.status, timed, snapshot.id.split(':')[0]]


async def attempt(label, awaitable):
    try:
        outcome = await awaitable
        show(label, [facts(one) for one in outcome] if isinstance(outcome, list) else facts(outcome))
    except Exception as error:
        show(label, type(error).__name__)


def stored(text):
    snapshots = json.loads(text)
    for one in snapshots:
        one['id'] = one['id'].split(':')[0]
        for key in ('start_ts', 'duration', 'ts'):
            if key in one:
                one[key] = one[key] is not None
    return snapshots


async def enter(manager):
    async with manager:
        return


async def lifecycle(persistence):
    show(type(persistence).__name__, persistence.should_set_types())
    await attempt('empty next', persistence.load_next())
    await attempt('empty all', persistence.load_all())
    await attempt('record unknown', enter(persistence.record_run('zzz')))
    state = State()
    await graph.initialize(First(), persistence, state=state)
    show(persistence.should_set_types())
    await attempt('initialized', persistence.load_all())
    async with graph.iter_from_persistence(persistence) as run:
        show(repr(run.next_node), run.state.n, run.state is state)
        show(repr(await run.next()))
    async with graph.iter_from_persistence(persistence) as run:
        show([repr(node) async for node in run], repr(run.result))
    try:
        async with graph.iter_from_persistence(persistence):
            show('unexpected')
    except RuntimeError as error:
        show('finished', type(error).__name__)
    await attempt('finished all', persistence.load_all())
    await attempt('finished next', persistence.load_next())
    async with graph.iter(First(), state=State(), persistence=persistence) as run:
        await run.next()
        try:
            await run.next(Second(y='fail'))
        except ValueError:
            pass
    await attempt('failed all', persistence.load_all())


async def main():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / 'run.json'
        for persistence in (SimpleStatePersistence(), FullStatePersistence(), FileStatePersistence(path)):
            await lifecycle(persistence)
        show(stored(path.read_text()), sorted(one.name for one in path.parent.iterdir()))
        path.write_text('[]')
        await attempt('emptied', persistence.load_all())
        path.write_text('garbage')
        await attempt('garbage', persistence.load_all())

    full = FullStatePersistence()
    await graph.run(First(), state=State(), persistence=full)
    show(stored(full.dump_json()), len(full.dump_json(indent=1).splitlines()))
    again = FullStatePersistence()
    for label, use in (('load', lambda: again.load_json(b'[]')), ('dump', again.dump_json)):
        try:
            use()
        except AssertionError as error:
            show(label, type(error).__name__)
    again.set_graph_types(graph)
    again.load_json(full.dump_json())
    show(again.history == full.history, [facts(one) for one in again.history])
    for bad in ('[{"bad": 1}]', '[{"kind": "node", "state": {"n": 1}, "node": {"node_id": "Third"}, "id": "x"}]', '{'):
        try:
            again.load_json(bad)
        except ValueError as error:
            show(bad, type(error).__name__)

    shared = FullStatePersistence(deep_copy=False)
    state = State()
    await graph.run(First(), state=state, persistence=shared)
    show([one.state is state for one in shared.history])
    simple, node = SimpleStatePersistence(), First()
    await simple.snapshot_node(state, node)
    show(simple.last_snapshot.state is state, simple.last_snapshot.node is node)
    await simple.snapshot_node_if_new(node.get_snapshot_id(), State(7), node)
    show(simple.last_snapshot.state.n)
    loaded = await simple.load_next()
    show(loaded.state is state, loaded.status, simple.last_snapshot.status)
    ordered = FullStatePersistence()
    for number in (1, 2):
        await ordered.snapshot_node(State(), First(x=number))
    show([facts(await ordered.load_next()) for _ in range(3)])
    show(NodeSnapshot(state=1, node=node).id == node.get_snapshot_id(), NodeSnapshot(state=1, node=node, id='own').id)


asyncio.run(main())
