"""Build graphs of steps: functions that run one after another, or at the same time, along edges."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterable, Callable, Iterable, Mapping
from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, Literal, cast, get_origin, overload

from typing_extensions import Never, TypeVar

from ._assembly import assemble, check_structure, find_parent_forks, joins_between
from ._built import ErrorMarker, Graph, GraphRun, JoinItem
from ._diagram import MermaidEdge, MermaidGraph, MermaidNode, NodeKind, build_mermaid_graph
from ._flow import EndMarker, GraphTask, GraphTaskRequest
from ._hints import Target, return_hint, targets_of
from ._host import caller
from ._wiring import (
    AnyNode,
    BroadcastMarker,
    Decision,
    DecisionBranch,
    DecisionBranchBuilder,
    DestinationMarker,
    DestinationNode,
    EdgePath,
    EdgePathBuilder,
    MapMarker,
    Path,
    PathBuilder,
    SourceNode,
    TransformMarker,
    is_source,
)
from .basenode import BaseNode
from .exceptions import GraphBuildingError, GraphSetupError
from .id_types import ForkID, JoinID, NodeID, generate_placeholder_node_id, replace_placeholder_id
from .join import NEEDS_INITIAL, Join, ReducerFunction
from .mermaid import DEFAULT_HIGHLIGHT_CSS, StateDiagramDirection
from .node import EndNode, Fork, StartNode
from .step import NodeStep, Step, StepContext, StepFunction, StreamFunction
from .util import TypeOrTypeExpression, get_callable_name, unpack_type_expression

__all__ = (
    'DEFAULT_HIGHLIGHT_CSS',
    'EndMarker',
    'ErrorMarker',
    'Graph',
    'GraphBuilder',
    'GraphRun',
    'GraphTask',
    'GraphTaskRequest',
    'JoinItem',
    'MermaidEdge',
    'MermaidGraph',
    'MermaidNode',
    'NodeKind',
    'StateDiagramDirection',
    'Unset',
    'build_mermaid_graph',
)

StateT = TypeVar('StateT', infer_variance=True)
DepsT = TypeVar('DepsT', infer_variance=True)
InputT = TypeVar('InputT', infer_variance=True)
OutputT = TypeVar('OutputT', infer_variance=True)
SourceT = TypeVar('SourceT', infer_variance=True)
SourceNodeT = TypeVar('SourceNodeT', bound=BaseNode[Any, Any, Any], infer_variance=True)
SourceOutputT = TypeVar('SourceOutputT', infer_variance=True)
GraphInputT = TypeVar('GraphInputT', infer_variance=True)
GraphOutputT = TypeVar('GraphOutputT', infer_variance=True)
T = TypeVar('T', infer_variance=True)


class Unset:
    """The type of the marker for an argument that was not passed."""

    def __repr__(self) -> str:
        return 'UNSET'


_UNSET = Unset()


@dataclass(init=False)
class GraphBuilder(Generic[StateT, DepsT, GraphInputT, GraphOutputT]):
    """A builder of graphs: it collects steps and edges, and builds a graph of them.

    Args:
        name: The name of the graph in traces.
        state_type: The type of the state that the steps share and change.
        deps_type: The type of the dependencies passed to every step.
        input_type: The type of the inputs of runs.
        output_type: The type of the output of runs.
        auto_instrument: Create Logfire spans for runs and steps, in a program that has imported `logfire`.
    """

    name: str | None
    state_type: TypeOrTypeExpression[StateT]
    deps_type: TypeOrTypeExpression[DepsT]
    input_type: TypeOrTypeExpression[GraphInputT]
    output_type: TypeOrTypeExpression[GraphOutputT]
    auto_instrument: bool
    _nodes: dict[NodeID, AnyNode]
    _edges_by_source: dict[NodeID, list[Path]]
    _decision_index: int

    Source = SourceNode
    Destination = DestinationNode

    def __init__(
        self,
        *,
        name: str | None = None,
        state_type: TypeOrTypeExpression[StateT] = type(None),
        deps_type: TypeOrTypeExpression[DepsT] = type(None),
        input_type: TypeOrTypeExpression[GraphInputT] = type(None),
        output_type: TypeOrTypeExpression[GraphOutputT] = type(None),
        auto_instrument: bool = True,
    ):
        self.name = name
        self.state_type = state_type
        self.deps_type = deps_type
        self.input_type = input_type
        self.output_type = output_type
        self.auto_instrument = auto_instrument
        self._nodes = {}
        self._edges_by_source = defaultdict(list)
        self._decision_index = 1
        self._start_node = StartNode[GraphInputT]()
        self._end_node = EndNode[GraphOutputT]()
        # The paths inferred from return annotations, one for each step.
        self._inferred: dict[NodeID, Path] = {}

    @property
    def start_node(self) -> StartNode[GraphInputT]:
        """Return the node that runs begin at."""
        return self._start_node

    @property
    def end_node(self) -> EndNode[GraphOutputT]:
        """Return the node that runs end at."""
        return self._end_node

    # Nodes.

    @overload
    def step(
        self, *, node_id: str | None = None, label: str | None = None
    ) -> Callable[[StepFunction[StateT, DepsT, InputT, OutputT]], Step[StateT, DepsT, InputT, OutputT]]: ...
    @overload
    def step(
        self,
        call: StepFunction[StateT, DepsT, InputT, OutputT],
        *,
        node_id: str | None = None,
        label: str | None = None,
    ) -> Step[StateT, DepsT, InputT, OutputT]: ...
    def step(
        self,
        call: StepFunction[StateT, DepsT, InputT, OutputT] | None = None,
        *,
        node_id: str | None = None,
        label: str | None = None,
    ) -> (
        Step[StateT, DepsT, InputT, OutputT]
        | Callable[[StepFunction[StateT, DepsT, InputT, OutputT]], Step[StateT, DepsT, InputT, OutputT]]
    ):
        """Make a step of an async function; usable as a decorator, with and without arguments.

        Args:
            call: The function.
            node_id: The id of the node; by default the name of the function.
            label: The name of the node in diagrams; by default its id.

        Raises:
            GraphSetupError: `call` cannot be called.
        """
        if call is None:
            return partial(self.step, node_id=node_id, label=label)
        return Step(id=_step_id(call, node_id), call=call, label=label)

    @overload
    def stream(
        self, *, node_id: str | None = None, label: str | None = None
    ) -> Callable[
        [StreamFunction[StateT, DepsT, InputT, OutputT]], Step[StateT, DepsT, InputT, AsyncIterable[OutputT]]
    ]: ...
    @overload
    def stream(
        self,
        call: StreamFunction[StateT, DepsT, InputT, OutputT],
        *,
        node_id: str | None = None,
        label: str | None = None,
    ) -> Step[StateT, DepsT, InputT, AsyncIterable[OutputT]]: ...
    def stream(
        self,
        call: StreamFunction[StateT, DepsT, InputT, OutputT] | None = None,
        *,
        node_id: str | None = None,
        label: str | None = None,
    ) -> (
        Step[StateT, DepsT, InputT, AsyncIterable[OutputT]]
        | Callable[
            [StreamFunction[StateT, DepsT, InputT, OutputT]], Step[StateT, DepsT, InputT, AsyncIterable[OutputT]]
        ]
    ):
        """Make a step of an async generator, for an edge with `map`; usable as a decorator, with and without arguments.

        Args:
            call: The async generator.
            node_id: The id of the node; by default the name of the function.
            label: The name of the node in diagrams; by default its id.

        Raises:
            GraphSetupError: `call` cannot be called.
        """
        if call is None:
            return partial(self.stream, node_id=node_id, label=label)
        name, function = _step_id(call, node_id), call

        async def start(ctx: StepContext[StateT, DepsT, InputT]) -> AsyncIterable[OutputT]:
            return function(ctx)

        return Step(id=name, call=start, label=label)

    def join(
        self,
        reducer: ReducerFunction[StateT, DepsT, InputT, OutputT],
        *,
        initial: OutputT | Unset = _UNSET,
        initial_factory: Callable[[], OutputT] | Unset = _UNSET,
        node_id: str | None = None,
        parent_fork_id: str | None = None,
        preferred_parent_fork: Literal['farthest', 'closest'] = 'farthest',
    ) -> Join[StateT, DepsT, InputT, OutputT]:
        """Make a join: a node that waits for the branches of a fork, and combines their values into one.

        Args:
            reducer: Combines the value so far with the one that arrives; `reduce_list_append` and others are
                ready-made. It may take a `ReducerContext` first.
            initial: The initial value. A list, dict or set is copied for each run.
            initial_factory: A function that returns the initial value, instead of `initial`.
            node_id: The id of the node; by default the name of the reducer.
            parent_fork_id: The fork whose branches to wait for; by default one that lies on every way to the join.
            preferred_parent_fork: The fork to take if there are several.

        Raises:
            GraphSetupError: The reducer cannot be called with two values, is async, or needs an initial value.
        """
        if isinstance(initial_factory, Unset):
            if initial is _UNSET and reducer in NEEDS_INITIAL:
                raise GraphSetupError(
                    f'A join with {get_callable_name(reducer)!r} needs an initial value: pass `initial`, or '
                    '`initial_factory` as in `initial_factory=list`.'
                )
            # A value that reducers change in place must not leak into the next run.
            is_changed = type(initial) in (list, dict, set)
            initial_factory = cast('Callable[[], OutputT]', partial(copy if is_changed else _same, initial))
        return Join(
            id=JoinID(node_id or generate_placeholder_node_id(get_callable_name(reducer))),
            reducer=reducer,
            initial_factory=initial_factory,
            parent_fork_id=None if parent_fork_id is None else ForkID(parent_fork_id),
            preferred_parent_fork=preferred_parent_fork,
        )

    def decision(self, *, note: str | None = None, node_id: str | None = None) -> Decision[StateT, DepsT, Never]:
        """Make a decision: a node that takes the first of its branches that matches; add these with `branch`.

        Args:
            note: A note shown in diagrams.
            node_id: The id of the node.
        """
        return Decision(id=NodeID(node_id or generate_placeholder_node_id('decision')), branches=[], note=note)

    def match(
        self, source: TypeOrTypeExpression[SourceT], *, matches: Callable[[Any], bool] | None = None
    ) -> DecisionBranchBuilder[StateT, DepsT, SourceT, SourceT, Never]:
        """Begin a branch of a decision.

        Args:
            source: The type of the values that the branch matches: a class, or a `TypeExpression` of a `Literal` or union.
            matches: Returns whether the branch matches a value, instead of the type.
        """
        decision = Decision[StateT, DepsT, Never](
            id=NodeID(generate_placeholder_node_id('match_decision')), branches=[], note=None
        )
        path = PathBuilder[StateT, DepsT, SourceT](working_items=[])
        return DecisionBranchBuilder(decision=decision, source=source, matches=matches, path_builder=path)

    def match_node(
        self, source: type[SourceNodeT], *, matches: Callable[[Any], bool] | None = None
    ) -> DecisionBranch[SourceNodeT]:
        """Make a branch of a decision for instances of a node class, which leads to that node.

        Args:
            source: The class.
            matches: Returns whether the branch matches a value, instead of the class.

        Raises:
            GraphSetupError: `source` is not a subclass of `BaseNode`.
        """
        node = NodeStep[StateT, DepsT](source)
        return DecisionBranch(source, matches, Path([DestinationMarker(node.id)]), [node])

    # Edges.

    def edge_from(
        self, *sources: SourceNode[StateT, DepsT, SourceOutputT]
    ) -> EdgePathBuilder[StateT, DepsT, SourceOutputT]:
        """Begin an edge, or the same edge from several nodes.

        Args:
            sources: The nodes.

        Raises:
            GraphSetupError: There are none, or an edge cannot begin at one of them.
        """
        for source in sources:
            _check_source(source)
        if not sources:
            raise GraphSetupError('An edge has to begin somewhere: pass at least one node to `edge_from`.')
        return EdgePathBuilder(sources, PathBuilder[StateT, DepsT, SourceOutputT](working_items=[]))

    def add(self, *edges: EdgePath[StateT, DepsT]) -> None:
        """Add edges to the graph, and the nodes at their ends.

        Args:
            edges: The edges.

        Raises:
            GraphSetupError: One of them is not an edge, or a return annotation does not lead to a node.
            GraphBuildingError: Two nodes have the same id.
        """
        for edge in edges:
            if not isinstance(edge, EdgePath):
                raise GraphSetupError(
                    f'{edge!r} is not an edge. End it with `to`, as in `builder.add(builder.edge_from(a).to(b))`.'
                )
            for source in edge.sources:
                self._insert(source)
                self._connect(source, edge.path)
            for node in edge.destinations:
                self._insert(node)
            self._insert_forks(edge.path)

    def add_edge(
        self,
        source: SourceNode[StateT, DepsT, T],
        destination: DestinationNode[StateT, DepsT, T],
        *,
        label: str | None = None,
    ) -> None:
        """Add an edge from one node to another.

        Args:
            source: The node it begins at.
            destination: The node it leads to.
            label: Its label in diagrams.

        Raises:
            GraphSetupError: An edge cannot begin at `source`, or cannot lead to the other node.
            GraphBuildingError: Two nodes have the same id.
        """
        builder = self.edge_from(source)
        self.add((builder if label is None else builder.label(label)).to(destination))

    def add_mapping_edge(
        self,
        source: SourceNode[StateT, DepsT, Iterable[T]],
        map_to: DestinationNode[StateT, DepsT, T],
        *,
        pre_map_label: str | None = None,
        post_map_label: str | None = None,
        fork_id: ForkID | None = None,
        downstream_join_id: JoinID | None = None,
    ) -> None:
        """Add an edge that runs a node for every item of the output of another.

        Args:
            source: The node it begins at.
            map_to: The node that runs for every item.
            pre_map_label: A label in diagrams, before the fork.
            post_map_label: A label in diagrams, after it.
            fork_id: The id of the fork.
            downstream_join_id: The join that continues with its initial value if there are no items.

        Raises:
            GraphSetupError: An edge cannot begin at `source`, or cannot lead to the other node.
            GraphBuildingError: Two nodes have the same id.
        """
        before = self.edge_from(source)
        if pre_map_label is not None:
            before = before.label(pre_map_label)
        after: EdgePathBuilder[StateT, DepsT, T] = before.map(fork_id=fork_id, downstream_join_id=downstream_join_id)
        self.add((after if post_map_label is None else after.label(post_map_label)).to(map_to))

    def node(self, node_type: type[BaseNode[StateT, DepsT, GraphOutputT]]) -> EdgePath[StateT, DepsT]:
        """Return the edge from a `BaseNode` to what may follow it, according to the return annotation of its `run`.

        Args:
            node_type: The class.

        Raises:
            GraphSetupError: It is not a subclass of `BaseNode`, or the annotation is missing, or names something
                that is not a node.
        """
        node = NodeStep[StateT, DepsT](node_type)
        hint = return_hint(node.node_type.run, _names_around())
        edge = None if hint is None else self._edge_of_hint(node, hint, f'{node.node_type.__qualname__}.run()')
        if edge is None:
            raise GraphSetupError(
                f'The return annotation of {node.node_type.__qualname__}.run() has to name what may follow: nodes, and '
                f'`End[...]` if it may end the run. {_hint_fault(node.node_type.run, hint)}'
            )
        return edge

    # Nodes and edges, as they are collected.

    def _insert(self, node: AnyNode) -> None:
        """Add a node, with those that its branches and its return annotation lead to."""
        present = self._nodes.get(node.id)
        if present is not None:
            same_class = (
                isinstance(node, NodeStep) and isinstance(present, NodeStep) and node.node_type is present.node_type
            )
            if present is not node and not same_class:
                raise GraphBuildingError(
                    f'The node id {replace_placeholder_id(node.id)!r} belongs to both {present!r} and {node!r}. '
                    'Give one of them another id.'
                )
            return
        self._nodes[node.id] = node
        if isinstance(node, Decision):
            for branch in node.branches:
                self._insert_forks(branch.path)
                for target in branch.destinations:
                    self._insert(target)
        elif isinstance(node, Step) and not isinstance(node, NodeStep):
            self._infer_edge(node)

    def _insert_forks(self, path: Path) -> None:
        for item in path.items:
            if isinstance(item, MapMarker):
                self._insert(Fork[Any, Any](item.fork_id, True, item.downstream_join_id))
            elif isinstance(item, BroadcastMarker):
                self._insert(Fork[Any, Any](item.fork_id, False, None))
                for way in item.paths:
                    self._insert_forks(way)

    def _connect(self, source: AnyNode, path: Path) -> None:
        paths = self._edges_by_source[source.id]
        # The annotation of a node class names what follows it; adding that edge again changes nothing.
        if isinstance(source, NodeStep) and path in paths:
            return
        # An edge may repeat what the annotation of a step says. It is still one edge.
        if source.id in self._inferred and _same_end(self._inferred[source.id], path):
            paths.remove(self._inferred.pop(source.id))
        paths.append(path)

    def _infer_edge(self, step: Step[StateT, DepsT, Any, Any]) -> None:
        hint = return_hint(step.call, _names_around())
        edge = None if hint is None else self._edge_of_hint(step, hint, f'The step {step.id!r}')
        if edge is not None and not any(_same_end(edge.path, path) for path in self._edges_by_source.get(step.id, ())):
            self.add(edge)
            self._inferred[step.id] = edge.path

    def _edge_of_hint(
        self, source: Step[StateT, DepsT, Any, Any], hint: object, what: str
    ) -> EdgePath[StateT, DepsT] | None:
        targets = targets_of(what, hint)
        if not targets:
            return None
        # What a node class returns continues as it is; the `End` or `StepNode` that a step returns is unwrapped.
        unwraps = not isinstance(source, NodeStep)
        start = EdgePathBuilder[StateT, DepsT, Any]([source], PathBuilder[StateT, DepsT, Any](working_items=[]))
        if len(targets) == 1:
            return _unwrapped(start, targets[0], unwraps).to(self._end_of(targets[0]))
        decision = Decision[StateT, DepsT, Any](
            id=NodeID(generate_placeholder_node_id('decision')), branches=[], note=None
        )
        for target in targets:
            branch: Any = _unwrapped(self.match(target.kind, matches=target.is_meant), target, unwraps)
            decision = decision.branch(branch.to(self._end_of(target)))
        return start.to(decision)

    def _end_of(self, target: Target) -> Any:
        return self.end_node if target.node is None else target.node

    def build(self, validate_graph_structure: bool = True) -> Graph[StateT, DepsT, GraphInputT, GraphOutputT]:
        """Build the graph; later additions to the builder do not change it.

        Args:
            validate_graph_structure: Check that every node lies on a way from the start to the end.

        Raises:
            GraphValidationError: Nothing leads to the end, or to some node, or nothing follows one.
            GraphBuildingError: A join has no fork to wait for, or a fork or join that is named does not exist.
        """
        nodes, edges, names = assemble(self._nodes, self._edges_by_source)
        if validate_graph_structure:
            check_structure(nodes, edges)
        parents = find_parent_forks(nodes, edges)
        graph = Graph[StateT, DepsT, GraphInputT, GraphOutputT](
            name=self.name,
            state_type=unpack_type_expression(self.state_type),
            deps_type=unpack_type_expression(self.deps_type),
            input_type=unpack_type_expression(self.input_type),
            output_type=unpack_type_expression(self.output_type),
            auto_instrument=self.auto_instrument,
            nodes=nodes,
            edges_by_source=edges,
            parent_forks=parents,
            intermediate_join_nodes=joins_between(parents),
        )
        graph._aliases = names  # pyright: ignore[reportPrivateUsage]
        return graph


def _same(value: T) -> T:
    return value


def _step_id(call: object, node_id: str | None) -> NodeID:
    if not callable(call) or isinstance(get_origin(call) or call, type):
        raise GraphSetupError(
            f'{call!r} cannot be a step. Pass an async function that takes a `StepContext`; node classes go into the '
            'graph by `builder.node(...)`.'
        )
    return NodeID(node_id or get_callable_name(call))


def _check_source(node: Any) -> None:
    if is_source(node) or isinstance(node, Fork):
        return
    if isinstance(node, Decision):
        raise GraphSetupError(
            f'No edge can begin at the decision {replace_placeholder_id(node.id)!r}: its branches are its edges. Add them with '
            '`decision.branch(builder.match(...).to(...))`.'
        )
    if isinstance(node, EndNode):
        raise GraphSetupError('No edge can begin at the end node: runs end there.')
    raise GraphSetupError(
        f'No edge can begin at {node!r}. Make a step of a function with `@builder.step`, and use `builder.node(...)` '
        'for a node class.'
    )


def _names_around() -> Mapping[str, object]:
    """Return the local names of the function that builds the graph: nodes are often defined in it."""
    frame = caller()
    return frame.f_locals if frame is not None else {}


def _hint_fault(function: object, hint: object) -> str:
    if hint is not None:
        return f'It is {hint!r}.'
    try:
        annotations = getattr(function, '__annotations__', {})
    except NameError as error:  # from Python 3.14, reading annotations evaluates them
        return f'It cannot be evaluated: {error}.'
    if 'return' not in annotations:
        return 'It is missing.'
    return f'It is {annotations["return"]!r}, which names something that cannot be found.'


def _same_end(path: Path, other: Path) -> bool:
    return path == other or (
        len(other.items) == 1
        and path.items[-1:] == other.items
        and all(isinstance(item, TransformMarker) for item in path.items[:-1])
    )


def _unwrapped(builder: Any, target: Target, unwraps: bool) -> Any:
    return builder.transform(target.value) if unwraps and target.value is not None else builder
