"""The public names are real, and said the same in every place that says them."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import types
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import stead
from stead.providers import PROVIDERS

SRC = Path(stead.__file__).parent
STUBS = sorted(SRC.rglob('__init__.pyi'))


def public_modules() -> list[str]:
    found = (info.name for info in pkgutil.walk_packages([str(SRC)], 'stead.'))
    return ['stead', *(name for name in found if not any(part.startswith('_') for part in name.split('.')))]


def is_front_door(module: types.ModuleType) -> bool:
    """Whether callers import from it: the rooms, and the files beside them."""
    return hasattr(module, '__path__') or module.__name__.count('.') == 1


@pytest.mark.filterwarnings('ignore::stead._kit.warnings.PydanticAIDeprecationWarning')  # of whole modules that are old
@pytest.mark.parametrize('name', public_modules())
def test_exported_names_exist(name: str) -> None:
    try:
        module = importlib.import_module(name)
    except ImportError as error:
        if 'pip install "stead[' not in str(error):
            raise
        pytest.skip(str(error))
    exported = list(getattr(module, '__all__', ()))
    assert exported or not is_front_door(module), f'{name} has no `__all__`'
    assert [item for item in exported if not hasattr(module, item)] == []
    assert len(exported) == len(set(exported)), 'a name is there twice'


def for_other_rooms(init: Path) -> set[str]:
    """The names that a package has for other rooms only: it imports them as themselves, and leaves them out of `__all__`."""
    return {
        alias.name
        for node in ast.parse(init.read_text(encoding='utf-8')).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname == alias.name
    }


@pytest.mark.parametrize('stub', STUBS, ids=lambda path: path.parent.name)
def test_stubs_agree_with_what_they_stand_beside(stub: Path) -> None:
    package = importlib.import_module('.'.join(('stead', *stub.parent.relative_to(SRC).parts)))
    imports: dict[str, str] = {}
    for node in ast.parse(stub.read_text(encoding='utf-8')).body:
        if isinstance(node, ast.ImportFrom):
            imports.update({alias.asname or alias.name: '.' * node.level + (node.module or '') for alias in node.names})
    assert imports.keys() == set(package.__all__) | for_other_rooms(stub.with_suffix('.py'))
    for name, module in imports.items():
        here = getattr(package, name)
        there = getattr(importlib.import_module(module, package.__name__), name)
        assert here is there, f'{name} does not come from {module}'


def test_names_are_resolved_once() -> None:
    vars(stead).pop('TextPart', None)
    first = stead.TextPart
    assert vars(stead)['TextPart'] is first


def test_names_that_are_in_two_places_are_the_same() -> None:
    assert stead.Capability is stead.capabilities.Capability
    assert stead.agent.ToolDenied is stead.ToolDenied


def test_submodules_resolve_too() -> None:
    assert stead.usage is importlib.import_module('stead.usage')


@pytest.mark.parametrize('name', ['no_such_name', '__wrapped__', 'Agents'])
def test_unknown_names_are_attribute_errors(name: str) -> None:
    with pytest.raises(AttributeError, match=f"'stead' has no attribute '{name}'"):
        getattr(stead, name)


def test_dir_has_what_is_not_loaded_yet() -> None:
    assert {*stead.__all__} <= {*dir(stead)}


def test_annotations_of_providers_can_be_read_at_runtime() -> None:
    """Libraries that inject dependencies read them; they name classes of SDKs that may not be installed."""
    for row in PROVIDERS.values():
        provider = getattr(importlib.import_module(f'stead.providers.{row.module}'), row.provider)
        assert typing.get_type_hints(provider.__init__), row.provider


MOST_ANY = 148
"""Annotations of public names that are `Any` and nothing else; the number may only shrink.

Those that are left stand for what may be anything: results of tools and hooks, outputs, dependencies, metadata, JSON of
protocols, options that are passed on, and objects of SDKs whose releases differ. What has a type gets it.
"""


def annotations_of(value: object) -> Iterator[tuple[str, object]]:
    """Yield those of a function, or of the fields, the public methods and the constructor of a class.

    A method that overrides one of a base class has the signature of that one, which is counted there.
    """
    if isinstance(value, types.FunctionType):
        yield from ((f'{value.__qualname__} {name}', annotation) for name, annotation in value.__annotations__.items())
    elif isinstance(value, type):
        above = {name for base in getattr(value, '__orig_bases__', ()) for name in getattr(base, '__annotations__', ())}
        fields = {name: each for name, each in vars(value).get('__annotations__', {}).items() if name not in above}
        yield from ((f'{value.__qualname__} {name}', each) for name, each in fields.items() if not name.startswith('_'))
        inherited = {name for base in value.__mro__[1:] for name in vars(base)} - {'__init__'}
        for name, member in vars(value).items():
            own_constructor = name == '__init__' and not hasattr(value, '__dataclass_fields__')
            if own_constructor or not (name.startswith('_') or name in inherited):
                function = getattr(member, '__func__', getattr(member, 'fget', member))
                if isinstance(function, types.FunctionType):
                    yield from annotations_of(function)


def public_values() -> list[object]:
    """Return what the public modules export of stead's own, each once; a module that lacks its optional package has none."""
    public: dict[int, object] = {}
    for name in public_modules():
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        values = (getattr(module, item) for item in getattr(module, '__all__', ()))
        public.update({id(value): value for value in values if getattr(value, '__module__', '').startswith('stead')})
    return [*public.values()]


@pytest.mark.filterwarnings('ignore::stead._kit.warnings.PydanticAIDeprecationWarning')
def test_few_public_annotations_are_any() -> None:
    found = [
        where for value in public_values() for where, annotation in annotations_of(value) if annotation in ('Any', Any)
    ]
    assert len(found) <= MOST_ANY, (
        f'{len(found)} annotations are `Any`, and at most {MOST_ANY} may be: give what is new a type. Methods that override '
        'one of a base class do not count.\n' + '\n'.join(found)
    )


@pytest.mark.filterwarnings('ignore::stead._kit.warnings.PydanticAIDeprecationWarning')
def test_a_traceback_names_errors_where_they_are_imported_from() -> None:
    errors = [value for value in public_values() if isinstance(value, type) and issubclass(value, BaseException)]
    assert len(errors) > 40
    assert [error for error in errors if '._' in error.__module__] == []
