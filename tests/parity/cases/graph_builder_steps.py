"""Steps one after another: ids, labels, transforms, contexts, what runs return and what the graph remembers."""

import asyncio
from typing import Any, Union

from _graphs import attempt, run, show, show_graph, step, trace
from pydantic_graph import EndNode, GraphBuilder, StartNode, Step, StepContext, TypeExpression
from pydantic_graph.util import Some, get_callable_name, unpack_type_expression

builder = GraphBuilder(name='counting', state_type=dict, deps_type=str, input_type=int, output_type=list)


@builder.step
async def first(ctx: StepContext[dict, str, int]) -> int:
    ctx.state['seen'] = [ctx.deps]
    return ctx.inputs + 1


@builder.step(node_id='second-id', label='The second')
async def second(ctx):
    ctx.state['seen'].append(ctx.inputs)
    return [ctx.inputs] * 2


third = builder.step(lambda ctx: asyncio.sleep(0, [*ctx.inputs, type(ctx).__name__]), node_id='third')
show(first.id, first.label, second.id, second.label, third.id, third.label, isinstance(first, Step))
show(first.call.__name__, isinstance(builder.start_node, StartNode), isinstance(builder.end_node, EndNode))
show(builder.start_node.id, builder.end_node.id, builder.start_node is builder.start_node)
builder.add(
    builder.edge_from(builder.start_node).to(first),
    builder.edge_from(first).label('on').transform(lambda ctx: ctx.inputs * 10).label('ward').to(second),
)
builder.add_edge(second, third, label='then')
builder.add_edge(third, builder.end_node)
graph = builder.build()
show_graph(graph)
show(graph.name, graph.state_type, graph.deps_type, graph.input_type, graph.output_type, graph.auto_instrument)
state = {}
show(run(graph, state=state, deps='d', inputs=4), state)
asyncio.run(trace(graph, state={}, deps='d', inputs=4))
show(str(graph) == graph.render(), repr(graph).endswith('\n' + graph.render() + '\n>'))

show(repr(StepContext(state=1, deps=2, inputs=3)), StepContext(state=1, deps=2, inputs=3).inputs)
attempt('context by position', lambda: StepContext(1, 2, 3))
show(repr(first.as_node(5))[:20], first.as_node(5).inputs, first.as_node().inputs, first.as_node().get_node_id())
try:
    asyncio.run(first.as_node().run(None))
except NotImplementedError:
    show('a step is no node')


def sync(ctx):
    return 5


async def raises(ctx):
    raise KeyError('k')


async def no_context():
    return 1


def finished(ctx):
    future = asyncio.get_running_loop().create_future()
    future.set_result(9)
    return future


async def yields(ctx):
    yield 1


def alone(call, **options):
    builder = GraphBuilder(input_type=Any, output_type=Any)
    only = builder.step(call, **options)
    builder.add(builder.edge_from(builder.start_node).to(only), builder.edge_from(only).to(builder.end_node))
    return run(builder.build(), inputs=1, state='s', deps='d')


for call in (sync, raises, no_context, finished, yields):
    attempt(call.__name__, lambda: alone(call))
attempt('lambda', lambda: alone(lambda ctx: asyncio.sleep(0, [ctx.inputs, ctx.state, ctx.deps])))

builder = GraphBuilder(input_type=int, output_type=int)
only = step(builder, 'only')
builder.add(builder.edge_from(builder.start_node).to(only), builder.edge_from(only).to(builder.end_node))
before = builder.build()
later = step(builder, 'later')
builder.add(builder.edge_from(only).to(later), builder.edge_from(later).to(builder.end_node))
show(sorted(before.nodes), sorted(builder.build().nodes), run(before, inputs=3), before.name)
show(GraphBuilder().build(validate_graph_structure=False).nodes)

expression = TypeExpression[Union[int, str]]
show(repr(unpack_type_expression(expression)), unpack_type_expression(int), repr(Some(1)), Some(1) == Some(1))
typed = GraphBuilder(state_type=expression, output_type=TypeExpression[list[int]])
show(repr(typed.build(False).state_type), repr(typed.build(False).output_type), typed.build(False).deps_type)
show([get_callable_name(one) for one in (len, sync, int, lambda: 1, StepContext)])
