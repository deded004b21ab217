"""A file imports from its own room, from lower storeys and from listed neighbours; the few doors upwards are listed here."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

from .source import SRC, name_of, nodes_of, source_files, tree_of


class Storey(NamedTuple):
    """A row of rooms. Its files import from their own room, from lower storeys, and from the neighbours that are listed."""

    rooms: str
    """The rooms, separated by spaces."""
    neighbours: dict[str, str]
    """For a room, the rooms of the same storey that it imports from; as few as the code has, and never in a circle."""


# From the ground up.
STOREYS = {
    'ground': Storey(
        '_kit exceptions bounds',
        {'_kit': 'exceptions', 'bounds': '_kit'},
    ),
    'nouns': Storey(
        'messages conversation _contracts usage settings concurrency external_events budgets format_prompt framing function_signature profiles native_tools builtin_tools graph workspaces',
        {
            'messages': 'format_prompt settings usage',
            'conversation': 'messages usage',
            'budgets': 'concurrency',
            'native_tools': 'messages',
            '_contracts': 'concurrency conversation function_signature messages native_tools settings usage workspaces',
            'profiles': 'messages native_tools settings',
            'workspaces': 'messages',
        },
    ),
    'parts': Storey(
        'tools toolsets output capabilities _deferral models providers mcp embeddings common_tools caches ext _show',
        {
            'toolsets': 'mcp tools',
            'output': 'tools',
            'models': 'mcp output providers',
            'embeddings': 'models providers',
            'common_tools': 'models tools toolsets',
            'caches': '_show models tools',
            '_deferral': 'tools toolsets',
            'capabilities': '_deferral _show common_tools mcp models tools toolsets',
            'ext': 'tools toolsets',
        },
    ),
    'run': Storey(
        'template _calls tool_manager _streams _loop run result _specs agent',
        {
            'tool_manager': '_calls',
            '_streams': '_calls',
            '_loop': '_calls _streams',
            'run': '_loop _streams',
            'result': '_streams run',
            '_specs': 'template',
            'agent': '_calls _loop _specs _streams result run',
        },
    ),
    'around': Storey(
        'journal conversation_store durable_exec evals ui ag_ui direct prices retries _cli __main__ testing _aliased dropin __init__',
        {
            'evals': 'journal',
            'ui': 'journal',
            'ag_ui': 'ui',
            '_cli': 'evals journal testing',
            '__main__': '_cli',
            'testing': 'journal',
            'dropin': '_aliased',
        },
    ),
}
STOREY_OF = {room: name for name, storey in STOREYS.items() for room in storey.rooms.split()}
HEIGHT_OF = {name: height for height, name in enumerate(STOREYS)}

# Imports upwards, from a file to a room. This list may only shrink, and so may the number below it.
DOORS = {
    ('_contracts/toolset.py', 'toolsets'),  # the fluent methods
    ('_contracts/capability.py', 'capabilities'),  # `prefix_tools`
    ('_contracts/model.py', 'models'),  # types only: the model that contexts hold is typed as `Model`
    ('agent/abstract.py', '_cli'),  # `to_cli`
    ('common_tools/_subagent.py', 'agent'),  # tools that run an agent of their own
    ('capabilities/_registry.py', 'durable_exec'),  # the name `Durable` in specs
    ('capabilities/__init__.py', 'journal'),  # the public name `capabilities.Journal`
}
MOST_DOORS = 7

# Imports whose module is computed: from a table of the file's own room, or for a name that the caller gives.
COMPUTED = {
    '_cli/find.py': 'the module of an agent, from the command line',
    '_kit/extras.py': 'an optional package, by a name that the caller writes',
    '_kit/lazy.py': 'names that load on first use, from tables that `named_in_tables` reads',
    '_aliased/levels.py': 'what reads a meaning, from the table of the file',
    'dropin.py': 'the aliased interface, from the tables in `_aliased/`',
    'durable_exec/_durable.py': 'an engine of the room',
    'durable_exec/temporal/_plugins.py': 'modules that the sandbox of Temporal passes through',
    'retries.py': 'the HTTP library of a request',
    'testing/_parity_child.py': 'the agent that is compared, in its process',
    'testing/_crash_story.py': 'the agent of a crash test, in its process',
}

# How things stand. These numbers may only shrink.
LARGEST_CIRCLE = 12
"""Files that reach each other, when imports in functions and for type checkers count too."""
CIRCLES = 6
"""Such groups of two files or more."""
BEHAVIOUR_OF_CONTRACTS = 108
"""Statements in functions of `_contracts/` that do something; `does_something` has the rule."""
PRIVATE_IMPORTS = 61
"""Imports of a private module or name of another room."""
PRIVATE_READS = 4
"""Places that name a private attribute which only another room defines."""


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


def imports_of(path: Path) -> Iterator[Import]:
    package = ('stead', *path.relative_to(SRC).parts[:-1])
    waiting: list[tuple[ast.AST, bool]] = [(tree_of(path), True)]
    for node, at_import in waiting:
        for target in targets_of(node, package):
            if target[:1] == ('stead',):
                yield Import(name_of(path), getattr(node, 'lineno', 0), '.'.join(target[1:]), at_import)
        inner = at_import and not is_later(node)
        waiting.extend((child, inner) for child in ast.iter_child_nodes(node))


def is_later(node: ast.AST) -> bool:
    """Whether what is inside of a node does not happen when its file is imported."""
    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)) or is_types_only(node)


def targets_of(node: ast.AST, package: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if isinstance(node, ast.Import):
        yield from (tuple(alias.name.split('.')) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = (*package[: len(package) - node.level + 1],) if node.level else ()
        module = (*base, *(node.module.split('.') if node.module else ()))
        yield from ((*module, alias.name) for alias in node.names)
    elif isinstance(node, ast.Call) and called(node).endswith(('import_module', '__import__')):
        if node.args and isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str):
            yield tuple(node.args[0].value.split('.'))


def called(node: ast.Call) -> str:
    """Return the last name of what is called."""
    return str(getattr(node.func, 'id', getattr(node.func, 'attr', '')))


def is_types_only(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) in ('TYPE_CHECKING', 'typing.TYPE_CHECKING')


def room_of(path: str) -> str:
    return path.partition('/')[0].removesuffix('.py')


@cache
def all_imports() -> tuple[Import, ...]:
    return tuple(found for path in source_files() for found in imports_of(path))


def named_in_tables() -> Iterator[Import]:
    """The imports of packages whose names load on first use: what their tables have from other rooms."""
    for path in source_files():
        package = path.relative_to(SRC).parts[:-1]
        if path.name != '__init__.py' or not package:
            continue
        for node in nodes_of(path):
            if isinstance(node, ast.Dict):
                for key in node.keys:
                    if isinstance(key, ast.Constant) and re.fullmatch(r'\.+\w[\w.]*', str(key.value)):
                        below = str(key.value).lstrip('.')
                        above = len(str(key.value)) - len(below)
                        target = '.'.join((*package[: len(package) - above], below))
                        yield Import(name_of(path), key.lineno, target, at_import=False)


def imports_and_tables() -> Iterator[Import]:
    yield from all_imports()
    yield from named_in_tables()


def goes_up(found: Import) -> bool:
    """Whether an import leads to a higher storey, or to a neighbour that is not listed."""
    room = room_of(found.source)
    if room in ('__init__', found.room):
        return False
    here, there = STOREY_OF[room], STOREY_OF.get(found.room)
    if here == there:
        return found.room not in STOREYS[here].neighbours.get(room, '').split()
    return there is None or HEIGHT_OF[there] > HEIGHT_OF[here]


def test_every_room_has_a_storey() -> None:
    rooms = {room_of(name_of(path)) for path in source_files()}
    assert rooms == STOREY_OF.keys(), 'STOREYS names each room once, and no other'
    assert len(STOREY_OF) == sum(len(storey.rooms.split()) for storey in STOREYS.values())


def test_neighbours_are_used_and_import_in_one_direction() -> None:
    used = {(room_of(found.source), found.room) for found in all_imports()}
    for name, storey in STOREYS.items():
        listed = {(room, other) for room, others in storey.neighbours.items() for other in others.split()}
        assert not listed - used, f'no longer used, so take them off the row {name!r}: {sorted(listed - used)}'
        list(TopologicalSorter({room: others.split() for room, others in storey.neighbours.items()}).static_order())


def test_modules_that_are_imported_are_named() -> None:
    """A module whose name is computed is of the same package (`import_module(f'.{name}', package)`), or it is listed."""
    computed: dict[str, int] = {}
    for path in source_files():
        for node in nodes_of(path):
            if isinstance(node, ast.Call) and called(node) in ('import_module', '__import__') and node.args:
                module = node.args[0]
                start = module.values[0] if isinstance(module, ast.JoinedStr) else module
                if not (
                    isinstance(start, ast.Constant) and (start is module or re.match(r'\.(?!\.)', str(start.value)))
                ):
                    computed[name_of(path)] = node.lineno
    wrong = [f'{name}:{line}' for name, line in computed.items() if name not in COMPUTED]
    assert not wrong, 'import by name, so that this file sees the import:\n' + '\n'.join(wrong)
    assert not COMPUTED.keys() - computed.keys(), (
        f'take these off the list: {sorted(COMPUTED.keys() - computed.keys())}'
    )


def test_every_room_is_on_the_page_of_the_architecture() -> None:
    page = (SRC.parent.parent / 'docs' / 'architecture.md').read_text(encoding='utf-8')
    rows = re.findall(
        r'^\| ((?:`[\w/.]+`(?:, )?)+) \|', page.partition('## Rooms')[2].partition('\n## ')[0], re.MULTILINE
    )
    on_the_page = {room_of(room) for row in rows for room in re.findall(r'`([\w/.]+)`', row)}
    assert on_the_page == STOREY_OF.keys()


def test_the_page_of_the_architecture_draws_the_storeys() -> None:
    page = (SRC.parent.parent / 'docs' / 'architecture.md').read_text(encoding='utf-8')
    drawn = re.findall(r'^(\w+)  +(.+(?:\n  +.+)*)', page.partition('```text\n')[2].partition('```')[0], re.MULTILINE)
    on_the_page = {name: {*re.findall(r'[\w.]+', rooms.replace('/', '').replace('.py', ''))} for name, rooms in drawn}
    assert on_the_page == {name: {*storey.rooms.split()} for name, storey in STOREYS.items()}
    assert list(on_the_page) == list(reversed(STOREYS)), 'the highest storey is at the top'


def test_imports_go_down() -> None:
    wrong = [
        f'{found.source}:{found.line} imports stead.{found.target}: {found.room} is on a higher storey than '
        f'{room_of(found.source)}, or a neighbour that its row does not list'
        for found in imports_and_tables()
        if goes_up(found) and (found.source, found.room) not in DOORS
    ]
    assert not wrong, '\n'.join(wrong)


def test_doors_are_used_and_few() -> None:
    used = {(found.source, found.room) for found in imports_and_tables() if goes_up(found)}
    assert not DOORS - used, f'no longer used, so take them off the list: {sorted(DOORS - used)}'
    assert len(DOORS) <= MOST_DOORS


def test_imports_for_types_only_stay_in_the_contracts() -> None:
    # `_kit/sdk_types.py` gives classes of other packages a name that exists at runtime, too. To type checkers, the `dataclass`
    # of `_kit/keywords.py` is that of the standard library.
    wrong = [
        f'{name_of(path)}:{node.lineno}'
        for path in source_files()
        if room_of(name_of(path)) != '_contracts' and name_of(path) not in ('_kit/sdk_types.py', '_kit/keywords.py')
        for node in nodes_of(path)
        if isinstance(node, ast.If) and is_types_only(node)
    ]
    assert not wrong, '\n'.join(wrong)


def test_the_kit_names_no_word_of_agents() -> None:
    words = re.compile(r'(?<!user-)agent|tool_retry|run_stream|guardrail|handoff')
    wrong = [
        f'{name_of(path)}:{number} {found[0]}'
        for path in source_files()
        if room_of(name_of(path)) == '_kit'
        for number, line in enumerate(path.read_text(encoding='utf-8').splitlines(), 1)
        if (found := words.search(line))
    ]
    assert not wrong, 'what `_kit/` does for a room belongs to the room:\n' + '\n'.join(wrong)


def vendor_of(path: str) -> str | None:
    """The vendor whose code a dotted path below `models` or a file in it belongs to, if it is a vendor's."""
    room, _, below = path.removesuffix('.py').replace('/', '.').partition('.')
    name = below.partition('.')[0]
    return name if room == 'models' and name in VENDORS else None


