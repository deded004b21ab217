"""Graphs and their runs: from node to node until one returns an end."""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, get_args, get_origin

from typing_extensions import Never, Unpack

from .._kit.aio import run_coroutine_sync
from . import mermaid
from ._host import caller, logfire_span, name_of
from .basenode import BaseNode, DepsT, End, GraphRunContext, NodeDef, RunEndT, StateT
from .exceptions import GraphRuntimeError, GraphSetupError
from .persistence import BaseStatePersistence
from .persistence.in_mem import SimpleStatePersistence

__all__ = 'Graph', 'GraphRun', 'GraphRunResult'

_UNSET: Any = object()


@dataclass(init=False)
class Graph(Generic[StateT, DepsT, RunEndT]):
    """A graph of nodes; the return annotations of their `run` methods are its edges.

    Args:
        nodes: The node classes; every node that one of them may return must be among them.
        name: The name of the graph in diagrams and traces; by default the name of the variable that holds it when
            it is first used.
        state_type: The type of the state, needed to store runs; inferred from the nodes by default.
        run_end_type: The type of the result, needed to store runs; inferred from the nodes by default.
        auto_instrument: Create Logfire spans for runs and nodes, in a program that has imported `logfire`.

    Raises:
        GraphSetupError: Two nodes have the same id, a node may be followed by one that is not in `nodes`, or an
            annotation is missing or wrong.
    """

    name: str | None
    node_defs: dict[str, NodeDef[StateT, DepsT, RunEndT]]
    _state_type: object = field(repr=False)
    _run_end_type: object = field(repr=False)
    auto_instrument: bool = field(repr=False)

    def __init__(
        self,
        *,
        nodes: Sequence[type[BaseNode[StateT, DepsT, RunEndT]]],
        name: str | None = None,
        state_type: type[StateT] = _UNSET,
        run_end_type: type[RunEndT] = _UNSET,
        auto_instrument: bool = True,
    ):
        self.name = name
        self._state_type = state_type
        self._run_end_type = run_end_type
        self.auto_instrument = auto_instrument
        for node in nodes:
            cls = _class_of(node)
            if not (isinstance(cls, type) and issubclass(cls, BaseNode)):
                raise GraphSetupError(f'{node!r} is not a node class. Put subclasses of `BaseNode` into `nodes`.')
        # Nodes are often defined in the function that makes the graph, where only its frame knows their names.
        frame = caller()
        names = {**(frame.f_locals if frame else {}), **{_class_of(node).__name__: node for node in nodes}}
        self.node_defs = {}
        for node in nodes:
            definition = node.get_node_def(names)
            if (other := self.node_defs.get(definition.node_id)) is not None:
                raise GraphSetupError(
                    f'The node id {definition.node_id!r} belongs to both {other.node!r} and {node!r}. '
                    'Rename one, or give it another id by overriding `get_node_id`.'
                )
            self.node_defs[definition.node_id] = definition
        self._check_edges()

    def _check_edges(self) -> None:
        missing = [
            f'{target!r} may follow {definition.node_id!r}'
            for definition in self.node_defs.values()
            for target in definition.next_node_edges
            if target not in self.node_defs
        ]
        if missing:
            raise GraphSetupError(f'Some nodes are not in the graph: {", ".join(missing)}. Add them to `nodes`.')

    @property
    def inferred_types(self) -> tuple[Any, Any]:
        """Return the types of the state and the result, as passed in or as the base classes of the nodes declare them."""
        state_type, run_end_type = self._state_type, self._run_end_type
        for definition in self.node_defs.values():
            for base in getattr(_class_of(definition.node), '__orig_bases__', ()):
                if get_origin(base) is not BaseNode:
                    continue
                args = get_args(base)
                if state_type is _UNSET and args:
                    state_type = args[0]
                if run_end_type is _UNSET and len(args) > 2 and args[2] is not Never:
                    run_end_type = args[2]
        return (None if state_type is _UNSET else state_type), (None if run_end_type is _UNSET else run_end_type)

    def get_nodes(self) -> Sequence[type[BaseNode[StateT, DepsT, RunEndT]]]:
        """Return the node classes."""
        return [definition.node for definition in self.node_defs.values()]

    async def run(
        self,
        start_node: BaseNode[StateT, DepsT, RunEndT],
        *,
        state: StateT = None,
        deps: DepsT = None,
        persistence: BaseStatePersistence[StateT, RunEndT] | None = None,
        infer_name: bool = True,
    ) -> GraphRunResult[StateT, RunEndT]:
        """Run the graph from a node to its end.

        Args:
            start_node: The node to begin with.
            state: The state that the nodes share and change.
            deps: The dependencies passed to every node.
            persistence: Where snapshots of the run go; by default only the last one is kept, in memory.
            infer_name: Name the graph after the variable that holds it, if it has no name.

        Raises:
            GraphRuntimeError: A node is not in the graph, or did not return a node or `End`.
        """
        self._name_after_variable(infer_name)
        async with self.iter(start_node, state=state, deps=deps, persistence=persistence, infer_name=False) as run:
            while not isinstance(run.next_node, End):
                await run.next()
        result = run.result
        assert result is not None
        return result

    def run_sync(
        self,
        start_node: BaseNode[StateT, DepsT, RunEndT],
        *,
        state: StateT = None,
        deps: DepsT = None,
        persistence: BaseStatePersistence[StateT, RunEndT] | None = None,
        infer_name: bool = True,
    ) -> GraphRunResult[StateT, RunEndT]:
        """Run the graph from synchronous code. Arguments and errors as for `run`."""
        self._name_after_variable(infer_name)
        return run_coroutine_sync(
            self.run(start_node, state=state, deps=deps, persistence=persistence, infer_name=False)
        )

    def iter(
        self,
        start_node: BaseNode[StateT, DepsT, RunEndT],
        *,
        state: StateT = None,
        deps: DepsT = None,
        persistence: BaseStatePersistence[StateT, RunEndT] | None = None,
        span: AbstractContextManager[object] | None = None,
        infer_name: bool = True,
    ) -> AbstractAsyncContextManager[GraphRun[StateT, DepsT, RunEndT]]:
        """Run the graph step by step: `async with graph.iter(Start()) as run`.

        Args:
            start_node: The node to begin with.
            state: The state that the nodes share and change.
            deps: The dependencies passed to every node.
            persistence: Where snapshots of the run go; by default only the last one is kept, in memory.
            span: A context manager to enter around the run, instead of a span of the graph.
            infer_name: Name the graph after the variable that holds it, if it has no name.
        """
        self._name_after_variable(infer_name)
        persistence = persistence or SimpleStatePersistence()
        persistence.set_graph_types(self)
        run = GraphRun(
            graph=self, start_node=start_node, persistence=persistence, state=state, deps=deps, traceparent=None
        )
        return _Iteration(self, span, run)

    def iter_from_persistence(
        self,
        persistence: BaseStatePersistence[StateT, RunEndT],
        *,
        deps: DepsT = None,
        span: AbstractContextManager[object] | None = None,
        infer_name: bool = True,
    ) -> AbstractAsyncContextManager[GraphRun[StateT, DepsT, RunEndT]]:
        """Continue a stored run at the first node that has not run yet.

        Args:
            persistence: Where the snapshots of the run are.
            deps: The dependencies passed to every node.
            span: A context manager to enter around the run, instead of a span of the graph.
            infer_name: Name the graph after the variable that holds it, if it has no name.

        Raises:
            GraphRuntimeError: On entering, if the stored run has no node left to run.
        """
        self._name_after_variable(infer_name)
        persistence.set_graph_types(self)
        return _Iteration(self, span, self._restore(persistence, deps))

    async def _restore(
        self, persistence: BaseStatePersistence[StateT, RunEndT], deps: DepsT
    ) -> GraphRun[StateT, DepsT, RunEndT]:
        snapshot = await persistence.load_next()
        if snapshot is None:
            raise GraphRuntimeError(
                f'{type(persistence).__name__} holds no node that has yet to run: '
                'the run is over, or was never initialized.'
            )
        snapshot.node.set_snapshot_id(snapshot.id)
        return GraphRun(
            graph=self,
            start_node=snapshot.node,
            persistence=persistence,
            state=snapshot.state,
            deps=deps,
            traceparent=None,
            snapshot_id=snapshot.id,
        )

    async def initialize(
        self,
        node: BaseNode[StateT, DepsT, RunEndT],
        persistence: BaseStatePersistence[StateT, RunEndT],
        *,
        state: StateT = None,
        infer_name: bool = True,
    ) -> None:
        """Store a run that has not started, for `iter_from_persistence`.

        Args:
            node: The node to begin with.
            persistence: Where the snapshots of the run go.
            state: The state to begin with.
            infer_name: Name the graph after the variable that holds it, if it has no name.
        """
        self._name_after_variable(infer_name)
        persistence.set_graph_types(self)
        await persistence.snapshot_node(state, node)

    def mermaid_code(
        self,
        *,
        start_node: Sequence[mermaid.NodeIdent] | mermaid.NodeIdent | None = None,
        title: str | None | bool = None,
        edge_labels: bool = True,
        notes: bool = True,
        highlighted_nodes: Sequence[mermaid.NodeIdent] | mermaid.NodeIdent | None = None,
        highlight_css: str = mermaid.DEFAULT_HIGHLIGHT_CSS,
        infer_name: bool = True,
        direction: mermaid.StateDiagramDirection | None = None,
    ) -> str:
        """Draw the graph as a Mermaid state diagram.

        Args:
            start_node: The node or nodes that runs begin with.
            title: The title; by default the name of the graph, and False for none.
            edge_labels: Write the labels of edges.
            notes: Write the notes of nodes.
            highlighted_nodes: The node or nodes to highlight.
            highlight_css: How to highlight them.
            infer_name: Name the graph after the variable that holds it, if it has no name.
            direction: The direction of the diagram.

        Raises:
            LookupError: One of these nodes is not in the graph.
        """
        self._name_after_variable(infer_name)
        if title is None:
            title = self.name
        return mermaid.generate_code(
            self,
            start_node=start_node,
            highlighted_nodes=highlighted_nodes,
            highlight_css=highlight_css,
            title=title or None if not isinstance(title, bool) else None,
            edge_labels=edge_labels,
            notes=notes,
            direction=direction,
        )

    def mermaid_image(self, infer_name: bool = True, **kwargs: Unpack[mermaid.MermaidConfig]) -> bytes:
        """Draw the graph as an image, by the public service mermaid.ink.

        Args:
            infer_name: Name the graph after the variable that holds it, if it has no name.
            kwargs: What to draw and how; see `MermaidConfig`.

        Raises:
            LookupError: One of these nodes is not in the graph.
            httpx.HTTPError: The service could not be reached, or did not return an image.
        """
        self._name_after_variable(infer_name)
        if 'title' not in kwargs and self.name:
            kwargs['title'] = self.name
        return mermaid.request_image(self, **kwargs)

    def mermaid_save(
        self, path: Path | str, /, *, infer_name: bool = True, **kwargs: Unpack[mermaid.MermaidConfig]
    ) -> None:
        """Draw the graph into an image file, by the public service mermaid.ink.

        Args:
            path: The file; its suffix determines the kind of image, unless `image_type` is set.
            infer_name: Name the graph after the variable that holds it, if it has no name.
            kwargs: What to draw and how; see `MermaidConfig`.

        Raises:
            LookupError: One of these nodes is not in the graph.
            httpx.HTTPError: The service could not be reached, or did not return an image.
        """
        self._name_after_variable(infer_name)
        if 'title' not in kwargs and self.name:
            kwargs['title'] = self.name
        mermaid.save_image(path, self, **kwargs)

    def _span(self, template: str, **attributes: object) -> AbstractContextManager[object]:
        return logfire_span(self.auto_instrument, template, **attributes)

    def _name_after_variable(self, infer_name: bool) -> None:
        if infer_name and self.name is None:
            self.name = name_of(self)


