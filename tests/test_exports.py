"""The public names are real, and said the same in every place that says them."""

from __future__ import annotations

import ast
import importlib
import pkgutil
from pathlib import Path

import pytest

import stead

SRC = Path(stead.__file__).parent


def public_modules() -> list[str]:
    names = ['stead']
    for info in pkgutil.walk_packages([str(SRC)], 'stead.'):
        if not any(part.startswith('_') for part in info.name.split('.')):
            names.append(info.name)
    return names


@pytest.mark.parametrize('name', public_modules())
def test_all_names_exist(name: str) -> None:
    module = importlib.import_module(name)
    missing = [item for item in getattr(module, '__all__', ()) if not hasattr(module, item)]
    assert not missing


def test_the_stub_and_the_table_agree() -> None:
    tree = ast.parse((SRC / '__init__.pyi').read_text())
    stub = {alias.asname or alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert stub | {'__version__'} == set(stead.__all__)


def test_unknown_names_are_attribute_errors() -> None:
    with pytest.raises(AttributeError, match='no attribute'):
        stead.no_such_name  # noqa: B018
    assert 'Agent' in dir(stead)
