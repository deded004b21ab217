"""Graphs as Mermaid state diagrams, and as images of these."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from textwrap import indent
from typing import Any, Literal, Protocol, cast

from typing_extensions import TypeAlias, TypedDict, Unpack

from .basenode import AnyBaseNode, BaseNode, Edge, NodeDef

__all__ = (
    'DEFAULT_HIGHLIGHT_CSS',
    'MermaidConfig',
    'NodeIdent',
    'StateDiagramDirection',
    'generate_code',
    'request_image',
    'save_image',
)

NodeIdent: TypeAlias = 'type[AnyBaseNode] | AnyBaseNode | str'
"""A node by its class, an instance or its id."""

StateDiagramDirection = Literal['TB', 'LR', 'RL', 'BT']
"""The direction of a diagram: top to bottom, left to right, right to left or bottom to top."""

DEFAULT_HIGHLIGHT_CSS = 'fill:#fdff32'


class _HasNodes(Protocol):
    """The part of a graph that is drawn; the graph itself is in a module above this one."""

    @property
    def node_defs(self) -> dict[str, NodeDef[Any, Any, Any]]: ...


def generate_code(
    graph: _HasNodes,
    /,
    *,
    start_node: Sequence[NodeIdent] | NodeIdent | None = None,
    highlighted_nodes: Sequence[NodeIdent] | NodeIdent | None = None,
    highlight_css: str = DEFAULT_HIGHLIGHT_CSS,
    title: str | None = None,
    edge_labels: bool = True,
    notes: bool = True,
    direction: StateDiagramDirection | None,
) -> str:
    """Draw a graph as a Mermaid state diagram.

    Args:
        graph: The graph.
        start_node: The node or nodes that runs begin with.
        highlighted_nodes: The node or nodes to highlight.
        highlight_css: How to highlight them.
        title: The title.
        edge_labels: Write the labels of edges.
        notes: Write the notes of nodes.
        direction: The direction of the diagram.

    Raises:
        LookupError: One of these nodes is not in the graph.
    """
    starts = _node_ids(start_node, graph, 'Start')
    lines = ['---', f'title: {title}', '---'] if title else []
    lines.append('stateDiagram-v2')
    if direction is not None:
        lines.append(f'  direction {direction}')
    for node_id, definition in graph.node_defs.items():
        if node_id in starts:
            lines.append(f'  [*] --> {node_id}')
        edges: dict[str, Edge | None] = dict.fromkeys(graph.node_defs) if definition.returns_base_node else {}
        edges.update(definition.next_node_edges)
        if definition.end_edge is not None:
            edges['[*]'] = definition.end_edge
        for target, edge in edges.items():
            label = f': {edge.label}' if edge_labels and edge and edge.label else ''
            lines.append(f'  {node_id} --> {target}{label}')
        if notes and definition.note:
            lines += [f'  note right of {node_id}', indent(definition.note, '    '), '  end note']
    if highlighted := _node_ids(highlighted_nodes, graph, 'Highlighted'):
        lines += ['', f'classDef highlighted {highlight_css}']
        lines += [f'class {node_id} highlighted' for node_id in highlighted]
    return '\n'.join(lines)


def _node_ids(nodes: Sequence[NodeIdent] | NodeIdent | None, graph: _HasNodes, role: str) -> list[str]:
    if nodes is None:
        return []
    idents = cast('Iterable[NodeIdent]', [nodes] if isinstance(nodes, (str, type, BaseNode)) else nodes)
    ids = [ident if isinstance(ident, str) else ident.get_node_id() for ident in idents]
    for node_id in ids:
        if node_id not in graph.node_defs:
            raise LookupError(
                f'{role} node {node_id!r} is not in the graph, whose nodes are {", ".join(graph.node_defs)}.'
            )
    return ids


class MermaidConfig(TypedDict, total=False):
    """What to draw, and how mermaid.ink draws it."""

    start_node: Sequence[NodeIdent] | NodeIdent
    """The node or nodes that runs begin with."""
    highlighted_nodes: Sequence[NodeIdent] | NodeIdent
    """The node or nodes to highlight."""
    highlight_css: str
    """How to highlight them."""
    title: str | None
    """The title."""
    edge_labels: bool
    """Write the labels of edges."""
    notes: bool
    """Write the notes of nodes."""
    image_type: Literal['jpeg', 'png', 'webp', 'svg', 'pdf']
    """The kind of image; JPEG by default."""
    pdf_fit: bool
    """Make the PDF page fit the diagram."""
    pdf_landscape: bool
    """Use landscape orientation for the PDF page."""
    pdf_paper: Literal['letter', 'legal', 'tabloid', 'ledger', 'a0', 'a1', 'a2', 'a3', 'a4', 'a5', 'a6']
    """The size of the PDF page."""
    background_color: str
    """The background: hexadecimal digits, or a colour name after an exclamation mark."""
    theme: Literal['default', 'neutral', 'dark', 'forest']
    """Mermaid's theme."""
    width: int
    """The width in pixels."""
    height: int
    """The height in pixels."""
    scale: float
    """Multiply width or height by this, 1 to 3."""
    httpx_client: Any
    """The `httpx.Client` to use; by default one is created, and closed again."""
    direction: StateDiagramDirection | None
    """The direction of the diagram."""