class GraphRun(Generic[StateT, DepsT, RunEndT]):
    """A run of a graph, which goes on as it is iterated over or as `next` is called.

    Created by `Graph.iter` and `Graph.iter_from_persistence`.

    Args:
        graph: The graph.
        start_node: The node to begin with.
        persistence: Where snapshots of the run go.
        state: The state that the nodes share and change.
        deps: The dependencies passed to every node.
        traceparent: The W3C trace context the run belongs to.
        snapshot_id: The id under which `start_node` is stored already.
    """

    def __init__(
        self,
        *,
        graph: Graph[StateT, DepsT, RunEndT],
        start_node: BaseNode[StateT, DepsT, RunEndT],
        persistence: BaseStatePersistence[StateT, RunEndT],
        state: StateT,
        deps: DepsT,
        traceparent: str | None,
        snapshot_id: str | None = None,
    ):
        self.graph = graph
        self.persistence = persistence
        self.state = state
        self.deps = deps
        self._trace = traceparent
        self._snapshot_id = snapshot_id
        self._next_node: BaseNode[StateT, DepsT, RunEndT] | End[RunEndT] = start_node
        self._is_started = False

    @property
    def next_node(self) -> BaseNode[StateT, DepsT, RunEndT] | End[RunEndT]:
        """Return the node that will run next, or the end."""
        return self._next_node

    @property
    def result(self) -> GraphRunResult[StateT, RunEndT] | None:
        """Return the result of the run, or None while it goes on."""
        if not isinstance(self._next_node, End):
            return None
        return GraphRunResult(self._next_node.data, state=self.state, persistence=self.persistence)

    async def next(
        self, node: BaseNode[StateT, DepsT, RunEndT] | None = None
    ) -> BaseNode[StateT, DepsT, RunEndT] | End[RunEndT]:
        """Run one node.

        Args:
            node: The node to run instead of the one that is next.

        Returns:
            What the node returned: the next node, or the end.

        Raises:
            TypeError: The run is over, or `node` is not a node.
            GraphRuntimeError: The node is not in the graph, or did not return a node or `End`.
            GraphNodeStatusError: This instance of the node was run already.
        """
        current = self._next_node if node is None else node
        if isinstance(current, End):
            raise TypeError(f'GraphRun.next() cannot run {current!r}: the run is over.')
        if not isinstance(current, BaseNode):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f'GraphRun.next() cannot run {current!r}: it is not a node.')
        node_id = current.get_node_id()
        if node_id not in self.graph.node_defs:
            raise GraphRuntimeError(
                f'The node {current!r} is not in the graph {self.graph.name!r}, whose nodes are '
                f'{", ".join(self.graph.node_defs)}. Add its class to `nodes`.'
            )
        snapshot_id = current.get_snapshot_id()
        if snapshot_id != self._snapshot_id:
            await self.persistence.snapshot_node_if_new(snapshot_id, self.state, current)
            self._snapshot_id = snapshot_id
        with self.graph._span('run node {node_id}', node_id=node_id, node=current):  # pyright: ignore[reportPrivateUsage]
            async with self.persistence.record_run(snapshot_id):
                outcome = await current.run(GraphRunContext(state=self.state, deps=self.deps))
        if isinstance(outcome, End):
            self._next_node = outcome
            self._snapshot_id = outcome.get_snapshot_id()
            await self.persistence.snapshot_end(self.state, outcome)
        elif isinstance(outcome, BaseNode):  # pyright: ignore[reportUnnecessaryIsInstance]
            self._next_node = outcome
            self._snapshot_id = outcome.get_snapshot_id()
            await self.persistence.snapshot_node(self.state, outcome)
        else:
            raise GraphRuntimeError(
                f'The node {current!r} returned {outcome!r}; `run` has to return a node or `End(...)`.'
            )
        return self._next_node

    def __aiter__(self) -> GraphRun[StateT, DepsT, RunEndT]:
        return self

    async def __anext__(self) -> BaseNode[StateT, DepsT, RunEndT] | End[RunEndT]:
        """Return the first node, then run one node each time and return what it returned."""
        if not self._is_started:
            self._is_started = True
            return self._next_node
        if isinstance(self._next_node, End):
            raise StopAsyncIteration
        return await self.next()

    def _traceparent(self, *, required: bool = True) -> str | None:
        if self._trace is None and required:
            raise GraphRuntimeError('This run has no trace context: it was created without a `traceparent`.')
        return self._trace

    def __repr__(self) -> str:
        return f'<GraphRun graph={self.graph.name or "[unnamed]"}>'