VENDORS = {path.parent.name for path in (SRC / 'models').glob('[!_]*/__init__.py')} | {'cerebras', 'ollama'}


def test_vendors_share_the_protocol_and_not_each_other() -> None:
    used = [
        (found, other)
        for found in all_imports()
        if found.source.startswith('models/')
        and (other := vendor_of(found.target)) is not None
        and other != vendor_of(found.source)
    ]
    # A vendor whose models are models of another one may subclass their public classes.
    inside = [f'{found.source}:{found.line} {found.target}' for found, _ in used if '._' in found.target]
    assert not inside, 'what vendors share belongs in models/_chat_completions:\n' + '\n'.join(inside)
    assert {(vendor_of(found.source), other) for found, other in used if vendor_of(found.source) is not None} == {
        ('cerebras', 'openai'),
        ('ollama', 'openai'),
        ('openrouter', 'openai'),
    }
    protocol = [found.target for found, _ in used if found.source.startswith('models/_chat_completions/')]
    assert not protocol, f'the protocol knows no vendor: {protocol}'


def module_of(found: Import) -> str | None:
    """The file that an import runs first, relative to the source folder."""
    parts = found.target.split('.') if found.target else []
    for end in (len(parts), len(parts) - 1):
        base = SRC.joinpath(*parts[: max(end, 0)])
        for candidate in (base.with_suffix('.py'), base / '__init__.py'):
            if candidate.exists():
                return name_of(candidate)
    return None


