"""Stubs of modules whose methods take options: for type checkers with overloads, for editors with a line about each option."""

from __future__ import annotations

import ast
import copy
import subprocess
import sys
from pathlib import Path

if __package__:
    from .option_docs import with_options
else:
    from option_docs import with_options

BESIDE_DEPS = {
    'RunOptions': 'OptionsBesideDeps',
    'EventOptions': 'EventOptionsBesideDeps',
    'StreamOptions': 'StreamOptionsBesideDeps',
}
"""The options of runs without `deps`, which overloads have as a parameter of its own."""
HOMES = {**dict.fromkeys(BESIDE_DEPS.values(), '._options'), 'RunOutputDataT': '.abstract', 'overload': 'typing'}
"""Where names come from that only a stub needs."""
IGNORED = 'deps: AgentDepsT = None,'
Function = (ast.FunctionDef, ast.AsyncFunctionDef)


def module_stub(source: Path, options: dict[str, dict[str, str]]) -> str:
    """Return the stub of a module.

    A method with an argument `output_type` and options of runs has two overloads: the output is of the type of the agent, or of
    that argument.

    Args:
        source: The module.
        options: The options of each `TypedDict`, for docstrings.
    """
    tree = ast.parse(source.read_text(encoding='utf-8'))
    body = [_declared(node) for node in tree.body if not _is_expression(node)]
    statements = [node for group in body for node in group]
    names = {node.id for one in statements for node in ast.walk(one) if isinstance(node, ast.Name)}
    names |= {text for one in statements for text in _exported(one)}
    kept = [node for node in statements if not isinstance(node, (ast.Import, ast.ImportFrom)) or _keep(node, names)]
    bound = {alias.asname or alias.name for node in kept if isinstance(node, ast.ImportFrom) for alias in node.names}
    bound |= {
        target.id
        for node in kept
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    more = [ast.parse(f'from {HOMES[name]} import {name}').body[0] for name in sorted(HOMES) if name in names - bound]
    module = ast.Module([*more, *kept], [])
    text = with_options(ast.unparse(ast.fix_missing_locations(module)), options)
    text = _ruff(text, 'check', '--fix-only', '--select=I', '--config=lint.isort.combine-as-imports=true')
    text = _ruff(text, 'format', "--config=format.quote-style='single'")
    text = text.replace(f'{IGNORED}\n', f'{IGNORED}  # pyright: ignore[reportArgumentType]\n')
    return f'"""Type checkers read this for `{source.name}`. Written by `make stubs`."""\n\n{text}'


def _ruff(text: str, *arguments: str) -> str:
    """Return a stub as ruff writes it; the settings are spelled here, since a copy of the package may have none."""
    command = [sys.executable, '-m', 'ruff', *arguments, '--isolated', '--quiet', '--line-length=120']
    return subprocess.run(
        [*command, '--stdin-filename=stub.pyi', '-'], input=text, capture_output=True, text=True, check=True
    ).stdout


def _is_expression(node: ast.stmt) -> bool:
    """Return whether a statement declares nothing: a text, or a call."""
    return isinstance(node, ast.Expr)


def _exported(node: ast.stmt) -> list[str]:
    """Return the names in `__all__`."""
    if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == '__all__':
        return list(ast.literal_eval(node.value))
    return []


def _keep(node: ast.Import | ast.ImportFrom, names: set[str]) -> bool:
    """Leave only what is used in an import; return whether that is anything."""
    if isinstance(node, ast.ImportFrom) and node.module == '__future__':
        return False
    node.names = [
        alias
        for alias in node.names
        if (alias.asname or alias.name).partition('.')[0] in names or alias.asname == alias.name
    ]
    return bool(node.names)


def _declared(node: ast.stmt) -> list[ast.stmt]:
    """Return a statement of a module or a class as a stub has it."""
    if isinstance(node, ast.ClassDef):
        doc = ast.get_docstring(node)
        members = [one for member in node.body if not _is_expression(member) for one in _declared(member)]
        node.body = [*([ast.Expr(ast.Constant(doc))] if doc else []), *members] or [ast.Expr(ast.Constant(...))]
        return [node]
    if isinstance(node, Function):
        if node.name.startswith('_') and not node.name.endswith('__') and not node.decorator_list:
            return []  # no one else calls it
        return [_signature(each) for each in _overloads(node)]
    if isinstance(node, ast.AnnAssign) and node.value is not None and 'TypeAlias' not in ast.unparse(node.annotation):
        node.value = ast.Constant(...)
    return [node]


def _is_mark(decorator: ast.expr) -> bool:
    return ast.unparse(decorator).startswith('with_options(')


def _overloads(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Return the overloads of a function: one, unless it is a way to run an agent."""
    names = [arg.arg for arg in node.args.kwonlyargs]
    if not any(map(_is_mark, node.decorator_list)) or 'output_type' not in names:
        return [node]
    place = names.index('output_type')
    overloads: list[ast.FunctionDef | ast.AsyncFunctionDef] = []
    for annotation, default, output in (
        ('None', ast.Constant(None), 'OutputDataT'),
        ('OutputSpec[RunOutputDataT]', None, 'RunOutputDataT'),
    ):
        one = copy.deepcopy(node)
        one.args.kwonlyargs[place].annotation = ast.parse(annotation, mode='eval').body
        one.args.kw_defaults[place] = default
        one.args.kwonlyargs.append(ast.arg('deps', ast.Name('AgentDepsT')))
        one.args.kw_defaults.append(ast.Constant(None))
        assert one.args.kwarg is not None
        one.args.kwarg.annotation = _renamed(one.args.kwarg.annotation, BESIDE_DEPS)
        one.returns = _renamed(one.returns, {'Any': output})
        one.decorator_list.insert(0, ast.Name('overload'))
        overloads.append(one)
    return overloads


def _renamed(annotation: ast.expr | None, names: dict[str, str]) -> ast.expr:
    assert annotation is not None
    for node in ast.walk(annotation):
        if isinstance(node, ast.Name):
            node.id = names.get(node.id, node.id)
    return annotation


def _signature(node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.FunctionDef | ast.AsyncFunctionDef:
    """Return a function without its body; only the docstring of one with options stays, for the lines about them."""
    marked = any(map(_is_mark, node.decorator_list))
    node.decorator_list = [decorator for decorator in node.decorator_list if not _is_mark(decorator)]
    for defaults in (node.args.defaults, node.args.kw_defaults):
        defaults[:] = [
            default if default is None or isinstance(default, ast.Constant) else ast.Constant(...)
            for default in defaults
        ]
    doc = node.body[0] if marked and _is_expression(node.body[0]) else None
    node.body = [doc or ast.Expr(ast.Constant(...))]
    return node
