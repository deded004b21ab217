"""No code is written twice: ten lines in a row stand in one place only."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from .source import name_of, nodes_of, source_files

MOST_ALIKE = 9


def code_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of code with their numbers: without docstrings, parameters, overloads, imports and lists of names.

    Mirrored signatures and what their documentation says of the same parameter have to be alike.
    """
    left_out: set[int] = set()
    for node in nodes_of(path):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            left_out.update(range(node.lineno, node.body[0].lineno))
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        is_list = (
            isinstance(node, ast.Assign) and all(isinstance(item, ast.Name) for item in node.targets) and is_names(node)
        )
        if is_text or is_list or isinstance(node, (ast.Import, ast.ImportFrom)):
            left_out.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    for number, line in enumerate(path.read_text(encoding='utf-8').splitlines(), 1):
        if (
            number not in left_out
            and (code := line.partition('  # ')[0].strip())
            and not code.startswith(('#', '@overload'))
        ):
            yield number, code


def is_names(node: ast.Assign) -> bool:
    """Return whether an assignment is a list of names, such as `__all__`."""
    return isinstance(node.value, (ast.Tuple, ast.List)) and all(
        isinstance(item, ast.Constant) for item in node.value.elts
    )


def test_no_ten_lines_stand_in_two_places() -> None:
    places: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for path in source_files():
        name = name_of(path)
        lines = list(code_lines(path))
        for start in range(len(lines) - MOST_ALIKE):
            window = tuple(code for _, code in lines[start : start + MOST_ALIKE + 1])
            if len(set(window)) > 3:  # handlers that do nothing are alike
                places[window].append(f'{name}:{lines[start][0]}')
    twice = [' and '.join(found) for found in places.values() if len(found) > 1]
    assert not twice, 'The same code begins here; write it once:\n' + '\n'.join(twice)