def edges_of(imports: Iterable[Import]) -> dict[str, set[str]]:
    """For each file, the files that it imports."""
    edges: dict[str, set[str]] = {name_of(path): set() for path in source_files()}
    for found in imports:
        target = module_of(found)
        if target is not None and target != found.source:
            edges[found.source].add(target)
    return edges


def test_no_file_imports_itself_in_a_circle() -> None:
    edges = edges_of(found for found in all_imports() if found.at_import)
    visited: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        if name in trail:
            pytest.fail('imports in a circle: ' + ' -> '.join((*trail[trail.index(name) :], name)))
        if name not in visited:
            for target in sorted(edges[name]):
                visit(target, (*trail, name))
            visited.add(name)

    for name in edges:
        visit(name, ())


def test_no_package_imports_its_public_modules() -> None:
    """A thread that imports such a module waits for its package, and one that imports the package would wait for the module.

    Python notices that, and raises a `_DeadlockError` in one of them. Names of a package load on first use instead.
    """
    found: list[str] = []
    for each in all_imports():
        package, _, file = each.source.rpartition('/')
        module = module_of(each)
        if file != '__init__.py' or not each.at_import or module is None:
            continue
        below = module.removeprefix(f'{package}/') if package else module
        if (
            module != each.source
            and below != module
            and not below.startswith('_')
            and '/_' not in f'/{package}/{below}'
        ):
            found.append(f'{each.source}:{each.line} {each.target}')
    assert found == [], 'give their names to `lazy_exports`'