@dataclass(init=False)
class GraphRunResult(Generic[StateT, RunEndT]):
    """The result of a run.

    Args:
        output: The data of the end.
        state: The state at the end.
        persistence: Where the snapshots of the run are.
    """

    output: RunEndT
    state: StateT
    persistence: BaseStatePersistence[StateT, RunEndT] = field(repr=False)

    def __init__(self, output: RunEndT, state: StateT, persistence: BaseStatePersistence[StateT, RunEndT]):
        self.output = output
        self.state = state
        self.persistence = persistence


class _Iteration(AbstractAsyncContextManager[GraphRun[StateT, DepsT, RunEndT]], Generic[StateT, DepsT, RunEndT]):
    """The context manager around a run: a span, and the run, which may still have to be restored."""

    def __init__(
        self,
        graph: Graph[StateT, DepsT, RunEndT],
        span: AbstractContextManager[object] | None,
        run: GraphRun[StateT, DepsT, RunEndT] | Coroutine[object, object, GraphRun[StateT, DepsT, RunEndT]],
    ):
        self._span = span or graph._span('run graph {graph.name}', graph=graph)  # pyright: ignore[reportPrivateUsage]
        self._run = run

    async def __aenter__(self) -> GraphRun[StateT, DepsT, RunEndT]:
        run = self._run if isinstance(self._run, GraphRun) else await self._run
        self._span.__enter__()
        return run

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool | None:
        return self._span.__exit__(kind, error, traceback)


def _class_of(node: object) -> Any:
    """Return the class of a parametrized node class."""
    return get_origin(node) or node
