"""Runs: step by step, replaced steps, errors, what is cancelled, and what is left when a block is left."""

import asyncio
from typing import Any

from _graphs import kind_of, run, show, step
from pydantic_graph import GraphBuilder, ReduceFirstValue, reduce_list_append
from pydantic_graph.graph_builder import EndMarker, ErrorMarker, GraphTask, GraphTaskRequest

log = []


def builder_of():
    return GraphBuilder(input_type=Any, output_type=Any)


def logged(builder, name, change=None, seconds=0):
    async def call(ctx):
        log.append(f'{name} begins')
        try:
            await asyncio.sleep(seconds)
            value = change(ctx.inputs) if change else ctx.inputs
        except BaseException as error:
            log.append(f'{name} {type(error).__name__}')
            raise
        log.append(f'{name} ends')
        return value

    call.__name__ = name
    return builder.step(call)


def tasks_of(marker):
    return marker.value if isinstance(marker, EndMarker) else [[task.node_id, task.inputs] for task in marker]


async def attempt(label, awaitable):
    try:
        show(label, tasks_of(await awaitable))
    except (Exception, asyncio.CancelledError) as error:
        show(label, 'raises', kind_of(error))


def show_log():
    show(sorted(log), len(asyncio.all_tasks()))
    log.clear()


def line():
    builder = builder_of()
    a, b = logged(builder, 'a', lambda value: value + 1), logged(builder, 'b', lambda value: value * 10)
    builder.add(
        builder.edge_from(builder.start_node).to(a),
        builder.edge_from(a).to(b),
        builder.edge_from(b).to(builder.end_node),
    )
    return builder.build()


def pair(change, **seconds):
    builder = builder_of()
    a, b = logged(builder, 'a', None, seconds.get('a', 0)), logged(builder, 'b', change, seconds.get('b', 0))
    join = builder.join(reduce_list_append, initial_factory=list)
    builder.add(
        builder.edge_from(builder.start_node).to(a, b),
        builder.edge_from(a, b).to(join),
        builder.edge_from(join).to(builder.end_node),
    )
    return builder.build()


def fails(value):
    raise ValueError('fails')


async def stepping():
    graph = line()
    async with graph.iter(inputs=1, state='s', deps='d') as run:
        show(run.graph is graph, run.state, run.deps, run.inputs, run.output, tasks_of(run.next_task))
        outcome = await run.next()
        show(tasks_of(outcome), outcome is run.next_task, outcome[0].task_id, repr(outcome[0]))
        while not isinstance(outcome, EndMarker):
            outcome = await run.next()
            show(tasks_of(outcome))
        show(run.output, run.next_task is outcome, repr(outcome), outcome == EndMarker(20))
        await attempt('after the end', run.next())
        show([outcome async for outcome in run])
    show_log()


async def replacing():
    graph = line()
    async with graph.iter(inputs=1) as run:
        await run.next()
        outcome = await run.next()
        request = GraphTaskRequest('b', 50, outcome[0].fork_stack)
        await attempt('another task', run.next([request]))
        await attempt('then', run.next())
    async with graph.iter(inputs=1) as run:
        await attempt('another first task', run.next([GraphTaskRequest('b', 3, run.next_task[0].fork_stack)]))
        await attempt('then', run.next())
    async with graph.iter(inputs=1) as run:
        async for outcome in run:
            show(tasks_of(outcome))
            if not isinstance(outcome, EndMarker) and outcome[0].node_id == 'b' and outcome[0].inputs < 50:
                run.override_next([GraphTaskRequest('a', 100, outcome[0].fork_stack)])
                show('now', tasks_of(run.next_task), type(run.next_task[0]).__name__)
    async with graph.iter(inputs=1) as run:
        async for outcome in run:
            show(tasks_of(outcome))
            if not isinstance(outcome, EndMarker) and outcome[0].node_id == 'b':
                run.override_next(EndMarker('early'))
        show(run.output, repr(run.next_task))
    async with graph.iter(inputs=1) as run:
        await attempt('no tasks', run.next([]))
    async with graph.iter(inputs=1) as run:
        await attempt('nonsense', run.next(5))
    log.clear()


