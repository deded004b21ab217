"""Streams: steps that yield, mapped over while they run, and asynchronous iterables in general."""

import asyncio
from typing import Any

from _graphs import attempt, run, show, step
from pydantic_graph import GraphBuilder, StepContext, reduce_list_append

log = []


def graph_of(call, **options):
    builder = GraphBuilder(input_type=Any, output_type=Any)
    source = builder.stream(call) if options.pop('stream', True) else builder.step(call)

    @builder.step
    async def take(ctx):
        log.append(f'take {ctx.inputs}')
        return ctx.inputs + 1

    join = builder.join(reduce_list_append, initial_factory=list, node_id='join', **options)
    builder.add(builder.edge_from(builder.start_node).to(source), builder.edge_from(source).map().to(take))
    builder.add(builder.edge_from(take).to(join), builder.edge_from(join).to(builder.end_node))
    return builder.build()


async def numbers(ctx):
    for number in range(3):
        yield number * ctx.inputs


async def slow(ctx):
    for number in range(3):
        log.append(f'give {number}')
        yield number
        await asyncio.sleep(0.02)


async def fails(ctx):
    yield 1
    raise ZeroDivisionError


async def nothing(ctx):
    return
    yield


async def gives_an_iterator(ctx):
    return numbers(ctx)


builder = GraphBuilder()
stream = builder.stream(node_id='id', label='label')(numbers)
show(stream.id, stream.label, builder.stream(numbers).id, type(stream).__name__)


async def called():
    stream_result = await stream.call(StepContext(state=None, deps=None, inputs=2))
    show([item async for item in stream_result])


asyncio.run(called())
for options in ({}, {'preferred_parent_fork': 'closest'}):
    show(run(graph_of(numbers, **options), inputs=10))
    log.clear()
    show(run(graph_of(slow, **options), inputs=10), log)
    attempt('fails', lambda: run(graph_of(fails, **options), inputs=10))
    attempt('nothing', lambda: run(graph_of(nothing, **options), inputs=10))
    show(run(graph_of(gives_an_iterator, stream=False, **options), inputs=10))

builder = GraphBuilder(output_type=Any)
source, consumer = builder.stream(numbers), step(builder, 'kept', lambda value: hasattr(value, '__aiter__'))
builder.add(builder.edge_from(builder.start_node).to(source), builder.edge_from(source).to(consumer))
builder.add(builder.edge_from(consumer).to(builder.end_node))
show('not mapped', run(builder.build(), inputs=1))
