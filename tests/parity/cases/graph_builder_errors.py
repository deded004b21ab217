"""Graphs that cannot be: what is refused when they are built, and what runs say that get nowhere."""

from typing import Any

from _graphs import show, step
from pydantic_graph import GraphBuilder, reduce_sum
from pydantic_graph.exceptions import GraphBuildingError, GraphValidationError


def nothing(g, a, b, c):
    pass


def no_end(g, a, b, c):
    g.add(g.edge_from(g.start_node).to(a))


def no_start(g, a, b, c):
    g.add(g.edge_from(a).to(g.end_node))


def dead_end(g, a, b, c):
    g.add(g.edge_from(g.start_node).to(a, b), g.edge_from(a).to(g.end_node))


def not_reached(g, a, b, c):
    g.add(g.edge_from(g.start_node).to(a), g.edge_from(a, b).to(g.end_node))


def not_reached_and_dead(g, a, b, c):
    g.add(g.edge_from(g.start_node).to(a), g.edge_from(a).to(g.end_node), g.edge_from(b).to(c))


def end_not_reached(g, a, b, c):
    g.add(g.edge_from(g.start_node).to(a), g.edge_from(a).to(a), g.edge_from(b).to(g.end_node))


def same_id(g, a, b, c):
    g.add(g.edge_from(g.start_node).to(a), g.edge_from(a).to(step(g, 'a')))


def same_function(g, a, b, c):
    async def call(ctx):
        return 1

    g.add(g.edge_from(g.start_node).to(g.step(call)), g.edge_from(g.step(call)).to(g.end_node))


def reserved_id(g, a, b, c):
    end = step(g, 'x', node_id='__end__')
    g.add(g.edge_from(g.start_node).to(end), g.edge_from(end).to(g.end_node))


def fork_twice(g, a, b, c):
    g.add(g.edge_from(g.start_node).to(a, b, fork_id='F'), g.edge_from(a).to(b, c, fork_id='F'))


def join_like_a_step(g, a, b, c):
    join = g.join(reduce_sum, initial=0, node_id='a')
    g.add(g.edge_from(g.start_node).to(a, b), g.edge_from(a, b).to(join), g.edge_from(join).to(g.end_node))


def join_in_a_loop(g, a, b, c):
    join = g.join(reduce_sum, initial=0)
    g.add(g.edge_from(g.start_node).to(a, b), g.edge_from(a, b).to(join), g.edge_from(join).to(a, g.end_node))


def join_in_a_loop_of_a_fork(g, a, b, c):
    join = g.join(reduce_sum, initial=0, parent_fork_id='__start__')
    g.add(g.edge_from(g.start_node).to(a), g.edge_from(a).to(b, c, fork_id='F'), g.edge_from(b, c).to(join))
    g.add(g.edge_from(join).to(a, g.end_node))


def join_without_a_fork(g, a, b, c):
    join = g.join(reduce_sum, initial=0)
    g.add(g.edge_from(g.start_node).to(a), g.edge_from(a).to(join), g.edge_from(join).to(g.end_node))


def join_and_dead_end(g, a, b, c):
    join = g.join(reduce_sum, initial=0)
    g.add(g.edge_from(g.start_node).to(a, b), g.edge_from(a).to(join), g.edge_from(b).to(g.end_node))


def empty_decision(g, a, b, c):
    g.add(g.edge_from(g.start_node).to(g.decision()), g.edge_from(a).to(g.end_node))


def empty_broadcast(g, a, b, c):
    g.add(g.edge_from(g.start_node).broadcast(lambda way: []))


def empty_branch(g, a, b, c):
    g.match(int).broadcast(lambda way: [])


def same_edge_twice(g, a, b, c):
    g.add(g.edge_from(g.start_node).to(a), g.edge_from(a).to(g.end_node), g.edge_from(a).to(g.end_node))


def straight(g, a, b, c):
    g.add(g.edge_from(g.start_node).to(g.end_node))


def of_another_builder(g, a, b, c):
    other = step(GraphBuilder(), 'z')
    g.add(g.edge_from(g.start_node).to(other), g.edge_from(other).to(g.end_node))


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
    lambda g: g.edge_from(g.start_node).to(5),
    lambda g: g.edge_from(g.start_node).to(lambda ctx: 1),
    lambda g: g.add(5),
    lambda g: g.add(g.edge_from(g.start_node)),
    lambda g: g.join(5, initial=0).reduce(None, 1, 2),
):
    try:
        show(type(nonsense(GraphBuilder())).__name__)
    except Exception:
        show('refused')
