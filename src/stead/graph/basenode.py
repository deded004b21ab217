"""Nodes of a graph: what runs, what it is given, and how a run ends."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from dataclasses import dataclass, is_dataclass
from typing import Any, ClassVar, Generic, get_origin, get_type_hints
from uuid import uuid4

from typing_extensions import Never, TypeVar

from .exceptions import GraphSetupError

StateT = TypeVar('StateT', default=None)
"""Type variable for the state of a graph."""
DepsT = TypeVar('DepsT', default=None, contravariant=True)
"""Type variable for the dependencies of a graph."""
RunEndT = TypeVar('RunEndT', covariant=True, default=None)
"""Type variable for what a run ends with."""
NodeRunEndT = TypeVar('NodeRunEndT', covariant=True, default=Never)
"""Type variable for what a node ends a run with."""


@dataclass(kw_only=True)
class GraphRunContext(Generic[StateT, DepsT]):
    """What a node is given when it runs."""

    state: StateT
    """The state of the run."""
    deps: DepsT
    """The dependencies of the run."""


class BaseNode(ABC, Generic[StateT, DepsT, NodeRunEndT]):
    """A node of a graph; which nodes may follow is the return annotation of `run`."""

    docstring_notes: ClassVar[bool] = False
    """Whether the docstring becomes a note in diagrams."""

    _snapshot_id: str | None = None

    @abstractmethod
    async def run(self, ctx: GraphRunContext[StateT, DepsT]) -> BaseNode[StateT, DepsT, Any] | End[NodeRunEndT]:
        """Do the work of the node and return what comes next: another node, or `End`."""

    @classmethod
    def get_node_id(cls) -> str:
        """Return the id of the node; by default the name of its class."""
        return cls.__name__

    def get_snapshot_id(self) -> str:
        """Return the id of this instance in stored runs; made on first use."""
        if self._snapshot_id is None:
            self._snapshot_id = generate_snapshot_id(self.get_node_id())
        return self._snapshot_id

    def set_snapshot_id(self, snapshot_id: str) -> None:
        """Set the id of this instance in stored runs."""
        self._snapshot_id = snapshot_id

    @classmethod
    def get_note(cls) -> str | None:
        """Return the note of the node in diagrams, or `None`."""
        if not cls.docstring_notes:
            return None
        text = cls.__doc__
        if text is None or (is_dataclass(cls) and text.startswith(f'{cls.__name__}(')):
            return None  # dataclasses get their signature for a docstring
        import inspect

        return inspect.cleandoc(text)

    @classmethod
    def get_node_def(cls, local_ns: dict[str, Any] | None) -> NodeDef[StateT, DepsT, NodeRunEndT]:
        """Return what the annotation of `run` says about the node.

        Args:
            local_ns: Names that the annotation may use besides those of the module.

        Raises:
            GraphSetupError: The annotation is missing, or names something that is no node.
        """
        hints = get_type_hints(cls.run, localns=local_ns, include_extras=True)
        if 'return' not in hints:
            raise GraphSetupError(f'Node {cls!r} is missing a return type hint on its `run` method.')
        next_edges: dict[str, Edge] = {}
        end_edge: Edge | None = None
        returns_base = False
        for option in _union_members(hints['return']):
            annotation, edge = _without_edge(option)
            origin = get_origin(annotation) or annotation
            if origin is End:
                end_edge = edge
            elif origin is BaseNode:
                returns_base = True
            elif isinstance(origin, type) and issubclass(origin, BaseNode):
                next_edges[origin.get_node_id()] = edge
            else:
                raise GraphSetupError(f'Invalid return type: {annotation}. `run` of a node returns nodes or `End`.')
        return NodeDef(
            node=cls,
            node_id=cls.get_node_id(),
            note=cls.get_note(),
            next_node_edges=next_edges,
            end_edge=end_edge,
            returns_base_node=returns_base,
        )

    def deep_copy(self) -> Any:
        """Return a deep copy of the node."""
        return copy.deepcopy(self)


@dataclass
class End(Generic[RunEndT]):
    """The end of a run, and what it ends with."""

    data: RunEndT
    """What the run ends with."""

    _snapshot_id: ClassVar[str | None] = None

    def deep_copy_data(self) -> End[RunEndT]:
        """Return an `End` with a deep copy of the data."""
        if self.data is None:
            return self
        end = End(copy.deepcopy(self.data))
        end.set_snapshot_id(self.get_snapshot_id())
        return end

    def get_snapshot_id(self) -> str:
        """Return the id of this end in stored runs; made on first use."""
        snapshot_id = self.__dict__.get('_snapshot_id')
        if snapshot_id is None:
            self.__dict__['_snapshot_id'] = snapshot_id = generate_snapshot_id('end')
        return snapshot_id

    def set_snapshot_id(self, set_id: str) -> None:
        """Set the id of this end in stored runs."""
        self.__dict__['_snapshot_id'] = set_id


def generate_snapshot_id(node_id: str) -> str:
    """Return a new id for an instance of a node."""
    return f'{node_id}:{uuid4().hex}'


@dataclass(frozen=True)
class Edge:
    """A label for the edge to a node; used as `Annotated[Node, Edge(label='...')]`."""

    label: str | None
    """The label."""


@dataclass(kw_only=True)
class NodeDef(Generic[StateT, DepsT, NodeRunEndT]):
    """What a graph knows about a node."""

    node: type[BaseNode[StateT, DepsT, NodeRunEndT]]
    """The class."""
    node_id: str
    """The id."""
    note: str | None
    """The note in diagrams."""
    next_node_edges: dict[str, Edge]
    """The nodes that may follow, by id."""
    end_edge: Edge | None
    """The edge to the end, if the node may end the run."""
    returns_base_node: bool
    """Whether any node may follow."""


def _union_members(annotation: Any) -> list[Any]:
    import types
    from typing import Union, get_args

    if get_origin(annotation) in (Union, types.UnionType):
        return [member for option in get_args(annotation) for member in _union_members(option)]
    return [annotation]


def _without_edge(annotation: Any) -> tuple[Any, Edge]:
    from typing import Annotated, get_args

    if get_origin(annotation) is Annotated:
        inner, *extras = get_args(annotation)
        edges = [extra for extra in extras if isinstance(extra, Edge)]
        return inner, edges[0] if edges else Edge(label=None)
    return annotation, Edge(label=None)
