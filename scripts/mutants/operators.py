"""The small changes of code that a test should notice, and where in a file they can be made.

What is changed: conditions, comparisons, numbers and truth values; statements that are left out; what functions return; what
is passed by name; what is caught, and what is gone through. What is not, because no caller can tell, or only by reading a
text: annotations, docstrings, blocks and calls for type checkers, assertions, `__slots__`, `__repr__`, and the texts of errors.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from copy import copy
from pathlib import Path
from typing import Any, NamedTuple

OPPOSITES: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Eq: ast.NotEq, ast.Is: ast.IsNot, ast.In: ast.NotIn}
NEXT_TO: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Lt: ast.LtE, ast.Gt: ast.GtE}
COMPARISONS = {old: new for pairs in (OPPOSITES, NEXT_TO) for pair in pairs.items() for old, new in (pair, pair[::-1])}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add}
TYPES_ONLY = {'cast', 'TypeVar', 'TypeAliasType', 'ParamSpec', 'overload', 'TypeAlias', 'TYPE_CHECKING'}
"""Names that mark what only type checkers read."""
NOTHING = ast.Tuple([], ast.Load())
NONE = ast.Constant(None)

Change = tuple[str, ast.AST, 'ast.AST | str']
"""What is done in a few words, the node that is replaced, and what stands there instead."""


class Mutant(NamedTuple):
    """One change of one file."""

    path: str
    """The file, from the root of the project."""
    where: str
    """The class and function that it is in."""
    operator: str
    """What is done, in a few words."""
    start: int
    """The first of the bytes that are replaced."""
    end: int
    text: str
    """What stands there instead."""
    line: int
    last_line: int
    at_import: bool
    """Whether it stands outside of functions, where it cannot be seen which tests need it."""

    def apply(self, source: bytes) -> bytes:
        """Return the changed file."""
        return source[: self.start] + self.text.encode() + source[self.end :]

    def difference(self, source: bytes) -> tuple[str, str]:
        """Return the changed lines as they are and as they become, each as one line."""
        first, last = source.rfind(b'\n', 0, self.start) + 1, source.find(b'\n', self.end)
        becomes = source[first : self.start] + self.text.encode() + source[self.end : last]
        return ' '.join(source[first:last].decode().split()), ' '.join(becomes.decode().split())


def mutants_of(root: Path, path: str) -> list[Mutant]:
    """Return all mutants of a file, in the order of its lines; those that do not compile are left out."""
    source = (root / path).read_bytes()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found: set[Mutant] = set()
    for node, names, in_function in _running(ast.parse(source), [], False):
        for operator, old, new in _changes(node):
            place: Any = old
            start, end = (
                starts[place.lineno - 1] + place.col_offset,
                starts[place.end_lineno - 1] + place.end_col_offset,
            )
            text = new if isinstance(new, str) else f'({ast.unparse(new)})'
            lines = place.lineno, place.end_lineno
            found.add(Mutant(path, '.'.join(names), operator, start, end, text, *lines, not in_function))
    return [mutant for mutant in sorted(found, key=lambda one: one[3:]) if _compiles(mutant.apply(source))]


def _compiles(source: bytes) -> bool:
    try:
        compile(source, 'mutant', 'exec', dont_inherit=True)
    except SyntaxError:
        return False
    return True


def _running(node: ast.AST, names: list[str], in_function: bool) -> Iterator[tuple[ast.AST, list[str], bool]]:
    """Yield the nodes that run, with the names around them: no annotations, docstrings, assertions, types."""
    if isinstance(node, ast.If) and _name_of(node.test) in TYPES_ONLY:
        return
    yield node, names, in_function
    match node:
        case ast.ClassDef():
            children, names = node.body, [*names, node.name]
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            if node.name == '__repr__' or any(_name_of(decorator) in TYPES_ONLY for decorator in node.decorator_list):
                return
            names = [*names, node.name]
            for default in filter(None, (*node.args.defaults, *node.args.kw_defaults)):
                yield from _running(default, names, in_function)
            children, in_function = node.body, True
        case ast.AnnAssign():
            children = [node.value] if node.value is not None and _name_of(node.annotation) not in TYPES_ONLY else []
        case ast.Assert() | ast.JoinedStr():  # before Python 3.12 what is inside of a `JoinedStr` has no right place
            children = []
        case ast.keyword(arg='repr'):  # what is printed for developers
            children = []
        case ast.Call(func=marker) if _name_of(marker) in TYPES_ONLY:
            children = []
        case _:
            children = [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.arguments)]
    for child in children:
        yield from _running(child, names, in_function)


def _changes(node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.stmt():
            yield from _changes_of_statement(node)
        case ast.BoolOp() | ast.IfExp() | ast.UnaryOp() | ast.Compare():
            yield from _changes_of_condition(node)
        case ast.BinOp(op=op) if type(op) in ARITHMETIC:
            yield 'arithmetic', node, _with(node, op=ARITHMETIC[type(op)]())
        case ast.Constant(value=bool(value)):
            yield 'constant', node, ast.Constant(not value)
        case ast.Constant(value=int(value)):
            yield 'constant', node, ast.Constant(value + 1)
        case ast.comprehension(ifs=tests):
            for test in tests:
                yield 'filter dropped', test, ast.Constant(True)
        case ast.ExceptHandler(type=ast.expr() as kind):
            yield 'catches nothing', kind, NOTHING
        case ast.keyword(arg=str(), value=value) if not isinstance(value, ast.Constant) or isinstance(value.value, str):
            yield 'keyword argument is None', value, NONE
        case _:
            pass


def _changes_of_condition(node: ast.expr) -> Iterator[Change]:
    match node:
        case ast.BoolOp(op=op, values=values):
            for value in values:
                rest = [other for other in values if other is not value]
                yield f'operand of {_word(op)} dropped', node, rest[0] if len(rest) == 1 else _with(node, values=rest)
            if len(values) == 2:
                other = ast.Or() if isinstance(op, ast.And) else ast.And()
                yield f'{_word(op)} becomes {_word(other)}', node, _with(node, op=other)
        case ast.IfExp(body=body, orelse=orelse):
            yield 'always the first', node, body
            yield 'always the second', node, orelse
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield 'not dropped', node, operand
        case ast.Compare(ops=[op]):
            yield 'comparison', node, _with(node, ops=[COMPARISONS[type(op)]()])
        case _:
            pass


def _changes_of_statement(node: ast.stmt) -> Iterator[Change]:
    match node:
        # `False` becomes `True` elsewhere, and callers that ask whether something holds cannot tell it from `None`.
        case ast.Return(value=ast.expr() as value) if not (isinstance(value, ast.Constant) and not value.value):
            yield 'returns None', value, NONE
        case ast.Expr(value=value) if not isinstance(value, (ast.Constant, ast.Yield)):
            yield 'statement dropped', node, 'pass'
        case ast.AugAssign() | ast.Delete() | ast.Raise() | ast.Return(value=None):
            yield 'statement dropped', node, 'pass'
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript(), *_]) | ast.AnnAssign(target=ast.Attribute()):
            yield 'statement dropped', node, 'pass'
        case ast.If(test=test) | ast.While(test=test) if isinstance(
            test, (ast.Name, ast.Attribute, ast.Call, ast.BoolOp)
        ):
            yield 'condition negated', test, ast.UnaryOp(ast.Not(), test)
        case ast.For(iter=items):
            yield 'loop over nothing', items, NOTHING
        case ast.Break():
            yield 'continues', node, 'continue'
        case ast.Continue():
            yield 'breaks', node, 'break'
        case _:
            pass


def _with(node: ast.AST, **fields: Any) -> ast.AST:
    new = copy(node)
    for name, value in fields.items():
        setattr(new, name, value)
    return new


def _word(op: ast.boolop) -> str:
    return 'and' if isinstance(op, ast.And) else 'or'


def _name_of(node: ast.expr) -> str | None:
    node = node.func if isinstance(node, ast.Call) else node
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else None
