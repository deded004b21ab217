"""Trees in the terminal, with the package rich: lines that fit, and colours."""

from __future__ import annotations

from typing import TextIO

from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from .nodes import LONGEST, Node, one_line

STYLES = {
    'running': 'cyan',
    'abandoned': 'red',
    'answered': 'yellow',
    'cancelled': 'dim',
    'stopped': 'dim',
    'waiting': 'yellow',
    'done': 'green',
    'failed': 'bold red',
    'prompt': 'bold',
    'text': '',
    'thinking': 'dim italic',
    'call': 'cyan',
    'answer': 'dim',
    'doubt': 'yellow',
    'waits': 'yellow',
    'error': 'red',
    'output': 'green',
    'note': 'dim',
}
_MARKS = {'prompt': '> ', 'thinking': '~ ', 'answer': '= ', 'doubt': '? ', 'waits': '? '}


def rich_console(file: TextIO | None = None) -> Console:
    """Return a console that writes to a file, by default to the standard output. Text is text to it, not markup."""
    return Console(file=file, highlight=False)


def rich_tree(root: Node) -> Tree:
    """Return a tree that a console of rich prints."""
    tree = Tree(_label(root), guide_style='dim')
    _add(root, tree)
    return tree


def _add(node: Node, tree: Tree) -> None:
    for child in node.children:
        _add(child, tree.add(_label(child)))


def _label(node: Node) -> Text:
    text = one_line(node.text, 200) if node.kind in ('call', 'answer') else one_line(node.text, LONGEST + 200)
    return Text(_MARKS.get(node.kind, '') + text, STYLES.get(node.kind, ''))


def print_line(file: TextIO, name: str, line: str, style: str) -> None:
    """Print a line, after the name of the agent that it is about; it is cut where the terminal ends."""
    rich_console(file).print(
        Text.assemble((f'{name}  ', 'dim'), (line, style)), no_wrap=True, overflow='ellipsis', crop=True
    )
