"""A diagram of an agent in Mermaid: its model, tools, toolsets and capabilities, and the agents that tools run; its card."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import escape
from typing import Any

from .._contracts.toolset import AbstractToolset
from .._kit.well_formed import well_formed
from ..toolsets import FunctionToolset
from .abstract import AbstractAgent

_DEEPEST = 4
_MOST_TOOLS = 40
_CONTROLS = re.compile(r'[^\S ]|[\x00-\x1f\x7f]')


class Diagram(str):
    """Text of Mermaid, which notebooks draw."""

    __slots__ = ()

    def _repr_markdown_(self) -> str:
        return f'```mermaid\n{self.replace("`", chr(39))}\n```'


def diagram_of(agent: AbstractAgent[Any, Any]) -> Diagram:
    """Return the diagram as Mermaid's text."""
    drawing = _Drawing()
    drawing.draw(agent, 0)
    return Diagram('\n'.join(['flowchart LR', *(f'    {line}' for line in drawing.lines)]))


def card_of(agent: AbstractAgent[Any, Any]) -> str:
    """Return markup that says what an agent has in a few lines, for notebooks."""
    leaves: list[AbstractToolset[Any]] = []
    for toolset in agent.toolsets:
        toolset.apply(leaves.append)
    tools = [tool for leaf in leaves if isinstance(leaf, FunctionToolset) for tool in leaf.tools.values()]
    root: Any = agent.root_capability
    rows = {
        'Model': [_model_name(agent)],
        'Tools': [tool.name + (' (asks first)' if tool.requires_approval else '') for tool in tools],
        'Toolsets': [leaf.label for leaf in leaves if not isinstance(leaf, FunctionToolset)],
        'Capabilities': [type(capability).__name__ for capability in getattr(root, 'capabilities', ())],
    }
    lines = [f'<b>{escape(agent.name or "agent")}</b>']
    for title, names in rows.items():
        shown = [*names[:_MOST_TOOLS], *([f'{len(names) - _MOST_TOOLS} more'] if len(names) > _MOST_TOOLS else [])]
        if any(shown):
            lines.append(f'<br><span style="opacity: .7">{title}</span> {escape(", ".join(shown))}')
    return well_formed(f'<div>{"".join(lines)}</div>')


def _model_name(agent: AbstractAgent[Any, Any]) -> str:
    model: Any = agent.model
    return model if isinstance(model, str) else getattr(model, 'model_name', None) or ''


class _Drawing:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self._agents: dict[int, str] = {}
        self._count = 0

    def _node(self, shape: tuple[str, str], text: str) -> str:
        """Add a node, and return its name."""
        self._count += 1
        self.lines.append(f'n{self._count}{shape[0]}"{_label(text)}"{shape[1]}')
        return f'n{self._count}'

    def draw(self, agent: AbstractAgent[Any, Any], depth: int) -> str:
        """Draw an agent with what it has, and return the name of its node."""
        if id(agent) in self._agents:
            return self._agents[id(agent)]
        name = _model_name(agent)
        node = self._agents[id(agent)] = self._node(
            ('([', '])'), f'{agent.name or "agent"}' + (f'\n{name}' if name else '')
        )
        if depth >= _DEEPEST:
            return node
        root: Any = agent.root_capability
        for capability in getattr(root, 'capabilities', ()):
            self.lines.append(f'{node} -.- {self._node(("{{", "}}"), type(capability).__name__)}')
        for toolset in agent.toolsets:
            self._draw_toolset(node, toolset, depth)
        return node

    def _draw_toolset(self, node: str, toolset: AbstractToolset[Any], depth: int) -> None:
        leaves: list[AbstractToolset[Any]] = []
        toolset.apply(leaves.append)
        for leaf in leaves:
            if not isinstance(leaf, FunctionToolset):
                self.lines.append(f'{node} --> {self._node(("[(", ")]"), leaf.label)}')
                continue
            tools = [*leaf.tools.values()]
            for tool in tools[:_MOST_TOOLS]:
                asks = ' (asks first)' if tool.requires_approval else ''
                shown = self._node(('[', ']'), f'{tool.name}{asks}')
                self.lines.append(f'{node} --> {shown}')
                for inner in agents_in(tool.function):
                    self.lines.append(f'{shown} --> {self.draw(inner, depth + 1)}')
            if len(tools) > _MOST_TOOLS:
                self.lines.append(f'{node} --> {self._node(("[", "]"), f"{len(tools) - _MOST_TOOLS} more tools")}')


def agents_in(function: Callable[..., Any]) -> Iterator[AbstractAgent[Any, Any]]:
    """Yield the agents that a function names: as a variable around it, or one of its module."""
    code = getattr(function, '__code__', None)
    if code is None:
        return
    values: list[object] = []
    for cell in getattr(function, '__closure__', None) or ():
        try:
            values.append(cell.cell_contents)
        except ValueError:  # it is not set yet
            continue
    names: dict[str, object] = getattr(function, '__globals__', {})
    values.extend(names[name] for name in code.co_names if name in names)
    for value in values:
        if isinstance(value, AbstractAgent):
            yield value


def _label(text: str) -> str:
    """Return a text as it may stand between the quotes of a node; Mermaid reads entities written with `#`."""
    lines = [_CONTROLS.sub(' ', line) for line in text[:200].split('\n')]
    escaped = [re.sub(r'[^\w .,:()/+*=-]', lambda found: f'#{ord(found[0])};', line) for line in lines]
    return '<br>'.join(escaped)
