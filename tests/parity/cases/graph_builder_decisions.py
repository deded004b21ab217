"""Decisions: which branch is taken for which value, and branches with transforms, maps and forks."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Optional, SupportsInt, TypeVar, Union

from _graphs import attempt, run, show, show_graph, step, trace
from pydantic_graph import Decision, GraphBuilder, TypeExpression, reduce_list_append

T = TypeVar('T')


class Text(str):
    pass


@dataclass
class Point:
    x: int = 1


def decide(value, *sources, **options):
    builder = GraphBuilder(input_type=Any, output_type=str)
    decision = builder.decision()
    for number, source in enumerate(sources):
        branch = builder.match(source, **options)
        decision = decision.branch(
            branch.transform(lambda ctx, number=number: f'{number}: {ctx.inputs!r}').to(builder.end_node)
        )
    builder.add(builder.edge_from(builder.start_node).to(decision))
    return run(builder.build(), inputs=value)


for label, value, *sources in (
    ('class', 1, str, int),
    ('subclass', Text('q'), int, str),
    ('bool is an int', True, int, bool),
    ('first fits', True, bool, int),
    ('none fits', 3.5, int, str),
    ('any', 3, Any),
    ('any, in an expression', 3, TypeExpression[Any]),
    ('object', None, int, object),
    ('literal', 'b', TypeExpression[Literal['a']], TypeExpression[Literal['b', 'c']]),
    ('literal, plain', 1, Literal['a', 1]),
    ('nested literal', 'b', TypeExpression[Literal[Literal['a', 'b'], 'c']]),
    ('1 is True', 1, TypeExpression[Literal[True]], TypeExpression[Literal[1]]),
    ('unhashable', [1], TypeExpression[Literal['a']], list),
    ('union', 'a', TypeExpression[Union[int, str]]),
    ('union, none fits', None, TypeExpression[Union[int, str]]),
    ('optional', None, TypeExpression[Optional[int]]),
    ('NoneType', None, type(None)),
    ('None in an expression', None, TypeExpression[None]),
    ('dataclass', Point(), Text, Point),
    ('callable', len, TypeExpression[Callable]),
    ('protocol', 5, SupportsInt),
    ('generic', [1], TypeExpression[list[int]]),
    ('generic, not reached', 1, int, TypeExpression[list[int]]),
    ('type variable', 1, T),
    ('a value', 5, 5),
    ('no branches', 5),
):
    attempt(label, lambda: decide(value, *sources))
attempt('matches', lambda: decide('s', int, matches=lambda value: 'yes'))
attempt('matches not', lambda: decide(1, int, matches=lambda value: ''))
attempt('matches fails', lambda: decide('s', int, matches=lambda value: value > 1))

builder = GraphBuilder(input_type=Any, output_type=Any)
a, b, c = (step(builder, name, lambda value, name=name: [name, value]) for name in 'abc')
join = builder.join(reduce_list_append, initial_factory=list, node_id='join')
inner = builder.decision(node_id='inner').branch(builder.match(TypeExpression[Literal['q']]).to(a))
inner = inner.branch(builder.match(object).to(join))
decision = builder.decision(note='Which?')
show(
    decision.note,
    len(decision.branches),
    len(decision.branch(builder.match(int).to(a)).branches),
    len(decision.branches),
)
decision = (
    decision.branch(builder.match(int).label('number').to(a, b))
    .branch(builder.match(list).map().label('each').to(c))
    .branch(builder.match(str).to(inner))
    .branch(builder.match(float).broadcast(lambda way: [way.to(a), way.label('times').transform(lambda ctx: 9).to(b)]))
    .branch(builder.match(dict).transform(lambda ctx: 'early').label('early').to(builder.end_node))
)
builder.add(builder.edge_from(builder.start_node).label('in').to(decision), builder.edge_from(a, b, c).to(join))
builder.add(builder.edge_from(join).to(builder.end_node))
graph = builder.build()
show_graph(graph)
for value in (5, [1, 2], 'q', 'z', 1.5, {}):
    asyncio.run(trace(graph, inputs=value))
show(
    isinstance(graph.nodes['inner'], Decision), [len(branch.path.items) for branch in graph.nodes['decision'].branches]
)
