"""Files, functions and parameter lists stay small."""

from __future__ import annotations

import ast
from pathlib import Path

SRC = Path(__file__).parent.parent / 'src' / 'stead'
MOST_LINES = 600
MOST_FUNCTION_LINES = 80
MOST_PARAMETERS = 10

# Public constructors and functions whose parameters are those of the mirrored API, each spelled once.
MIRRORED = {
    'agent/agent.py': {'__init__'},
    'tools/tool.py': {'__init__'},
    'toolsets/function.py': {'__init__', 'add_function'},
    'usage.py': {'__init__'},
    'graph/graph.py': {'mermaid_code'},
}


def functions(tree: ast.Module) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]


def test_files_are_short() -> None:
    long = [
        f'{path.relative_to(SRC)}: {count} lines'
        for path in sorted(SRC.rglob('*.py'))
        if (count := len(path.read_text().splitlines())) > MOST_LINES
    ]
    assert not long, '\n'.join(long)


def test_functions_are_short() -> None:
    long: list[str] = []
    for path in sorted(SRC.rglob('*.py')):
        where = str(path.relative_to(SRC))
        for node in functions(ast.parse(path.read_text())):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > MOST_FUNCTION_LINES and node.name not in MIRRORED.get(where, ()):
                long.append(f'{where}: {node.name} has {lines} lines')
    assert not long, '\n'.join(long)


def test_parameter_lists_are_short() -> None:
    long: list[str] = []
    for path in sorted(SRC.rglob('*.py')):
        where = str(path.relative_to(SRC))
        for node in functions(ast.parse(path.read_text())):
            count = len([arg for arg in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs) if arg.arg != 'self'])
            if count > MOST_PARAMETERS and node.name not in MIRRORED.get(where, ()):
                long.append(f'{where}: {node.name} has {count} parameters')
    assert not long, '\n'.join(long)
