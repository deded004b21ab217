"""The source files of stead, read and parsed once for all tests that look into them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import stead

SRC = Path(stead.__file__).parent


@cache
def source_files() -> tuple[Path, ...]:
    """Return the paths of all files, in order."""
    return tuple(sorted(SRC.rglob('*.py')))


@cache
def tree_of(path: Path) -> ast.Module:
    """Return the tree of a file. It is shared: do not change it."""
    return ast.parse(path.read_text(encoding='utf-8'))


def name_of(path: Path) -> str:
    """Return the name of a file, relative to the folder of stead."""
    return path.relative_to(SRC).as_posix()


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """Return all nodes of a file, in the order of `ast.walk`."""
    return tuple(ast.walk(tree_of(path)))


def nodes() -> Iterator[tuple[str, ast.AST]]:
    """Yield all nodes of all files, each with the name of its file."""
    for path in source_files():
        name = name_of(path)
        for node in nodes_of(path):
            yield name, node
