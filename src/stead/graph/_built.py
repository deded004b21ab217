"""Graphs built by a `GraphBuilder`, and their runs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, cast

from typing_extensions import TypeVar

from .._kit.aio import run_coroutine_sync
from ._diagram import build_mermaid_graph
from ._flow import EndMarker, Flow, GraphTask, GraphTaskRequest
from ._host import logfire_span, name_of
from ._routes import Routes
from ._wiring import AnyNode, Path
from .exceptions import GraphRuntimeError
from .id_types import ForkStack, ForkStackItem, JoinID, NodeID
from .mermaid import StateDiagramDirection
from .node import StartNode
from .parent_forks import ParentFork

StateT = TypeVar('StateT', infer_variance=True)
DepsT = TypeVar('DepsT', infer_variance=True)
InputT = TypeVar('InputT', infer_variance=True)
OutputT = TypeVar('OutputT', infer_variance=True)


@dataclass
class ErrorMarker:
    """The error that a run failed with."""

    error: BaseException
    """The error."""


@dataclass
class JoinItem:
    """A value that arrived at a join."""

    join_id: JoinID
    """The join."""
    inputs: Any
    """The value."""
    fork_stack: ForkStack
    """The forks it came through."""


@dataclass(repr=False)
class Graph(Generic[StateT, DepsT, InputT, OutputT]):
    """A graph of steps, ready to run, as `GraphBuilder.build` returns it."""

    name: str | None
    """What the graph is called in traces; by default the name of the variable that holds it when it first runs."""
    state_type: type[StateT]
    """The type of the state."""
    deps_type: type[DepsT]
    """The type of the dependencies."""
    input_type: type[InputT]
    """The type of the inputs of runs."""
    output_type: type[OutputT]
    """The type of the output of runs."""
    auto_instrument: bool
    """Create Logfire spans for runs and steps, in a program that has imported `logfire`."""
    nodes: dict[NodeID, AnyNode]
    """The nodes."""
    edges_by_source: dict[NodeID, list[Path]]
    """The paths that begin at each node."""
    parent_forks: dict[JoinID, ParentFork[NodeID]]
    """The fork that each join waits for."""
    intermediate_join_nodes: dict[JoinID, set[JoinID]]
    """The joins between each join and its fork."""

    def __post_init__(self) -> None:
        # Maps the ids that nodes had in the builder to those in the graph, where they differ.
        self._aliases: Mapping[NodeID, NodeID] = {}

    def get_parent_fork(self, join_id: JoinID) -> ParentFork[NodeID]:
        """Return the fork that a join waits for.

        Args:
            join_id: The join.

        Raises:
            GraphRuntimeError: The graph has no such join.
        """
        if join_id not in self.parent_forks:
            names = ', '.join(map(repr, self.parent_forks)) or 'none'
            raise GraphRuntimeError(f'The graph has no join {join_id!r}; its joins are: {names}.')
        return self.parent_forks[join_id]

    def is_final_join(self, join_id: JoinID) -> bool:
        """Return whether a join lies between no other join and its fork.

        Args:
            join_id: The join.
        """
        return not any(join_id in between for between in self.intermediate_join_nodes.values())

    async def run(
        self,
        *,
        state: StateT = None,
        deps: DepsT = None,
        inputs: InputT = None,
        span: AbstractContextManager[object] | None = None,
        infer_name: bool = True,
    ) -> OutputT:
        """Run the graph to its end, and return its output.

        When a step raises an error, the steps that run at the same time are cancelled, and the error propagates.

        Args:
            state: The state that the steps share and change.
            deps: The dependencies passed to every step.
            inputs: The input of the first step.
            span: A context manager to enter around the run, instead of a span of the graph.
            infer_name: Name the graph after the variable that holds it, if it has no name.

        Raises:
            GraphRuntimeError: The run cannot continue: a decision has no branch for a value, a map received a value that
                is not iterable, a node returned one that is not in the graph, or no task is left.
        """
        if infer_name and self.name is None:
            self.name = name_of(self)
        async with self._open(state, deps, inputs, span) as run:
            async for step in run:
                if isinstance(step, EndMarker):
                    return step.value
        raise AssertionError('a run ends with an `EndMarker`, or with an error')

    def run_sync(
        self,
        *,
        state: StateT = None,
        deps: DepsT = None,
        inputs: InputT = None,
        span: AbstractContextManager[object] | None = None,
        infer_name: bool = True,
    ) -> OutputT:
        """Run the graph from synchronous code. Arguments and errors as for `run`."""
        if infer_name and self.name is None:
            self.name = name_of(self)
        return run_coroutine_sync(self.run(state=state, deps=deps, inputs=inputs, span=span, infer_name=False))

    def iter(
        self,
        *,
        state: StateT = None,
        deps: DepsT = None,
        inputs: InputT = None,
        span: AbstractContextManager[object] | None = None,
        infer_name: bool = True,
    ) -> AbstractAsyncContextManager[GraphRun[StateT, DepsT, OutputT]]:
        """Run the graph step by step: `async with graph.iter(...) as run`.

        Steps that still run when the block is left are cancelled.

        Args:
            state: The state that the steps share and change.
            deps: The dependencies passed to every step.
            inputs: The input of the first step.
            span: A context manager to enter around the run, instead of a span of the graph.
            infer_name: Name the graph after the variable that holds it, if it has no name.
        """
        if infer_name and self.name is None:
            self.name = name_of(self)
        return self._open(state, deps, inputs, span)

    @asynccontextmanager
    async def _open(
        self, state: StateT, deps: DepsT, inputs: InputT, span: AbstractContextManager[object] | None
    ) -> AsyncIterator[GraphRun[StateT, DepsT, OutputT]]:
        with span or logfire_span(self.auto_instrument, 'run graph {graph.name}', graph=self):
            async with GraphRun(self, state=state, deps=deps, inputs=inputs, traceparent=None) as run:
                yield run

    @cached_property
    def _routes(self) -> Routes:
        return Routes(
            self.nodes,
            self.edges_by_source,
            self.parent_forks,
            aliases=self._aliases,
            instrument=self.auto_instrument,
        )

    def render(self, *, title: str | None = None, direction: StateDiagramDirection | None = None) -> str:
        """Draw the graph as a Mermaid state diagram.

        Args:
            title: The title.
            direction: The direction of the diagram.
        """
        return build_mermaid_graph(self.nodes, self.edges_by_source).render(title=title, direction=direction)

    def __repr__(self) -> str:
        return f'{object.__repr__(self)[:-1]}\n{self.render()}\n>'

    def __str__(self) -> str:
        return self.render()


class GraphRun(Generic[StateT, DepsT, OutputT]):
    """A run of a graph; iterate over it, or advance it with `next`. `Graph.iter` creates it.

    Args:
        graph: The graph.
        state: The state that the steps share and change.
        deps: The dependencies passed to every step.
        inputs: The input of the first step.
        traceparent: The trace context of the span around the run.
    """

    def __init__(
        self,
        graph: Graph[StateT, DepsT, Any, OutputT],
        *,
        state: StateT,
        deps: DepsT,
        inputs: Any,
        traceparent: str | None,
    ):
        self.graph = graph
        self.state = state
        self.deps = deps
        self.inputs = inputs
        self._trace = traceparent
        self._is_open = False
        self._has_begun = False
        self._flow = Flow(graph._routes, state, deps)  # pyright: ignore[reportPrivateUsage]
        start = ForkStackItem(StartNode.id, self._flow.new_run_id(), 0)
        first = GraphTask(StartNode.id, inputs, (start,), self._flow.new_task_id())
        self._next: EndMarker[OutputT] | ErrorMarker | Sequence[GraphTask] = [first]
        self._flow.add([first])

    async def __aenter__(self) -> GraphRun[StateT, DepsT, OutputT]:
        self._is_open = True
        return self

    async def __aexit__(self, exc_type: object, exc_val: object, exc_tb: object) -> None:
        self._is_open = False
        await self._flow.close()

    @property
    def next_task(self) -> EndMarker[OutputT] | ErrorMarker | Sequence[GraphTask]:
        """Return the tasks that will be started next, the end, or the error that the run has failed with.

        Tasks that were started before may run beside these.
        """
        return self._next

    @property
    def output(self) -> OutputT | None:
        """Return the output of the run, or None while it runs."""
        return self._next.value if isinstance(self._next, EndMarker) else None

    def override_next(self, value: Sequence[GraphTaskRequest] | EndMarker[OutputT]) -> None:
        """Choose how the run continues, instead of with `next_task`; this works after an error too.

        Args:
            value: The tasks to start next, or the end.

        Raises:
            TypeError: It is neither tasks nor the end.
            GraphRuntimeError: A task is for a node that is not in the graph.
        """
        flow = self._flow
        tasks: list[GraphTask] = []
        if not isinstance(value, EndMarker):
            for request in _checked(value):
                if request.node_id not in self.graph.nodes:
                    names = ', '.join(map(repr, self.graph.nodes))
                    raise GraphRuntimeError(f'The graph has no node {request.node_id!r}; its nodes are {names}.')
                tasks.append(GraphTask.from_request(request, flow.new_task_id))
        before = [*flow.failed] if isinstance(self._next, (EndMarker, ErrorMarker)) else [*self._next]
        flow.failed.clear()
        # The new tasks are added first, so that joins that wait for the old ones now wait for these.
        kept = {task.task_id for task in tasks}
        flow.add(tasks)
        flow.drop(task for task in before if task.task_id not in kept)
        self._next = value if isinstance(value, EndMarker) else tasks
        self._has_begun = True

    async def next(
        self, value: EndMarker[OutputT] | Sequence[GraphTaskRequest] | None = None
    ) -> EndMarker[OutputT] | Sequence[GraphTask]:
        """Start the tasks that are next, and wait until some task has ended.

        The first call does not stop after the start node, where nothing has happened yet; iteration does.

        Args:
            value: How to continue, instead of with `next_task`; see `override_next`.

        Returns:
            The tasks that follow it, which the next call starts, or the end. There are none where a branch ends.

        Raises:
            StopAsyncIteration: The run has ended.
            TypeError: `value` is neither tasks nor the end.
            GraphRuntimeError: The run cannot continue (see `Graph.run`), or is not inside its `async with` block.
            BaseException: The error that a step raised. Later calls raise it again, unless they choose how to continue.
        """
        if value is not None:
            self.override_next(value)
            if isinstance(self._next, EndMarker):
                return self._next
        elif not self._has_begun:
            await self._advance()
        return await self._advance()

    async def _advance(self) -> EndMarker[OutputT] | Sequence[GraphTask]:
        self._has_begun = True
        if isinstance(self._next, EndMarker):
            raise StopAsyncIteration
        if isinstance(self._next, ErrorMarker):
            if isinstance(self._next.error, asyncio.CancelledError):
                # Raising it again would signal that the task of the caller, which continues, is cancelled.
                raise GraphRuntimeError(
                    'A call of `next` was cancelled while it waited. Choose how the run continues with `override_next`; with '
                    'no tasks, it continues with the steps that still run.'
                ) from self._next.error
            raise self._next.error
        if not self._is_open:
            raise GraphRuntimeError(
                'The run is not open, so its steps would be left running. Use it as `async with graph.iter(...) as run`.'
            )
        try:
            following = await self._flow.advance(self._next)
        except BaseException as error:
            self._next = ErrorMarker(error)
            raise
        self._next = following
        return following

    def __aiter__(self) -> AsyncIterator[EndMarker[OutputT] | Sequence[GraphTask]]:
        return self

    async def __anext__(self) -> EndMarker[OutputT] | Sequence[GraphTask]:
        """Start the tasks that are next, and wait until some task has ended; see `next`."""
        return await self._advance()

    def _traceparent(self, *, required: bool = True) -> str | None:
        if self._trace is None and required:
            raise GraphRuntimeError('This run has no trace context: it was created without a `traceparent`.')
        return self._trace

    def __repr__(self) -> str:
        return f'<GraphRun graph={self.graph.name or "[unnamed]"}>'


def _checked(value: object) -> Sequence[GraphTaskRequest]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise TypeError(f'A run cannot continue with {value!r}: pass a list of `GraphTaskRequest`s, or an `EndMarker`.')
    for request in cast('Sequence[Any]', value):
        if not isinstance(request, GraphTaskRequest):
            raise TypeError(f'A run cannot continue with {request!r}: each task has to be a `GraphTaskRequest`.')
    return cast('Sequence[GraphTaskRequest]', value)
