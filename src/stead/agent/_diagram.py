"""A diagram of an agent in Mermaid: its model, tools, toolsets and capabilities, and the agents that its tools run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from .._contracts.toolset import AbstractToolset
from ..toolsets import FunctionToolset
from .abstract import AbstractAgent

_DEEPEST = 4
_MOST_TOOLS = 40
_CONTROLS = re.compile(r'[^\S ]|[\x00-\x1f\x7f]')


def diagram_of(agent: AbstractAgent[Any, Any]) -> str:
    """Return the diagram as Mermaid's text."""
    drawing = _Drawing()
    drawing.draw(agent, 0)
    return '\n'.join(['flowchart LR', *(f'    {line}' for line in drawing.lines)])


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
        model: Any = agent.model
        name = model if isinstance(model, str) else getattr(model, 'model_name', None)
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
