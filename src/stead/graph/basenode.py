"""Nodes of a graph, the context they run with, and the end of a run."""

from __future__ import annotations

import copy
import inspect
import types
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, is_dataclass
from typing import Annotated, Any, ClassVar, Generic, Union, get_args, get_origin, get_type_hints
from uuid import uuid4

from typing_extensions import Never, Self, TypeVar

from .exceptions import GraphSetupError

__all__ = (
    'BaseNode',
    'DepsT',
    'Edge',
    'End',
    'GraphRunContext',
    'NodeDef',
    'NodeRunEndT',
    'RunEndT',
    'StateT',
    'generate_snapshot_id',
)

StateT = TypeVar('StateT', default=None)
"""The state that the nodes of a run share and change."""
DepsT = TypeVar('DepsT', default=None, contravariant=True)
"""The dependencies that are passed to every node."""
RunEndT = TypeVar('RunEndT', covariant=True, default=None)
"""The result of a run."""
NodeRunEndT = TypeVar('NodeRunEndT', covariant=True, default=Never)
"""The result that a node may end a run with; `Never` for a node that cannot end it."""

_SNAPSHOT_ID = '__snapshot_id'


@dataclass(kw_only=True)
class GraphRunContext(Generic[StateT, DepsT]):
    """The state and dependencies that a node runs with."""

    state: StateT
    """The state of the run, shared by all its nodes."""
    deps: DepsT
    """The dependencies of the run."""


class BaseNode(ABC, Generic[StateT, DepsT, NodeRunEndT]):
    """Base class of nodes. Subclass it, as a dataclass if it has inputs, and implement `run`.

    The return annotation of `run` defines the graph: it names the nodes that may follow, and `End` if a run may end.
    """

    docstring_notes: ClassVar[bool] = False
    """Show the docstring as a note in diagrams."""

    @abstractmethod
    async def run(self, ctx: GraphRunContext[StateT, DepsT]) -> BaseNode[StateT, DepsT, Any] | End[NodeRunEndT]:
        """Do the work, and return the next node or the end.

        Args:
            ctx: The state and dependencies of the run.
        """

    @classmethod
    def get_node_id(cls) -> str:
        """Return the id of the node in its graph: the name of its class."""
        return cls.__name__

    def get_snapshot_id(self) -> str:
        """Return the id of this instance in the snapshots of a run, generated on first use."""
        # Written to the dict, bypassing `__setattr__`: a node may be a frozen dataclass.
        attributes = vars(self)
        return attributes.get(_SNAPSHOT_ID) or attributes.setdefault(
            _SNAPSHOT_ID, generate_snapshot_id(self.get_node_id())
        )

    def set_snapshot_id(self, snapshot_id: str) -> None:
        """Set the id that this instance had in an earlier process.

        Args:
            snapshot_id: The id of its snapshot.
        """
        vars(self)[_SNAPSHOT_ID] = snapshot_id

    @classmethod
    def get_note(cls) -> str | None:
        """Return the note shown beside the node in diagrams, if `docstring_notes` is set and there is a docstring."""
        text = cls.__doc__
        if not cls.docstring_notes or not text:
            return None
        if is_dataclass(cls) and text.startswith(f'{cls.__name__}('):
            return None  # a dataclass without a docstring gets its signature for one
        return inspect.cleandoc(text)

    @classmethod
    def get_node_def(cls, local_ns: dict[str, Any] | None) -> NodeDef[StateT, DepsT, NodeRunEndT]:
        """Read the edges of the node from the return annotation of `run`.

        Args:
            local_ns: Names the annotation may use besides those of its module.

        Raises:
            GraphSetupError: The annotation is missing, cannot be resolved, or names something that is not a node.
        """
        try:
            hints = get_type_hints(cls.run, localns=local_ns, include_extras=True)
        except NameError as error:
            raise GraphSetupError(
                f'The annotations of {cls.__qualname__}.run() name something that cannot be found: {error}. '
                'Define every node before the graph, in the same module or function.'
            ) from error
        if 'return' not in hints:
            raise GraphSetupError(
                f'{cls.__qualname__}.run() has no return annotation. Annotate the nodes that may follow it, and '
                '`End[...]` if it may end the run.'
            )
        edges: dict[str, Edge] = {}
        end_edge: Edge | None = None
        returns_base_node = False
        for option, edge in _options(hints['return'], Edge(label=None)):
            target = get_origin(option) or option
            if target is End:
                end_edge = edge
            elif target is BaseNode:
                returns_base_node = True
            elif isinstance(target, type) and issubclass(target, BaseNode):
                edges[target.get_node_id()] = edge
            else:
                raise GraphSetupError(
                    f'{cls.__qualname__}.run() is annotated to return {option!r}, which is neither a node nor `End`.'
                )
        return NodeDef(
            node=cls,
            node_id=cls.get_node_id(),
            note=cls.get_note(),
            next_node_edges=edges,
            end_edge=end_edge,
            returns_base_node=returns_base_node,
        )

    def deep_copy(self) -> Self:
        """Return a copy that shares nothing with this instance."""
        return copy.deepcopy(self)


AnyBaseNode = BaseNode[Any, Any, Any]


@dataclass
class End(Generic[RunEndT]):
    """The end of a run, returned by a node."""

    data: RunEndT
    """The result of the run."""

    def deep_copy_data(self) -> End[RunEndT]:
        """Return an end whose data shares nothing with this one's."""
        if self.data is None:
            return self
        end = End(copy.deepcopy(self.data))
        end.set_snapshot_id(self.get_snapshot_id())
        return end

    def get_snapshot_id(self) -> str:
        """Return the id of this end in the snapshots of a run, generated on first use."""
        attributes = vars(self)
        return attributes.get(_SNAPSHOT_ID) or attributes.setdefault(_SNAPSHOT_ID, generate_snapshot_id('end'))

    def set_snapshot_id(self, set_id: str) -> None:
        """Set the id that this end had in an earlier process.

        Args:
            set_id: The id of its snapshot.
        """
        vars(self)[_SNAPSHOT_ID] = set_id


def generate_snapshot_id(node_id: str) -> str:
    """Generate an id for one run of a node.

    Args:
        node_id: The id of the node; the new id begins with it.
    """
    return f'{node_id}:{uuid4().hex}'


@dataclass(frozen=True)
class Edge:
    """A label, in diagrams, of the edge to a node: `Annotated[Next, Edge(label='on success')]`."""

    label: str | None
    """The label."""


@dataclass(kw_only=True)
class NodeDef(Generic[StateT, DepsT, NodeRunEndT]):
    """The definition of a node in its graph."""

    node: type[BaseNode[StateT, DepsT, NodeRunEndT]]
    """The class."""
    node_id: str
    """Its id."""
    note: str | None
    """Its note in diagrams."""
    next_node_edges: dict[str, Edge]
    """The edges to the nodes that may follow, by their ids."""
    end_edge: Edge | None
    """The edge to the end, if the node may end a run."""
    returns_base_node: bool
    """Whether any node of the graph may follow it."""


def _options(annotation: object, edge: Edge) -> Iterator[tuple[Any, Edge]]:
    """Yield each member of a return annotation with the edge annotation nearest to it."""
    origin = get_origin(annotation)
    if origin is Annotated:
        inner, *extras = get_args(annotation)
        yield from _options(inner, next((extra for extra in extras if isinstance(extra, Edge)), edge))
    elif origin in (Union, types.UnionType):
        for member in get_args(annotation):
            yield from _options(member, edge)
    else:
        yield annotation, edge