def request_image(graph: _HasNodes, /, **kwargs: Unpack[MermaidConfig]) -> bytes:
    """Draw a graph as an image. The diagram is sent to the public service mermaid.ink.

    Args:
        graph: The graph.
        kwargs: What to draw and how; see `MermaidConfig`.

    Raises:
        LookupError: One of these nodes is not in the graph.
        httpx.HTTPError: The service could not be reached, or did not return an image.
    """
    import base64

    import httpx

    code = generate_code(
        graph,
        start_node=kwargs.get('start_node'),
        highlighted_nodes=kwargs.get('highlighted_nodes'),
        highlight_css=kwargs.get('highlight_css', DEFAULT_HIGHLIGHT_CSS),
        title=kwargs.get('title'),
        edge_labels=kwargs.get('edge_labels', True),
        notes=kwargs.get('notes', True),
        direction=kwargs.get('direction'),
    )
    image_type = kwargs.get('image_type')
    kind = image_type if image_type in ('svg', 'pdf') else 'img'
    url = f'https://mermaid.ink/{kind}/{base64.b64encode(code.encode()).decode()}'
    client = kwargs.get('httpx_client')
    if client is not None:
        response = client.get(url, params=_query(kind, kwargs))
    else:
        with httpx.Client() as client:
            response = client.get(url, params=_query(kind, kwargs))
    if not response.is_success:
        raise httpx.HTTPStatusError(
            f'mermaid.ink returned {response.status_code} instead of an image: {response.text[:500]}',
            request=response.request,
            response=response,
        )
    return response.content


def _query(kind: str, config: MermaidConfig) -> dict[str, str | int | float]:
    query: dict[str, str | int | float | None] = {}
    if kind == 'img' and 'image_type' in config:
        query['type'] = config['image_type']
    if kind == 'pdf':
        if config.get('pdf_fit'):
            query['fit'] = ''
        if config.get('pdf_landscape'):
            query['landscape'] = ''
        query['paper'] = config.get('pdf_paper')
    query['bgColor'] = config.get('background_color')
    query['theme'] = config.get('theme')
    query['width'] = config.get('width')
    query['height'] = config.get('height')
    query['scale'] = config.get('scale')
    return {name: value for name, value in query.items() if value is not None}


def save_image(path: Path | str, graph: _HasNodes, /, **kwargs: Unpack[MermaidConfig]) -> None:
    """Draw a graph into an image file. The diagram is sent to the public service mermaid.ink.

    Args:
        path: The file; its suffix determines the kind of image, unless `image_type` is set. Other suffixes give a JPEG.
        graph: The graph.
        kwargs: What to draw and how; see `MermaidConfig`.

    Raises:
        LookupError: One of these nodes is not in the graph.
        httpx.HTTPError: The service could not be reached, or did not return an image.
    """
    path = Path(path)
    if 'image_type' not in kwargs:
        for image_type in ('png', 'webp', 'svg', 'pdf'):
            if path.suffix.lower() == f'.{image_type}':
                kwargs['image_type'] = image_type
    path.write_bytes(request_image(graph, **kwargs))