def reachable(start: str, edges: dict[str, set[str]]) -> set[str]:
    reached: set[str] = set()
    waiting = [start]
    while waiting:
        for target in edges[waiting.pop()] - reached:
            reached.add(target)
            waiting.append(target)
    return reached


def circles_of(edges: dict[str, set[str]]) -> list[list[str]]:
    """The groups of files of which each reaches all the others, the largest first."""
    reached = {name: reachable(name, edges) for name in edges}
    groups = {
        tuple(sorted(other for other in reached[name] if name in reached[other]))
        for name in edges
        if name in reached[name]
    }
    return sorted(map(list, groups), key=len, reverse=True)


def test_circles_are_small_even_with_late_and_type_only_imports() -> None:
    circles = circles_of(edges_of(all_imports()))
    assert len(circles[0]) <= LARGEST_CIRCLE, f'{len(circles[0])} files import each other: {circles[0]}'
    assert len(circles) <= CIRCLES, '\n'.join(map(str, circles))


def is_plain(value: ast.expr | None) -> bool:
    """Whether a value is a name, a constant or an empty collection."""
    if isinstance(value, (ast.List, ast.Tuple)):
        return not value.elts
    return (
        value is None or isinstance(value, (ast.Name, ast.Constant)) or (isinstance(value, ast.Dict) and not value.keys)
    )


