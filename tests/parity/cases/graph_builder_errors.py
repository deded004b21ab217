"""Graphs that cannot be: what is refused when they are built, and what runs say that get nowhere."""

from typing import Any

from _graphs import show, step
from pydantic_graph import GraphBuilder, reduce_sum
from pydantic_graph.exceptions import GraphBuildingError, GraphValidationError


def nothing(builder, a, b, c):
    pass


def no_end(builder, a, b, c):
    builder.add(builder.edge_from(builder.start_node).to(a))


def no_start(builder, a, b, c):
    builder.add(builder.edge_from(a).to(builder.end_node))


def dead_end(builder, a, b, c):
    builder.add(builder.edge_from(builder.start_node).to(a, b), builder.edge_from(a).to(builder.end_node))


def not_reached(builder, a, b, c):
    builder.add(builder.edge_from(builder.start_node).to(a), builder.edge_from(a, b).to(builder.end_node))


def not_reached_and_dead(builder, a, b, c):
    builder.add(
        builder.edge_from(builder.start_node).to(a),
        builder.edge_from(a).to(builder.end_node),
        builder.edge_from(b).to(c),
    )


def end_not_reached(builder, a, b, c):
    builder.add(
        builder.edge_from(builder.start_node).to(a),
        builder.edge_from(a).to(a),
        builder.edge_from(b).to(builder.end_node),
    )


def same_id(builder, a, b, c):
    builder.add(builder.edge_from(builder.start_node).to(a), builder.edge_from(a).to(step(builder, 'a')))


def same_function(builder, a, b, c):
    async def call(ctx):
        return 1

    builder.add(
        builder.edge_from(builder.start_node).to(builder.step(call)),
        builder.edge_from(builder.step(call)).to(builder.end_node),
    )


def reserved_id(builder, a, b, c):
    end = step(builder, 'x', node_id='__end__')
    builder.add(builder.edge_from(builder.start_node).to(end), builder.edge_from(end).to(builder.end_node))


def fork_twice(builder, a, b, c):
    builder.add(builder.edge_from(builder.start_node).to(a, b, fork_id='F'), builder.edge_from(a).to(b, c, fork_id='F'))


def join_like_a_step(builder, a, b, c):
    join = builder.join(reduce_sum, initial=0, node_id='a')
    builder.add(
        builder.edge_from(builder.start_node).to(a, b),
        builder.edge_from(a, b).to(join),
        builder.edge_from(join).to(builder.end_node),
    )


def join_in_a_loop(builder, a, b, c):
    join = builder.join(reduce_sum, initial=0)
    builder.add(
        builder.edge_from(builder.start_node).to(a, b),
        builder.edge_from(a, b).to(join),
        builder.edge_from(join).to(a, builder.end_node),
    )


def join_in_a_loop_of_a_fork(builder, a, b, c):
    join = builder.join(reduce_sum, initial=0, parent_fork_id='__start__')
    builder.add(
        builder.edge_from(builder.start_node).to(a),
        builder.edge_from(a).to(b, c, fork_id='F'),
        builder.edge_from(b, c).to(join),
    )
    builder.add(builder.edge_from(join).to(a, builder.end_node))


def join_without_a_fork(builder, a, b, c):
    join = builder.join(reduce_sum, initial=0)
    builder.add(
        builder.edge_from(builder.start_node).to(a),
        builder.edge_from(a).to(join),
        builder.edge_from(join).to(builder.end_node),
    )


def join_and_dead_end(builder, a, b, c):
    join = builder.join(reduce_sum, initial=0)
    builder.add(
        builder.edge_from(builder.start_node).to(a, b),
        builder.edge_from(a).to(join),
        builder.edge_from(b).to(builder.end_node),
    )


def empty_decision(builder, a, b, c):
    builder.add(builder.edge_from(builder.start_node).to(builder.decision()), builder.edge_from(a).to(builder.end_node))


def empty_broadcast(builder, a, b, c):
    builder.add(builder.edge_from(builder.start_node).broadcast(lambda way: []))


def empty_branch(builder, a, b, c):
    builder.match(int).broadcast(lambda way: [])


def same_edge_twice(builder, a, b, c):
    builder.add(
        builder.edge_from(builder.start_node).to(a),
        builder.edge_from(a).to(builder.end_node),
        builder.edge_from(a).to(builder.end_node),
    )


def straight(builder, a, b, c):
    builder.add(builder.edge_from(builder.start_node).to(builder.end_node))


def of_another_builder(builder, a, b, c):
    other = step(GraphBuilder(), 'z')
    builder.add(builder.edge_from(builder.start_node).to(other), builder.edge_from(other).to(builder.end_node))


for wire in (
    nothing,
    no_end,
    no_start,
    dead_end,
    not_reached,
    not_reached_and_dead,
    end_not_reached,
    same_id,
    same_function,
    reserved_id,
    fork_twice,
    join_like_a_step,
    join_in_a_loop,
    join_in_a_loop_of_a_fork,
    join_without_a_fork,
    join_and_dead_end,
    empty_decision,
    empty_broadcast,
    empty_branch,
    same_edge_twice,
    straight,
    of_another_builder,
):
    for validate in (True, False):
        builder = GraphBuilder(input_type=Any, output_type=Any)
        try:
            wire(builder, *(step(builder, name) for name in 'abc'))
            show(wire.__name__, validate, sorted(builder.build(validate).nodes))
        except (GraphBuildingError, GraphValidationError) as error:
            show(wire.__name__, validate, type(error).__name__, error.message == str(error))
for nonsense in (
    lambda builder: builder.edge_from(builder.start_node).to(5),
    lambda builder: builder.edge_from(builder.start_node).to(lambda ctx: 1),
    lambda builder: builder.add(5),
    lambda builder: builder.add(builder.edge_from(builder.start_node)),
    lambda builder: builder.join(5, initial=0).reduce(None, 1, 2),
):
    try:
        show(type(nonsense(GraphBuilder())).__name__)
    except Exception:
        show('refused')
