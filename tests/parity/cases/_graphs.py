"""What the cases about builder graphs share: steps by their names, and ways to print graphs and runs."""

import asyncio
import json

from pydantic_graph import BaseNode, End
from pydantic_graph.graph_builder import EndMarker


def show(*facts):
    """Print facts as a line of JSON."""
    print(json.dumps(facts, default=repr))


def step(builder, name, change=None, **options):
    """Make a step that applies a function to its input."""

    async def call(ctx):
        return change(ctx.inputs) if change else ctx.inputs

    call.__name__ = name
    return builder.step(call, **options)


def show_graph(graph):
    """Print a graph as a diagram, and the tables it was built with."""
    print(graph.render())
    show({node_id: type(node).__name__ for node_id, node in graph.nodes.items()})
    show({source: [len(path.items) for path in paths] for source, paths in sorted(graph.edges_by_source.items())})
    show({join: [fork.fork_id, sorted(fork.intermediate_nodes)] for join, fork in graph.parent_forks.items()})
    show({join: sorted(joins) for join, joins in graph.intermediate_join_nodes.items()})


def stack_of(task):
    return [f'{item.fork_id}/{item.node_run_id}/{item.thread_index}' for item in task.fork_stack]


async def trace(graph, stacks=True, **options):
    """Print what each step of a run leads to."""
    async with graph.iter(**options) as run:
        async for outcome in run:
            if isinstance(outcome, EndMarker):
                show('end', outcome.value)
            elif stacks:
                show([[task.node_id, task.inputs, task.task_id, stack_of(task)] for task in outcome])
            else:
                show([[task.node_id, task.inputs] for task in outcome])


def run(graph, **options):
    return asyncio.run(graph.run(**options))


KINDS = (TypeError, ValueError, RuntimeError, LookupError, ArithmeticError, AttributeError)


def kind_of(error):
    """Return the name of the builtin that an error is one of."""
    return next((kind.__name__ for kind in KINDS if isinstance(error, kind)), type(error).__name__)


def attempt(label, make):
    """Print what a function returns, or which error it raises."""
    try:
        show(label, make())
    except Exception as error:
        show(label, 'raises', kind_of(error))


class Unannotated(BaseNode):
    async def run(self, ctx):
        return End(1)
