"""A file imports from its own room or from a lower layer, never up; the doors in between are listed here."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

SRC = Path(__file__).parent.parent / 'src' / 'stead'

# From the ground up.
LAYERS: list[tuple[str, ...]] = [
    ('exceptions',),
    ('_kit',),
    ('graph',),
    ('usage', 'settings', 'concurrency', 'format_prompt', 'function_signature', 'native_tools'),
    ('builtin_tools',),
    ('profiles',),
    ('messages',),
    ('_contracts',),
    ('tools', 'mcp'),
    ('toolsets',),
    ('output', 'providers'),
    ('models',),
    ('common_tools',),
    ('capabilities', 'ext'),
    ('_calls',),
    ('tool_manager', '_loop'),
    ('run',),
    ('result',),
    ('agent',),
    ('ui', 'durable_exec', '_cli', 'direct', 'retries'),
    ('__init__', 'dropin'),
]
LAYER_OF = {room: layer for layer, rooms in enumerate(LAYERS) for room in rooms}

# Imports upwards, from a file to a room. This list may only shrink, and so may the number below it.
DOORS = {
    ('_contracts/toolset.py', 'toolsets'),  # the fluent methods
    ('_contracts/capability.py', 'capabilities'),  # `prefix_tools`
    ('_contracts/capability.py', 'tools'),  # types only
    ('_contracts/capability.py', 'toolsets'),  # types only
    ('_contracts/output.py', 'output'),  # types only
    ('agent/abstract.py', '_cli'),  # `to_cli`
    ('agent/abstract.py', 'ui'),  # `to_web`
    ('common_tools/_subagent.py', 'agent'),  # tools that run an agent of their own
    ('common_tools/_subagent.py', 'capabilities'),  # the native tool of that agent
}
MOST_DOORS = 9


class Import(NamedTuple):
    """One import of something in stead."""

    source: str
    """The file, relative to the source folder."""
    line: int
    target: str
    """The dotted path below `stead`, of a module or of a name in one; empty for the top itself."""
    at_import: bool
    """Whether it happens when the file is imported, rather than in a function or for type checkers only."""

    @property
    def room(self) -> str:
        return self.target.partition('.')[0] or '__init__'


def files() -> list[Path]:
    return sorted(SRC.rglob('*.py'))


def name_of(path: Path) -> str:
    return path.relative_to(SRC).as_posix()


def imports_of(path: Path) -> Iterator[Import]:
    package = ('stead', *path.relative_to(SRC).parts[:-1])
    tree = ast.parse(path.read_text(encoding='utf-8'))
    later = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)) or is_types_only(node)
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        for target in targets_of(node, package):
            if target[:1] == ('stead',):
                yield Import(name_of(path), getattr(node, 'lineno', 0), '.'.join(target[1:]), id(node) not in later)


def targets_of(node: ast.AST, package: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if isinstance(node, ast.Import):
        yield from (tuple(alias.name.split('.')) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = (*package[: len(package) - node.level + 1],) if node.level else ()
        module = (*base, *(node.module.split('.') if node.module else ()))
        yield from ((*module, alias.name) for alias in node.names)
    elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(('import_module', '__import__')):
        if node.args and isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str):
            yield tuple(node.args[0].value.split('.'))


def is_types_only(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) in ('TYPE_CHECKING', 'typing.TYPE_CHECKING')


def room_of(path: str) -> str:
    return path.partition('/')[0].removesuffix('.py')


ALL = [found for path in files() for found in imports_of(path)]


def goes_up(found: Import) -> bool:
    """Whether an import leads to a higher layer, or sideways."""
    room = room_of(found.source)
    if room in ('__init__', found.room):
        return False
    return LAYER_OF.get(found.room, len(LAYERS)) >= LAYER_OF[room]


def test_every_room_has_a_layer() -> None:
    rooms = {room_of(name_of(path)) for path in files()}
    assert not rooms - LAYER_OF.keys(), 'give these rooms a row in LAYERS'


def test_imports_go_down() -> None:
    wrong = [
        f'{found.source}:{found.line} imports stead.{found.target}: {found.room} is not below {room_of(found.source)}'
        for found in ALL
        if goes_up(found) and (found.source, found.room) not in DOORS
    ]
    assert not wrong, '\n'.join(wrong)


def test_doors_are_used_and_few() -> None:
    used = {(found.source, found.room) for found in ALL if goes_up(found)}
    assert not DOORS - used, f'not used any more, so take them off the list: {sorted(DOORS - used)}'
    assert len(DOORS) <= MOST_DOORS


def test_imports_for_types_only_stay_in_the_contracts() -> None:
    wrong = [
        f'{name_of(path)}:{node.lineno}'
        for path in files()
        if room_of(name_of(path)) != '_contracts'
        for node in ast.walk(ast.parse(path.read_text(encoding='utf-8')))
        if isinstance(node, ast.If) and is_types_only(node)
    ]
    assert not wrong, '\n'.join(wrong)


def module_of(found: Import) -> str | None:
    """The file that an import runs first, relative to the source folder."""
    parts = found.target.split('.') if found.target else []
    for end in (len(parts), len(parts) - 1):
        base = SRC.joinpath(*parts[: max(end, 0)])
        for candidate in (base.with_suffix('.py'), base / '__init__.py'):
            if candidate.exists():
                return name_of(candidate)
    return None


def test_no_file_imports_itself_in_a_circle() -> None:
    edges: dict[str, set[str]] = {name_of(path): set() for path in files()}
    for found in ALL:
        target = module_of(found)
        if found.at_import and target is not None and target != found.source:
            edges[found.source].add(target)
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        if name in trail:
            pytest.fail('imports in a circle: ' + ' -> '.join((*trail[trail.index(name) :], name)))
        if name not in done:
            for target in sorted(edges[name]):
                visit(target, (*trail, name))
            done.add(name)

    for name in edges:
        visit(name, ())


def test_every_file_says_what_it_is_for() -> None:
    silent: list[str] = []
    for path in files():
        said = ast.get_docstring(ast.parse(path.read_text(encoding='utf-8'))) or ''
        if not said or (path.name == '__init__.py' and path.parent != SRC and '\n' in said.strip()):
            silent.append(name_of(path))
    assert not silent, 'no docstring, or a room whose docstring is longer than a line:\n' + '\n'.join(silent)
