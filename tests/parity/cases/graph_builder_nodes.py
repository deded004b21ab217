"""Node classes in builder graphs: what their annotations lead to, and steps and joins that they continue with."""

import asyncio
from dataclasses import dataclass
from typing import Annotated, Any, Optional, Union

from _graphs import Unannotated, attempt, run, show, show_graph, step, trace
from pydantic_graph import BaseNode, End, GraphBuilder, GraphRunContext, JoinNode, StepNode, reduce_list_append
from pydantic_graph.step import NodeStep


@dataclass
class Double(BaseNode[dict, str, int]):
    x: int

    async def run(self, ctx: GraphRunContext[dict, str]) -> 'Union[Add, End[int]]':
        ctx.state.setdefault('seen', []).append(ctx.deps)
        return Add(self.x * 2) if self.x < 5 else End(self.x)


@dataclass
class Add(BaseNode[dict, str, int]):
    x: int

    async def run(self, ctx) -> Double:
        return Double(self.x + 1)


def builder_of(*nodes, **options):
    builder = GraphBuilder(state_type=dict, deps_type=str, input_type=Any, output_type=Any, **options)
    builder.add(*(builder.node(node) for node in nodes))
    return builder


builder = builder_of(Double, Add)
builder.add(builder.edge_from(builder.start_node).transform(lambda ctx: Double(ctx.inputs)).to(Double))
graph = builder.build()
show_graph(graph)
state = {}
show(run(graph, state=state, deps='d', inputs=1), state)
asyncio.run(trace(graph, state={}, deps='d', inputs=1))
edge = builder.node(Add)
show(len(edge.sources), type(edge.sources[0]).__name__, edge.sources[0].id, [node.id for node in edge.destinations])
show(NodeStep(Add).id, NodeStep(Add, id='x', label='l').id, NodeStep(Add, id='x', label='l').label)
attempt('wrong instance', lambda: run(graph, state={}, deps='d', inputs=None))
builder = builder_of(Add, Double)
builder.add(builder.edge_from(builder.start_node).to(Double))
attempt('instance of another', lambda: run(builder.build(), state={}, deps='d', inputs=Add(1)))
attempt('no instance', lambda: run(builder.build(), state={}, deps='d', inputs=1))


def first_step(function):
    builder = builder_of(Double, Add)
    first = builder.step(function)
    builder.add(builder.edge_from(builder.start_node).to(first))
    return builder.build()


async def named(ctx) -> Double:
    return Double(ctx.inputs)


async def quoted(ctx) -> 'Double':
    return Double(ctx.inputs)


async def either(ctx) -> Union[Add, Double]:
    return Double(ctx.inputs)


async def no_node(ctx) -> Union[Double, int]:
    return Double(ctx.inputs)


async def optional(ctx) -> Optional[Double]:
    return Double(ctx.inputs)


async def any_node(ctx) -> BaseNode:
    return Double(ctx.inputs)


for function in (named, quoted, either):
    print('==', function.__name__)
    show_graph(first_step(function))
for function in (named, quoted, no_node, optional, any_node):
    attempt(function.__name__, lambda: run(first_step(function), state={}, deps='d', inputs=1))

print('== steps and joins')
builder = GraphBuilder(output_type=Any)
last = step(builder, 'last', lambda value: value + 1000)


class ToStep(BaseNode):
    async def run(self, ctx) -> Annotated[StepNode, last]:
        return last.as_node(5)


builder.add(builder.node(ToStep), builder.edge_from(last).to(builder.end_node))
builder.add(builder.edge_from(builder.start_node).transform(lambda ctx: ToStep()).to(ToStep))
show_graph(builder.build())
asyncio.run(trace(builder.build()))

builder = GraphBuilder(output_type=Any)
join = builder.join(reduce_list_append, initial_factory=list)


@dataclass
class ToJoin(BaseNode):
    value: int

    async def run(self, ctx) -> Annotated[JoinNode, join]:
        return join.as_node(self.value * 7)


builder.add(
    builder.edge_from(builder.start_node)
    .transform(lambda ctx: [1, 2, 3])
    .map()
    .transform(lambda ctx: ToJoin(ctx.inputs))
    .to(ToJoin),
    builder.node(ToJoin),
    builder.edge_from(join).to(builder.end_node),
)
show_graph(builder.build())
show(run(builder.build()))

print('== decisions about nodes')


@dataclass
class Ends(BaseNode):
    x: int

    async def run(self, ctx) -> End[str]:
        return End(f'{type(self).__name__} {self.x}')


class EndsToo(Ends):
    pass


builder = GraphBuilder(input_type=int, output_type=str)
choose = step(builder, 'choose', lambda value: Ends(1) if value else EndsToo(2))
decision = builder.decision().branch(builder.match_node(EndsToo)).branch(builder.match_node(Ends))
builder.add(builder.node(Ends), builder.node(EndsToo), builder.edge_from(builder.start_node).to(choose))
builder.add(builder.edge_from(choose).to(decision))
show_graph(builder.build())
show(run(builder.build(), inputs=0), run(builder.build(), inputs=1))

print('== what cannot be a node')


class SomeStep(BaseNode):
    async def run(self, ctx) -> StepNode:
        return End(1)


class SomeJoin(BaseNode):
    async def run(self, ctx) -> Annotated[JoinNode, 'x']:
        return End(1)


class AnyNode(BaseNode):
    async def run(self, ctx) -> BaseNode:
        return End(1)


class NoNode(BaseNode):
    async def run(self, ctx) -> Union[End[int], int]:
        return End(1)


for node in (Unannotated, SomeStep, SomeJoin, AnyNode, NoNode):
    attempt(node.__name__, lambda: bool(GraphBuilder().node(node)))
