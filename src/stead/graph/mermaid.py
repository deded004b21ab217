"""Diagrams of graphs in Mermaid's language."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from textwrap import indent
from typing import Any, Literal, Union

from typing_extensions import TypeAlias, TypedDict, Unpack

from .basenode import BaseNode

NodeIdent: TypeAlias = 'type[BaseNode[Any, Any, Any]] | BaseNode[Any, Any, Any] | str'
"""A node by its class, an instance, or its id."""
StateDiagramDirection = Literal['TB', 'LR', 'RL', 'BT']
"""Where a diagram runs to: top to bottom, left to right, and the reverse of these."""
DEFAULT_HIGHLIGHT_CSS = 'fill:#fdff32'
"""The style of highlighted nodes."""


def node_id(node: Any) -> str:
    """Return the id of a node given by class, instance or id."""
    return node if isinstance(node, str) else node.get_node_id()


def _ids(nodes: Any) -> list[str]:
    if nodes is None:
        return []
    if isinstance(nodes, (str, type, BaseNode)):
        return [node_id(nodes)]
    return [node_id(node) for node in nodes]


def generate_code(
    graph: Any,
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
    """Return a graph as a Mermaid state diagram.

    Args:
        graph: The graph.
        start_node: The nodes that runs may start from.
        highlighted_nodes: Nodes to highlight.
        highlight_css: The style of highlighted nodes.
        title: A title.
        edge_labels: Whether edges have their labels.
        notes: Whether nodes have their notes.
        direction: Where the diagram runs to.

    Raises:
        LookupError: A node that is named is not in the graph.
    """
    starts = _ids(start_node)
    _check(starts, graph.node_defs, 'Start')
    lines = ['---', f'title: {title}', '---'] if title else []
    lines.append('stateDiagram-v2')
    if direction is not None:
        lines.append(f'  direction {direction}')
    for name, definition in graph.node_defs.items():
        if name in starts:
            lines.append(f'  [*] --> {name}')
        targets: dict[str, Any] = dict(definition.next_node_edges)
        if definition.returns_base_node:
            targets = {**{other: None for other in graph.node_defs}, **targets}
        for target, edge in targets.items():
            lines.append(_edge(name, target, edge, edge_labels))
        if definition.end_edge is not None:
            lines.append(_edge(name, '[*]', definition.end_edge, edge_labels))
        if notes and definition.note:
            lines.append(f'  note right of {name}')
            lines.append(indent(definition.note, '    '))
            lines.append('  end note')
    if highlighted := _ids(highlighted_nodes):
        _check(highlighted, graph.node_defs, 'Highlighted')
        lines += ['', f'classDef highlighted {highlight_css}', *(f'class {name} highlighted' for name in highlighted)]
    return '\n'.join(lines)


def _edge(source: str, target: str, edge: Any, labels: bool) -> str:
    label = f': {edge.label}' if labels and edge is not None and edge.label else ''
    return f'  {source} --> {target}{label}'


def _check(names: Iterable[str], known: Any, what: str) -> None:
    for name in names:
        if name not in known:
            raise LookupError(f'{what} node {name!r} is not in the graph. Its nodes are {sorted(known)}.')


class MermaidConfig(TypedDict, total=False):
    """What to render, and how."""

    start_node: Any
    """The nodes that runs may start from."""
    highlighted_nodes: Any
    """Nodes to highlight."""
    highlight_css: str
    """The style of highlighted nodes."""
    title: Union[str, None]
    """A title."""
    edge_labels: bool
    """Whether edges have their labels."""
    notes: bool
    """Whether nodes have their notes."""
    image_type: Literal['jpeg', 'png', 'webp', 'svg', 'pdf']
    """The type of the image."""
    pdf_fit: bool
    """Whether the page fits the diagram."""
    pdf_landscape: bool
    """Whether the page is landscape."""
    pdf_paper: str
    """The paper, for example `a4`."""
    background_color: str
    """The background, by name or as hexadecimal digits."""
    theme: Literal['default', 'neutral', 'dark', 'forest', 'base']
    """Mermaid's theme."""
    width: int
    """Width in pixels."""
    height: int
    """Height in pixels."""
    scale: float
    """Scale, from 1 to 3; needs a width or a height."""
    httpx_client: Any
    """The `httpx.Client` to use."""
    direction: Union[StateDiagramDirection, None]
    """Where the diagram runs to."""


def request_image(graph: Any, /, **kwargs: Unpack[MermaidConfig]) -> bytes:
    """Return an image of a graph, rendered by the public service mermaid.ink.

    Args:
        graph: The graph. Its diagram is sent to the service.
        kwargs: See `MermaidConfig`.

    Raises:
        httpx.HTTPStatusError: The service did not render it.
    """
    import base64

    import httpx

    names = ('start_node', 'highlighted_nodes', 'highlight_css', 'title', 'edge_labels', 'notes')
    options: dict[str, Any] = {name: kwargs[name] for name in names if name in kwargs}  # type: ignore[literal-required]
    code = generate_code(graph, direction=kwargs.get('direction'), **options)
    encoded = base64.b64encode(code.encode()).decode('ascii')
    params: dict[str, Any] = {}
    kind = kwargs.get('image_type')
    path = 'svg' if kind == 'svg' else 'pdf' if kind == 'pdf' else 'img'
    if path == 'pdf':
        flags = {'fit': 'pdf_fit', 'landscape': 'pdf_landscape'}
        params.update({short: '' for short, name in flags.items() if kwargs.get(name)})
        if paper := kwargs.get('pdf_paper'):
            params['paper'] = paper
    elif path == 'img' and kind:
        params['type'] = kind
    for name, short in (('background_color', 'bgColor'), ('theme', 'theme'), ('width', 'width'), ('height', 'height')):
        if value := kwargs.get(name):
            params[short] = value
    if (scale := kwargs.get('scale')) is not None:
        params['scale'] = scale
    client = kwargs.get('httpx_client') or httpx.Client()
    response = client.get(f'https://mermaid.ink/{path}/{encoded}', params=params)
    response.raise_for_status()
    return response.content


def save_image(path: Path | str, graph: Any, /, **kwargs: Unpack[MermaidConfig]) -> None:
    """Write an image of a graph to a file; the ending says the type. Arguments and errors as `request_image`."""
    target = Path(path)
    ending = target.suffix.lstrip('.').lower().replace('jpg', 'jpeg')
    if 'image_type' not in kwargs and ending in ('jpeg', 'png', 'webp', 'svg', 'pdf'):
        kwargs['image_type'] = ending  # type: ignore[typeddict-item]
    target.write_bytes(request_image(graph, **kwargs))

