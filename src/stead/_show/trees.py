"""Print a tree of what happened: plainly, or in a terminal with the package rich."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TextIO

from .nodes import Node, one_line

WIDTH = 100
"""How many characters of a text are shown in a line of plain text."""
MARKS = {'prompt': '> ', 'text': '< ', 'thinking': '~ ', 'call': '  ', 'answer': '= ', 'doubt': '? ', 'waits': '? '}


def plain_lines(root: Node) -> Iterator[str]:
    """Yield the lines of a tree as plain text."""
    yield one_line(root.text)
    yield from _children(root, '')


def _children(node: Node, indent: str) -> Iterator[str]:
    for child in node.children:
        yield f'{indent}{MARKS.get(child.kind, "")}{one_line(child.text, WIDTH)}'
        yield from _children(child, f'{indent}    ' if child.kind == 'call' else f'{indent}  ')


def print_tree(root: Node, file: TextIO | None = None) -> None:
    """Print a tree.

    Args:
        root: The tree.
        file: Where it is written; by default the standard output. In a terminal, and if the package rich is installed, it has
            colours and lines that fit.
    """
    target: TextIO | None = sys.stdout if file is None else file
    if target is None:  # a program without a console
        return
    if target.isatty():
        try:
            from .rich_trees import rich_console, rich_tree
        except ImportError:  # the extra "rich" is not installed
            pass
        else:
            rich_console(target).print(rich_tree(root))
            return
    for line in plain_lines(root):
        print(line, file=target)
