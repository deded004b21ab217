"""The pages of the API reference: which public names there are, on which page each is documented, and the text of the pages.

The names are read from the sources, by `griffe`: packages of vendors need not be installed. Names that packages resolve on
first use are read from the stubs beside them. A name that several modules export is documented once, and the other modules
link to it. What mkdocstrings makes of the pages is up to it: they hold a line `::: stead.module.Name` for each name.
"""

from __future__ import annotations

import ast
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import griffe

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = 'api'
BY_MODULE = ('models', 'ui')
"""Packages with a page for each of their modules. The modules of other packages share the page of the package."""
COMPLETE = ('stead.agent.Agent',)
"""Classes that are described with all that they inherit: one should not have to know where `Agent.run` is from."""


@dataclass
class Name:
    """A public name, where it is documented."""

    module: str
    name: str
    kind: str
    summary: str
    exported_by: list[str] = field(default_factory=list)
    """Other public modules that have it."""
    members: list[str] = field(default_factory=list)
    """What a class has: its own methods and fields."""
    inherited: list[str] = field(default_factory=list)
    """What it has from classes that have no place in the reference, and is described with it, too."""

    @property
    def path(self) -> str:
        """Where to import it from, which is its anchor, too."""
        return f'{self.module}.{self.name}'


@dataclass
class Module:
    """A public module."""

    path: str
    summary: str
    names: list[Name] = field(default_factory=list)
    """The names that are documented there."""
    elsewhere: list[Name] = field(default_factory=list)
    """The names that it exports, too."""
    foreign: list[str] = field(default_factory=list)
    """Names of other packages that it passes on."""

    @property
    def page(self) -> str:
        """The page on which it is, as a path below `docs/`."""
        parts = self.path.split('.')[1:]
        if not parts:
            return f'{FOLDER}/index.md'
        folders = parts[:2] if parts[0] in BY_MODULE else parts[:1]
        return (
            f'{FOLDER}/{"/".join(folders)}.md'
            if len(folders) > 1 or parts[0] not in BY_MODULE
            else f'{FOLDER}/{folders[0]}/index.md'
        )


def first_line(item: griffe.Object | griffe.Alias) -> str:
    """Return the first sentence or line of a docstring."""
    text = item.docstring.value.strip() if item.docstring else ''
    return ' '.join(text.split('\n\n')[0].split())


def public_modules(module: griffe.Module) -> Iterator[griffe.Module]:
    """Yield a module and those below it, without private ones."""
    yield module
    for name, member in sorted(module.members.items()):
        if not name.startswith('_') and isinstance(member, griffe.Module):
            yield from public_modules(member)


def public_names(module: griffe.Module) -> list[str]:
    """Return what a module exports: its `__all__`, the names of the stub beside it, or the classes and functions in it."""
    if module.exports:
        return [
            str(name) for name in module.exports if len(str(name)) > 1
        ]  # not the type variables of the mirrored lists
    stub = Path(str(module.filepath)).with_suffix('.pyi')
    if stub.exists():
        tree = ast.parse(stub.read_text(encoding='utf-8'))
        return [
            alias.asname or alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names
        ]
    own = [name for name, member in module.members.items() if not name.startswith('_') and not member.is_alias]
    return [name for name in own if module.members[name].is_class or module.members[name].is_function]


def home(places: list[str], canonical: str, by_table: str | None) -> str:
    """Return the module in which a name is documented.

    Args:
        places: The modules that export it.
        canonical: Where it is defined.
        by_table: The module from which the top level takes it.
    """
    if by_table in places:
        return str(by_table)
    rooms = [place for place in places if place != 'stead' and canonical.startswith(f'{place}.')]
    others = [place for place in places if place != 'stead']
    return min(rooms or others or places, key=lambda place: (place.count('.'), place))


@cache
def read() -> dict[str, Module]:
    """Return the public modules by their paths, with their names."""
    package = griffe.load('stead', search_paths=[ROOT / 'src'], resolve_aliases=True)
    assert isinstance(package, griffe.Module)
    found = list(public_modules(package))
    modules = {module.path: Module(module.path, first_line(module)) for module in found}
    places: dict[str, list[tuple[griffe.Module, str]]] = {}
    for module in found:
        for name in public_names(module):
            member = module.members.get(name)
            canonical = canonical_path(member)
            if canonical is None or not canonical.startswith('stead.') or (member is not None and member.is_module):
                modules[module.path].foreign.append(name)
            else:
                places.setdefault(canonical, []).append((module, name))
    for canonical, exports in places.items():
        same: dict[str, list[griffe.Module]] = {}
        for module, name in exports:
            same.setdefault(name, []).append(module)
        for name, exporting in same.items():
            top = package.members.get(name)
            by_table = top.target_path.rpartition('.')[0] if isinstance(top, griffe.Alias) else None
            at = home([module.path for module in exporting], canonical, by_table)
            item = next(module for module in exporting if module.path == at).members[name]
            known = Name(at, name, item.kind.value, first_line(item))
            known.exported_by = sorted(module.path for module in exporting if module.path != at)
            modules[at].names.append(known)
            for module in known.exported_by:
                modules[module].elsewhere.append(known)
    for module in modules.values():
        for name in module.names:
            if name.kind == 'class':
                add_members(name, package[name.path.removeprefix('stead.')], places)
    return modules


