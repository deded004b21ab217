"""Builder graphs as Mermaid state diagrams."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from ._wiring import AnyNode, Decision, DestinationMarker, LabelMarker, Path
from .id_types import NodeID
from .join import Join
from .mermaid import StateDiagramDirection
from .node import EndNode, Fork, StartNode
from .step import Step

NodeKind = Literal['broadcast', 'map', 'join', 'start', 'end', 'step', 'decision']
"""The shape that a node is drawn with."""

_SHAPES = {'broadcast': 'fork', 'map': 'fork', 'join': 'join', 'decision': 'choice'}
_START, _END = StartNode.id, EndNode.id


@dataclass
class MermaidNode:
    """A node of a diagram."""

    id: str
    """Its id."""
    kind: NodeKind
    """The shape it is drawn with."""
    label: str | None
    """Its name, if it is not its id."""
    note: str | None
    """A note beside it."""


@dataclass
class MermaidEdge:
    """An edge of a diagram."""

    start_id: str
    """The node it begins at."""
    end_id: str
    """The node it leads to."""
    label: str | None
    """Its label."""


@dataclass
class MermaidGraph:
    """A diagram."""

    nodes: list[MermaidNode]
    """The nodes."""
    edges: list[MermaidEdge]
    """The edges."""
    title: str | None = None
    """The title."""
    direction: StateDiagramDirection | None = None
    """The direction of the diagram."""

    def render(
        self, direction: StateDiagramDirection | None = None, title: str | None = None, edge_labels: bool = True
    ) -> str:
        """Return the code of the diagram, with nodes in the order in which runs reach them.

        Args:
            direction: The direction of the diagram; by default that of the diagram.
            title: The title; by default that of the diagram.
            edge_labels: Write the labels of edges.
        """
        title = title or self.title
        direction = direction or self.direction
        lines = ['---', f'title: {title}', '---'] if title else []
        lines.append('stateDiagram-v2')
        if direction is not None:
            lines.append(f'  direction {direction}')
        depths = self._depths()
        for node in sorted(self.nodes, key=lambda node: (depths.get(node.id, math.inf), node.id)):
            lines += _node_lines(node)
        lines.append('')

        def place(edge: MermaidEdge) -> tuple[float, float, str, str, str]:
            ends = edge.start_id, edge.end_id
            return *(depths.get(node_id, math.inf) for node_id in ends), *ends, edge.label or ''  # pyright: ignore[reportReturnType]

        for edge in sorted(self.edges, key=place):
            start = '[*]' if edge.start_id == _START else edge.start_id
            end = '[*]' if edge.end_id == _END else edge.end_id
            lines.append(f'  {start} --> {end}' + (f': {edge.label}' if edge.label and edge_labels else ''))
        return '\n'.join(lines)

    def _depths(self) -> dict[str, int]:
        """Return how many edges each node is away from the start."""
        after: dict[str, list[str]] = {}
        for edge in self.edges:
            after.setdefault(edge.start_id, []).append(edge.end_id)
        depths: dict[str, int] = {_START: 0}
        queue: deque[str] = deque(depths)
        while queue:
            node_id = queue.popleft()
            for target in after.get(node_id, ()):
                if target not in depths:
                    depths[target] = depths[node_id] + 1
                    queue.append(target)
        return depths


def build_mermaid_graph(
    graph_nodes: dict[NodeID, AnyNode], graph_edges_by_source: dict[NodeID, list[Path]]
) -> MermaidGraph:
    """Make a diagram of a graph.

    Args:
        graph_nodes: The nodes.
        graph_edges_by_source: The paths that begin at each node.
    """
    nodes: list[MermaidNode] = []
    edges: list[MermaidEdge] = []
    for node_id, node in graph_nodes.items():
        label = node.label if isinstance(node, Step) else None
        note = node.note if isinstance(node, Decision) else None
        nodes.append(MermaidNode(node_id, _kind_of(node), label, note))
        for path in paths_from(node_id, graph_nodes, graph_edges_by_source):
            labels = [item.label for item in path.items if isinstance(item, LabelMarker)]
            for item in path.items:
                if isinstance(item, DestinationMarker):
                    edges.append(MermaidEdge(node_id, item.destination_id, labels[-1] if labels else None))
    return MermaidGraph(nodes, edges)


def paths_from(node_id: NodeID, nodes: Mapping[NodeID, AnyNode], edges: Mapping[NodeID, list[Path]]) -> Iterator[Path]:
    """Yield the paths that begin at a node; those of a decision are in its branches."""
    yield from edges.get(node_id, ())
    node = nodes.get(node_id)
    if isinstance(node, Decision):
        for branch in node.branches:
            yield branch.path


def _kind_of(node: AnyNode) -> NodeKind:
    if isinstance(node, StartNode):
        return 'start'
    if isinstance(node, EndNode):
        return 'end'
    if isinstance(node, Fork):
        return 'map' if node.is_map else 'broadcast'
    if isinstance(node, Join):
        return 'join'
    return 'decision' if isinstance(node, Decision) else 'step'


def _node_lines(node: MermaidNode) -> list[str]:
    if node.kind in ('start', 'end'):
        return []
    if node.kind == 'step':
        return [f'  {node.id}: {node.label}' if node.label else f'  {node.id}']
    lines = [f'  state {node.id} <<{_SHAPES[node.kind]}>>']
    if node.kind == 'decision' and node.note:
        lines += [f'  note right of {node.id}', f'    {node.note}', '  end note']
    return lines
