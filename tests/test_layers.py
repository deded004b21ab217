"""A file imports from its own folder or from a lower layer, never up; the doors in between are listed."""

from __future__ import annotations

import ast
from pathlib import Path

SRC = Path(__file__).parent.parent / 'src' / 'stead'

LAYERS = {
    0: ('exceptions', '_kit', 'graph'),
    1: ('usage', 'settings', 'concurrency', 'format_prompt', 'function_signature', 'messages', 'native_tools', 'profiles'),
    2: ('_contracts',),
    3: ('tools',),
    3.1: ('toolsets',),
    3.2: ('output', 'result'),
    4: ('models',),
    5: ('capabilities',),
    6: ('tool_manager', '_loop', 'run'),
    7: ('agent',),
    8: ('dropin',),
}
LAYER_OF = {room: layer for layer, rooms in LAYERS.items() for room in rooms}

# Imports upwards, from a file to a room. This list may only shrink.
DOORS = {
    ('_contracts/toolset.py', 'toolsets'),  # the fluent methods
    ('_contracts/capability.py', 'capabilities'),  # `prefix_tools`
    ('_contracts/capability.py', 'tools'),  # types only
    ('_contracts/capability.py', 'toolsets'),  # types only
    ('_contracts/output.py', 'output'),  # types only
    ('_kit/json_schema.py', 'exceptions'),
}
MOST_DOORS = 6


def room_of(path: Path) -> str:
    return path.relative_to(SRC).parts[0].removesuffix('.py')


def imported_rooms(path: Path) -> set[tuple[str, bool]]:
    """Return the rooms that a file imports from, and whether the import is for types only."""
    package = ('stead', *path.relative_to(SRC).parts[:-1])
    found: set[tuple[str, bool]] = set()
    tree = ast.parse(path.read_text())
    for_types = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and 'TYPE_CHECKING' in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            target = (*base, *(node.module.split('.') if node.module else ()))
            if target[:1] != ('stead',):
                continue
            names = [target[1]] if len(target) > 1 else [alias.name for alias in node.names]
            found.update((name, id(node) in for_types) for name in names)
    return found


def test_imports_go_down() -> None:
    wrong: list[str] = []
    for path in sorted(SRC.rglob('*.py')):
        room = room_of(path)
        if room == '__init__':
            continue
        for other, _ in imported_rooms(path):
            if other != room and LAYER_OF[other] > LAYER_OF[room]:
                door = (str(path.relative_to(SRC)), other)
                if door not in DOORS:
                    wrong.append(f'{door[0]} imports from {other}')
    assert not wrong, '\n'.join(wrong)


def test_types_only_imports_stay_in_the_contracts() -> None:
    wrong = [
        str(path.relative_to(SRC))
        for path in sorted(SRC.rglob('*.py'))
        if room_of(path) != '_contracts' and any(for_types for _, for_types in imported_rooms(path))
    ]
    assert not wrong, '\n'.join(wrong)


def test_doors_are_used_and_few() -> None:
    used = {(str(path.relative_to(SRC)), room) for path in SRC.rglob('*.py') for room, _ in imported_rooms(path)}
    assert not DOORS - used, f'not used any more: {DOORS - used}'
    assert len(DOORS) <= MOST_DOORS


def test_every_file_says_what_it_is_for() -> None:
    silent = [str(path.relative_to(SRC)) for path in SRC.rglob('*.py') if not ast.get_docstring(ast.parse(path.read_text()))]
    assert not silent, '\n'.join(silent)
