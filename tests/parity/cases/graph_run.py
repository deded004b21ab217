"""Runs of a graph: to the end, step by step, iterated over, with foreign nodes, wrong returns and errors."""

import asyncio
import json
from dataclasses import dataclass
from typing import Union

from pydantic_graph import BaseNode, End, Graph, GraphRunContext, GraphRuntimeError
from pydantic_graph.persistence.in_mem import FullStatePersistence, SimpleStatePersistence


@dataclass
class State:
    n: int = 0


@dataclass
class Add(BaseNode[State, int, int]):
    by: int = 1

    async def run(self, ctx: GraphRunContext[State, int]) -> 'Check':
        ctx.state.n += self.by
        return Check()


@dataclass
class Check(BaseNode[State, int, int]):
    async def run(self, ctx: GraphRunContext[State, int]) -> Union[Add, End[int]]:
        return End(ctx.state.n) if ctx.state.n >= ctx.deps else Add()


@dataclass
class Stranger(BaseNode[State, int, int]):
    async def run(self, ctx: GraphRunContext[State, int]) -> End[int]:
        return End(1)


class Wrong(BaseNode):
    async def run(self, ctx) -> End[int]:
        return 5


class Flaky(BaseNode):
    fails = 1

    async def run(self, ctx) -> End[int]:
        if self.fails:
            self.fails -= 1
            raise KeyError('k')
        return End(1)


class Slow(BaseNode):
    async def run(self, ctx) -> End[int]:
        await asyncio.sleep(5)
        return End(1)


def show(*facts):
    print(json.dumps(facts, default=repr))


async def attempt(label, awaitable):
    try:
        show(label, repr(await awaitable))
    except Exception as error:
        show(label, type(error).__name__, [base.__name__ for base in type(error).__bases__])


graph = Graph(nodes=(Add, Check))


async def main():
    result = await graph.run(Add(), state=State(), deps=3)
    show(repr(result), result.output, result.state.n, type(result.persistence).__name__)
    async with graph.iter(Add(), state=State(), deps=2) as run:
        show(repr(run), repr(run.next_node), run.result, run.state.n, run.deps, run.graph is graph)
        async for node in run:
            show('visited', repr(node), run.state.n, repr(run.result))
    async with graph.iter(Add(), state=State(), deps=2) as run:
        check = await run.next()
        show(repr(check), run.next_node is check)
        await run.next(Add(by=5))
        show('end', repr(await run.next()), repr(run.result))
        await attempt('next after the end', run.next())
        await attempt('next with an end', run.next(End(3)))
        await attempt('another node after the end', run.next(Add()))
    async with graph.iter(Add(), state=State(), deps=2) as run:
        await run.next()
        show('iterating goes on', [type(node).__name__ async for node in run])
    async with graph.iter(Add(), state=State(), deps=2) as run:
        seen = []
        async for node in run:
            seen.append(type(node).__name__)
            if isinstance(node, Add):
                await run.next(node)
        show('mixed', seen)
    await attempt('foreign start', graph.run(Stranger(), state=State(), deps=1))
    async with graph.iter(Add(), state=State(), deps=1) as run:
        await attempt('foreign node', run.next(Stranger()))
        show(repr(run.next_node))
    await attempt('wrong return', Graph(nodes=[Wrong]).run(Wrong()))
    flaky = Graph(nodes=[Flaky])
    await attempt('error', flaky.run(Flaky()))
    async with flaky.iter(Flaky()) as run:
        await attempt('fails', run.next())
        show(type(run.next_node).__name__, run.result)
        await attempt('the same instance again', run.next())
        node = Flaky()
        node.fails = 0
        await attempt('another instance', run.next(node))
    persistence = SimpleStatePersistence()
    task = asyncio.create_task(Graph(nodes=[Slow]).run(Slow(), persistence=persistence))
    await asyncio.sleep(0.01)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        show('cancelled', persistence.last_snapshot.status, persistence.last_snapshot.duration)
    node = Add()
    persistence = FullStatePersistence()
    await graph.run(node, state=State(), deps=1, persistence=persistence)
    await attempt('a node twice in one history', graph.run(node, state=State(), deps=1, persistence=persistence))


def local_names():
    local = Graph(nodes=[Add, Check])
    local.run_sync(Add(), state=State(), deps=1)
    drawn = Graph(nodes=[Add, Check])
    drawn.mermaid_code()
    named = Graph(nodes=[Add, Check], name='given')
    named.mermaid_code()
    left = Graph(nodes=[Add, Check])
    left.run_sync(Add(), state=State(), deps=1, infer_name=False)
    show('names', local.name, drawn.name, named.name, left.name)


asyncio.run(main())
show(graph.name, repr(graph.run_sync(Add(), state=State(), deps=2)), issubclass(GraphRuntimeError, RuntimeError))
local_names()
