"""`pydantic_graph.Graph` of 2.x is that of the builder: its names, a run from synchronous code."""

from __future__ import annotations

import asyncio

import pydantic_graph
from pydantic_graph import (
    EndMarker,
    ErrorMarker,
    Graph,
    GraphBuilder,
    GraphTask,
    GraphTaskRequest,
    JoinItem,
    StepContext,
)

builder = GraphBuilder(state_type=int, input_type=int, output_type=int)


@builder.step
async def double(ctx: StepContext[int, None, int]) -> int:
    return ctx.inputs * 2


builder.add(builder.edge_from(builder.start_node).to(double), builder.edge_from(double).to(builder.end_node))
graph = builder.build()
print(isinstance(graph, Graph), graph.name)
print(graph.run_sync(inputs=4), graph.name)
print(Graph.__name__, [cls.__name__ for cls in (EndMarker, ErrorMarker, GraphTask, GraphTaskRequest, JoinItem)])
try:
    Graph(nodes=[])  # type: ignore[call-arg]
except TypeError as error:
    print(type(error).__name__)


async def main() -> None:
    async with graph.iter(inputs=3) as run:
        print(type(run) is pydantic_graph.GraphRun)
        async for event in run:
            print(type(event).__name__)
        print(run.output)


asyncio.run(main())