def add_members(name: Name, item: griffe.Object | griffe.Alias, documented: Container[str]) -> None:
    """Note what a class has, and what of it is inherited from classes that are not documented themselves."""
    if isinstance(item, griffe.Alias):
        item = item.final_target
    assert isinstance(item, griffe.Class)
    name.members = [member for member in item.members if not member.startswith('_')]
    for base in item.mro():
        if base.canonical_path.startswith('stead.') and (
            name.path in COMPLETE or base.canonical_path not in documented
        ):
            name.inherited += [
                member
                for member in base.members
                if not member.startswith('_') and member not in (*name.members, *name.inherited)
            ]


def canonical_path(member: griffe.Object | griffe.Alias | None) -> str | None:
    """Return where something is defined, or `None` if another package defines it."""
    try:
        return member.canonical_path if member is not None else None
    except (griffe.AliasResolutionError, griffe.CyclicAliasError):
        return None


def page_of(name: Name) -> str:
    """Return the page and the anchor of a name, as a path below `docs/`."""
    return f'{read()[name.module].page}#{name.path}'


def link(name: Name, page: str) -> str:
    """Return a link to where a name is documented, from another page."""
    up = '../' * page.count('/')
    target = page_of(name)
    return f'[`{name.name}`]({"" if target.startswith(f"{page}#") else up}{target.removeprefix(page)})'


def pages() -> dict[str, list[Module]]:
    """Return the modules of each page."""
    found: dict[str, list[Module]] = {}
    for module in read().values():
        found.setdefault(module.page, []).append(module)
    return found


def text_of(page: str, modules: list[Module]) -> str:
    """Return the text of a page."""
    title = modules[0].path
    lines = [f'# {title}', '', modules[0].summary, '']
    for number, module in enumerate(modules):
        if number and not module.names:
            continue  # the package has them
        if number:
            lines += [f'## {module.path}', '', module.summary, '']
        level = 3 if number else 2
        for name in ordered(module.names):
            lines += entry(name, level)
        others = [name for name in ordered(module.elsewhere) if name.exported_by]
        if others and module.path != 'stead':
            lines += ['Also here: ' + ', '.join(link(name, page) for name in others) + '.', '']
        if module.foreign:
            lines += ['From other packages: ' + ', '.join(f'`{name}`' for name in sorted(module.foreign)) + '.', '']
    return '\n'.join(lines)


def entry(name: Name, level: int) -> list[str]:
    """Return the lines that mkdocstrings replaces by what it knows about a name."""
    lines = [f'::: {name.path}', '    options:', f'      heading_level: {level}']
    if name.inherited:
        lines += ['      inherited_members:', *(f'        - {member}' for member in name.inherited)]
    return [*lines, '']


def ordered(names: Iterable[Name]) -> list[Name]:
    """Return names in the order of a page: those of the top level first, classes before functions before the rest."""
    rank = {'class': 0, 'function': 1}
    return sorted(
        names,
        key=lambda name: ('stead' not in name.exported_by, rank.get(name.kind, 2), name.name.lower()),
    )


def index(modules: dict[str, Module]) -> str:
    """Return the first page: all modules, and all names of the top level."""
    page = f'{FOLDER}/index.md'
    lines = [
        '# API reference',
        '',
        'Every public name, from its docstring. A name that several modules export is described once; `from stead import Agent`',
        'and `from stead.agent import Agent` are the same. The search finds names, too.',
        '',
        '## Modules',
        '',
        '| Module | |',
        '|---|---|',
    ]
    for path, (first, *_) in sorted(pages().items()):
        if path != page:
            lines.append(f'| [`{first.path}`]({path.removeprefix(f"{FOLDER}/")}) | {first.summary} |')
    top = modules['stead']
    lines += ['', '## Names of `stead`', '', '| Name | |', '|---|---|']
    for name in sorted([*top.elsewhere, *top.names], key=lambda name: name.name.lower()):
        lines.append(f'| {link(name, page)} | {name.summary} |')
    for name in top.names:
        lines += ['', *entry(name, 3)]
    return '\n'.join(lines) + '\n'


def navigation() -> list[object]:
    """Return the pages as `nav` of mkdocs.yml has them: the index first, packages with pages of their own as sections."""
    index, *rest = sorted(files(), key=lambda path: (path != f'{FOLDER}/index.md', path))
    nav: list[object] = [index]
    for path in rest:
        parts = path.split('/')
        if len(parts) == 2:
            nav.append(path)
        elif parts[2] == 'index.md':
            nav.append(
                {
                    f'stead.{parts[1]}': [
                        path,
                        *(other for other in rest if other.startswith(f'{FOLDER}/{parts[1]}/') and other != path),
                    ]
                }
            )
    return nav


def targets() -> dict[str, str]:
    """Return the page and the anchor of everything that a page may name: `Agent`, `Agent.run`, `stead.agent.Agent`.

    Of names that several modules define, such as the two graphs, only whole paths are known.
    """
    names = [name for module in read().values() for name in module.names]
    known: dict[str, str | None] = {}
    for name in names:
        page = read()[name.module].page
        for short in (name.name, name.path, *(f'{module}.{name.name}' for module in name.exported_by)):
            for suffix in ('', *(f'.{member}' for member in (*name.members, *name.inherited))):
                known[short + suffix] = None if short + suffix in known else f'{page}#{name.path}{suffix}'
    return {short: target for short, target in known.items() if target}


def files() -> dict[str, str]:
    """Return the text of each page of the reference, by its path below `docs/`."""
    return {
        page: index(read()) if page == f'{FOLDER}/index.md' else text_of(page, modules)
        for page, modules in sorted(pages().items())
    }
