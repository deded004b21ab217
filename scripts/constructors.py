"""The constructors of late dataclasses, as the standard library would compile them; `write_stubs.py` keeps them."""

from __future__ import annotations

import importlib
import re
import sys
import textwrap
from dataclasses import MISSING, Field, fields
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / 'src' / 'stead'
HOME = PACKAGE / '_constructors'
LINE_LENGTH = 120
LATE = re.compile(r'^from [.\w]*late import .*\bdataclass\b', re.MULTILINE)
ABOUT = """\
\"\"\"Constructors of the records in `{place}`, compiled ahead; `_kit/constructors.py` says how. Written by `make stubs`.\"\"\"

# pyright: basic

from __future__ import annotations
"""


def constructors() -> dict[Path, str]:
    """Return what is to stand in each file of `_constructors/`."""
    sys.path.insert(0, str(PACKAGE.parent))
    from stead._kit.constructors import address

    functions: dict[str, dict[str, str]] = {'stead._constructors': {}}
    for cls in late_classes():
        home, name = address(cls)
        of_room = functions.setdefault(home, {})
        assert name not in of_room, f'two constructors are called {name}'
        of_room[name] = constructor(cls, name)
    return {_path(home): _module(home, of_room) for home, of_room in functions.items()}


def late_classes() -> list[type]:
    """Return the classes of stead whose constructors are written late, by their names."""
    from stead._kit.late import has_late_constructor

    found: list[type] = []
    for path in sorted(PACKAGE.rglob('*.py')):
        if path.parent != HOME and LATE.search(path.read_text(encoding='utf-8')):
            parts = path.relative_to(PACKAGE.parent).with_suffix('').parts
            module = importlib.import_module('.'.join(parts).removesuffix('.__init__'))
            found += [
                value
                for value in vars(module).values()
                if isinstance(value, type) and value.__module__ == module.__name__ and has_late_constructor(value)
            ]
    return sorted(found, key=lambda cls: (cls.__module__, cls.__qualname__))


def constructor(cls: type, name: str) -> str:
    """Return the function that makes the constructor of a dataclass.

    Args:
        cls: The class.
        name: The name of the function.
    """
    every = fields(cls)
    takes = [_parameter(field) for field in every if field.init and not field.kw_only]
    if named := [_parameter(field) for field in every if field.init and field.kw_only]:
        takes += ['*', *named]
    frozen = cls.__dataclass_params__.frozen
    body = [line for field in every if (line := _assignment(field, frozen))]
    if hasattr(cls, '__post_init__'):
        body.append('self.__post_init__()')
    makes = [f'new_{field.name}' for field in every if field.default_factory is not MISSING]
    needs = [*(['unset'] if any('=unset' in one for one in takes) else []), *(['put'] if frozen else []), *makes]
    lines = [
        *_header('', name, needs),
        *_header('    ', '__init__', ['self', *takes]),
        *(f'        {line}' for line in body or ['pass']),
        '',
        '    return __init__',
    ]
    return '\n'.join(lines)


def _parameter(field: Field[object]) -> str:
    if field.default_factory is not MISSING:
        return f'{field.name}=unset'
    return field.name if field.default is MISSING else f'{field.name}=...'


def _assignment(field: Field[object], frozen: bool) -> str:
    value = field.name
    if field.default_factory is not MISSING:
        value = f'new_{field.name}()'
        if field.init:
            value += f' if {field.name} is unset else {field.name}'
    elif not field.init:  # which has its default from the class
        return ''
    return f'put(self, {field.name!r}, {value})' if frozen else f'self.{field.name} = {value}'


def _header(indent: str, name: str, parameters: list[str]) -> list[str]:
    return textwrap.wrap(
        f'{indent}def {name}({", ".join(parameters)}):',
        LINE_LENGTH,
        subsequent_indent=f'{indent}        ',
        break_long_words=False,
    )


def _path(home: str) -> Path:
    room = home.removeprefix('stead._constructors').removeprefix('.')
    return HOME / f'{room or "__init__"}.py'


def _module(home: str, functions: dict[str, str]) -> str:
    place = home.replace('._constructors', '')
    return '\n\n'.join((ABOUT.format(place=place), *(text + '\n' for text in functions.values()))).rstrip('\n') + '\n'
