"""What makes an import quick is small and one thing: how much of it there is, and what scripts have written."""

from __future__ import annotations

import ast
import inspect
import re

from stead import messages, usage

from .source import SRC, name_of, nodes, source_files

MACHINERY = {'_kit/lazy.py', '_kit/missing.py', '_kit/keywords.py'}
"""Modules that are imported when they are needed, hints for names that they lack, and hints for arguments."""
MOST_LINES = 500
GENERATED = {
    'models/_known_names.py',  # the table of model names
    'capabilities/_hook_functions.py',  # public protocols: `inspect` shows the signatures that functions for hooks have
    'capabilities/_chain.py',  # the attributes of `HookChain`, one for each row of the hook table
}


def test_the_machinery_is_small() -> None:
    assert sum(len((SRC / name).read_text(encoding='utf-8').splitlines()) for name in MACHINERY) <= MOST_LINES


def test_there_is_no_other_machinery() -> None:
    """Nothing else makes, replaces or finds modules, except for `dropin`, whose subject that is."""
    words = re.compile(
        r'\b(LazyLoader|ModuleType\(|module_from_spec|sys\.modules\[[^]]+\] = |__class__ = |FunctionType\()'
    )
    found = {name_of(path) for path in source_files() if words.search(path.read_text(encoding='utf-8'))}
    assert found <= MACHINERY | EXCEPTIONS, found - MACHINERY - EXCEPTIONS


EXCEPTIONS = {
    'dropin.py',
    '_kit/option_signatures.py',  # a copy of a function, for its signature
}


def test_few_files_are_generated() -> None:
    written = re.compile(r'[Ww]ritten by `(make|python|scripts/)')
    files = [*source_files(), *SRC.rglob('*.pyi')]
    found = {name_of(path) for path in files if written.search(path.read_text(encoding='utf-8'))}
    assert {name for name in found if not name.endswith('.pyi')} == GENERATED
    assert all((SRC / name).with_suffix('.py').exists() for name in found if name.endswith('.pyi'))


def test_dataclasses_are_made_by_those_who_know_how() -> None:
    makers = {'dataclasses', 'pydantic.dataclasses', '.keywords'}
    wrong = [
        f'{name}:{node.lineno}'
        for name, node in nodes()
        if isinstance(node, ast.ImportFrom)
        and any(alias.name == 'dataclass' for alias in node.names)
        and not any(str(node.module).endswith(maker.lstrip('.')) for maker in makers)
    ]
    assert wrong == []


def test_methods_are_there_and_signatures_need_no_help() -> None:
    """Nothing is written at the first use: what a class has is what its decorator has put there."""
    for module in (messages, usage):
        for name in module.__all__:
            cls = getattr(module, name)
            if isinstance(cls, type) and '__dataclass_fields__' in vars(cls) and '__init__' in vars(cls):
                assert inspect.isfunction(vars(cls)['__init__']), cls
                assert type(vars(cls)['__dataclass_fields__']) is dict