async def failing():
    graph = pair(fails, a=0.5, b=0.01)
    await attempt('run', graph.run(inputs=1))
    show_log()
    async with graph.iter(inputs=1) as run:
        try:
            async for outcome in run:
                show(tasks_of(outcome))
        except ValueError as error:
            show('caught', isinstance(run.next_task, ErrorMarker), run.next_task.error is error, run.output)
    show_log()
    await attempt('both', pair(fails).run(inputs=1))
    log.clear()


async def leaving():
    graph = pair(None, a=0.5, b=0.01)
    async with graph.iter(inputs=1) as run:
        for _ in range(3):
            show(tasks_of(await run.next()))
    show_log()
    try:
        async with graph.iter(inputs=1) as run:
            for _ in range(3):
                await run.next()
            raise KeyError('of the block')
    except KeyError as error:
        show(repr(error))
    show_log()
    graph = pair(None, a=0.5, b=0.5)
    task = asyncio.ensure_future(graph.run(inputs=1))
    await asyncio.sleep(0.01)
    task.cancel()
    await attempt('cancelled', task)
    show_log()
    builder = builder_of()
    a, b = logged(builder, 'a', None, 0.5), logged(builder, 'b', None, 0.01)
    builder.add(builder.edge_from(builder.start_node).to(a, b), builder.edge_from(a, b).to(builder.end_node))
    await attempt('the first to end', builder.build().run(inputs=1))
    show_log()


async def racing():
    for seconds in ([5, 0.01, 5], [0, 0, 0]):
        builder = builder_of()

        async def wait(ctx):
            try:
                await asyncio.sleep(ctx.inputs)
            except asyncio.CancelledError:
                log.append('cancelled')
                raise
            return ctx.inputs

        join, after = builder.join(ReduceFirstValue(), initial=None), step(builder, 'after')
        each = builder.step(wait)
        builder.add_mapping_edge(builder.start_node, each)
        builder.add(
            builder.edge_from(each).to(join),
            builder.edge_from(join).to(after),
            builder.edge_from(after).to(builder.end_node),
        )
        await attempt('first of', builder.build().run(inputs=seconds))
        show_log()
    for options in ({}, {'parent_fork_id': 'M'}, {'preferred_parent_fork': 'closest'}):
        builder = builder_of()

        async def wait(ctx):
            await asyncio.sleep(ctx.inputs / 100)
            return ctx.inputs

        each, other = builder.step(wait), logged(builder, 'other', lambda value: 'other', 0.1)
        first = builder.join(ReduceFirstValue(), initial=None, node_id='first', **options)
        both = builder.join(reduce_list_append, initial_factory=list, node_id='both')
        builder.add(
            builder.edge_from(builder.start_node).broadcast(lambda way: [way.map(fork_id='M').to(each), way.to(other)]),
            builder.edge_from(each).to(first),
            builder.edge_from(first, other).to(both),
            builder.edge_from(both).to(builder.end_node),
        )
        await attempt(repr(options), builder.build().run(inputs=[1, 2, 3]))
        show_log()


async def together():
    builder = GraphBuilder(state_type=list, deps_type=int, input_type=int, output_type=Any)

    @builder.step
    async def note(ctx):
        ctx.state.append([ctx.deps, ctx.inputs])
        await asyncio.sleep(0)
        return len(ctx.state)

    builder.add(builder.edge_from(builder.start_node).to(note), builder.edge_from(note).to(builder.end_node))
    graph = builder.build()
    show(await asyncio.gather(*(graph.run(state=[], deps=number, inputs=number) for number in range(3))))


async def naming():
    unnamed = line()
    await unnamed.run(inputs=1, infer_name=False)
    show(unnamed.name)
    async with unnamed.iter(inputs=1, infer_name=False):
        show(unnamed.name)
    async with unnamed.iter(inputs=1):
        show(unnamed.name)
    another = line()
    another.render()
    show(another.name)
    await another.run(inputs=1)
    show(another.name)
    log.clear()


for scene in (stepping, replacing, failing, leaving, racing, together, naming):
    print('==', scene.__name__)
    asyncio.run(scene())
task = GraphTask('n', 1, (), 'id')
show(
    GraphTask.from_request(task, lambda: 'new').task_id,
    GraphTask.from_request(GraphTaskRequest('n', 1, ()), str).task_id,
)
show(
    repr(task),
    repr(GraphTaskRequest('n', 1, ())),
    repr(ErrorMarker(ValueError('v'))),
    repr(EndMarker(1)),
    EndMarker(1).value,
)
show(run(line(), inputs=1))
