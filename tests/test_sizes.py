"""Files, functions and parameter lists stay small; so do files of tests, and those of recorded cases most of all."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from .source import SRC, name_of, source_files, tree_of

TESTS = Path(__file__).parent
MOST_LINES = 600
MOST_LINES_OF_CASES = 400
MOST_LINES_OF_CALLS = 350
"""In `_calls/`, which every reader of a run goes through: files there are short."""
MOST_FUNCTION_LINES = 80
MOST_PARAMETERS = 10
MOST_ANY = 30  # in 1,000 lines; it may only shrink

# What mirrors a public signature, spelled in this one place. It may have more parameters, and of its lines only those of
# the body count. The table may only name what needs it.
MIRRORED = {
    'agent/_agent.py::Agent.__init__',
    'durable_exec/temporal/_agent.py::TemporalAgent.__init__',
    'mcp/_servers.py::MCPServer.__init__',
    'mcp/_toolset.py::MCPToolset.__init__',
    'tools/_tool.py::Tool.__init__',
    'toolsets/function.py::FunctionToolset.__init__',
    'toolsets/function.py::FunctionToolset.add_function',
}


def functions() -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Yield every function with its name, `FILE::QUALNAME`."""
    for path in source_files():
        yield from inside(tree_of(path), f'{name_of(path)}::')


def inside(node: ast.AST, prefix: str) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield prefix + child.name, child
        named = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        yield from inside(child, f'{prefix}{child.name}.' if named else prefix)


def parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    names = [arg.arg for arg in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
    return len(names) - (names[:1] in (['self'], ['cls']))


def lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def body_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    start = node.body[1 if ast.get_docstring(node) and len(node.body) > 1 else 0]
    return (node.end_lineno or node.lineno) - start.lineno + 1


def test_files_are_short() -> None:
    long = [
        f'{path.relative_to(SRC)}: {count} lines'
        for path in source_files()
        if (count := len(path.read_text(encoding='utf-8').splitlines()))
        > (MOST_LINES_OF_CALLS if name_of(path).startswith('_calls/') else MOST_LINES)
    ]
    assert not long, '\n'.join(long)


def test_files_of_tests_are_short() -> None:
    counts = {path: len(path.read_text(encoding='utf-8').splitlines()) for path in sorted(TESTS.rglob('*.py'))}
    long = [
        f'{path.relative_to(TESTS)}: {count} lines'
        for path, count in counts.items()
        if count > (MOST_LINES_OF_CASES if path.match('_*_cases.py') else MOST_LINES)
    ]
    assert not long, '\n'.join(long)


def test_functions_are_short() -> None:
    counts = {name: body_lines(node) if name in MIRRORED else lines(node) for name, node in functions()}
    long = [f'{name}: {count} lines' for name, count in counts.items() if count > MOST_FUNCTION_LINES]
    assert not long, '\n'.join(long)


def test_parameter_lists_are_short() -> None:
    long = [
        f'{name}: {count} parameters'
        for name, node in functions()
        if (count := parameters(node)) > MOST_PARAMETERS and name not in MIRRORED
    ]
    assert not long, '\n'.join(long)


def test_exceptions_are_needed() -> None:
    needed = {name for name, node in functions() if parameters(node) > MOST_PARAMETERS}
    assert not MIRRORED - needed, f'take these off the table: {sorted(MIRRORED - needed)}'


def test_complexity_is_not_waived() -> None:
    waiver = re.compile(r'#\s*(ruff:\s*)?noqa(?!:)|#.*noqa:.*(C90|PLR09)')
    wrong = [
        f'{path.relative_to(SRC)}:{number}'
        for path in source_files()
        for number, line in enumerate(path.read_text(encoding='utf-8').splitlines(), 1)
        if waiver.search(line)
    ]
    assert not wrong, '\n'.join(wrong)


def test_any_is_rare() -> None:
    sources = [path.read_text(encoding='utf-8') for path in source_files()]
    count = sum(len(re.findall(r'\bAny\b', source)) for source in sources)
    lines = sum(len(source.splitlines()) for source in sources)
    assert count / lines * 1000 <= MOST_ANY, f'{count} in {lines} lines: give what is new a type'