def does_something(statement: ast.stmt) -> bool:
    """Whether a statement is more than the default of an interface.

    Defaults are a docstring, `pass`, `raise`, a returned or yielded parameter or constant, and `return await
    handler(value)`, which hands on; `self.name = name` only stores what a record holds.
    """
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Pass, ast.Raise)):
        return False
    if isinstance(statement, ast.Expr):
        value = statement.value
        return not (isinstance(value, ast.Constant) or (isinstance(value, ast.Yield) and is_plain(value.value)))
    if isinstance(statement, ast.Return):
        value = statement.value
        if isinstance(value, ast.Await) and isinstance(value.value, ast.Call):
            return not (is_plain(value.value.func) and all(map(is_plain, value.value.args)))
        return not is_plain(value)
    if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Name):
        return not all(ast.unparse(target).startswith('self.') for target in statement.targets)
    return True


def test_contracts_have_little_behaviour() -> None:
    found: dict[str, int] = {}
    for path in sorted((SRC / '_contracts').rglob('*.py')):
        functions = [node for node in nodes_of(path) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
        statements = {
            (node.lineno, node.col_offset)
            for function in functions
            for node in ast.walk(function)
            if isinstance(node, ast.stmt) and does_something(node)
        }
        found[name_of(path)] = len(statements)
    assert sum(found.values()) <= BEHAVIOUR_OF_CONTRACTS, f'behaviour belongs in a room above: {found}'


def is_private(name: str) -> bool:
    return name.startswith('_') and not name.startswith('__')


def private_imports() -> Iterator[str]:
    for found in all_imports():
        room, *inner = found.target.split('.')
        if room_of(found.source) != room and any(map(is_private, inner)):
            yield f'{found.source}:{found.line} {found.target}'


def private_attributes(tree: ast.AST) -> Iterator[str]:
    """The private names that classes and modules of a file define."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            if isinstance(node.value, ast.Name) and node.value.id == 'self':
                yield node.attr
        elif isinstance(node, ast.alias):
            yield node.asname or node.name
        elif isinstance(node, ast.arg):
            yield node.arg


def private_reads() -> Iterator[str]:
    defined: dict[str, set[str]] = {}
    for path in source_files():
        defined.setdefault(room_of(name_of(path)), set()).update(filter(is_private, private_attributes(tree_of(path))))
    for path in source_files():
        own = defined[room_of(name_of(path))]
        others = {name for names in defined.values() for name in names} - own
        for node in nodes_of(path):
            if isinstance(node, ast.Attribute) and node.attr in others:
                if ast.unparse(node.value) not in ('self', 'cls', 'super()'):
                    yield f'{name_of(path)}:{node.lineno} {ast.unparse(node)}'


@pytest.mark.parametrize(
    ('find', 'most'), [(private_imports, PRIVATE_IMPORTS), (private_reads, PRIVATE_READS)], ids=['imports', 'reads']
)
def test_private_use_across_rooms(find: Callable[[], Iterator[str]], most: int) -> None:
    found = list(find())
    assert len(found) <= most, 'private things of other rooms:\n' + '\n'.join(found)


def test_every_file_says_what_it_is_for() -> None:
    silent: list[str] = []
    for path in source_files():
        docstring = ast.get_docstring(tree_of(path)) or ''
        if not docstring or (path.name == '__init__.py' and path.parent != SRC and '\n' in docstring.strip()):
            silent.append(name_of(path))
    assert not silent, 'no docstring, or a room whose docstring is longer than a line:\n' + '\n'.join(silent)
