"""Modules of a package that load when one of their names is used."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

PACKAGE = """
from stead._kit.lazy import late_modules
globals().update(late_modules(__name__, 'other'))
from .user import use
"""
USER = """
from . import other

def use():
    return other.name
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    name = 'package_with_late_modules'
    room = tmp_path / name
    room.mkdir()
    (room / '__init__.py').write_text(PACKAGE)
    (room / 'user.py').write_text(USER)
    (room / 'other.py').write_text('name = "loaded"\n')
    monkeypatch.syspath_prepend(tmp_path)
    for module in [each for each in sys.modules if each.partition('.')[0] == name]:
        monkeypatch.delitem(sys.modules, module)
    return name


def test_it_loads_when_a_name_is_used(package: str) -> None:
    room = __import__(package)
    assert f'{package}.other' not in sys.modules
    assert 'name' in dir(room.other)
    assert room.use() == 'loaded'
    assert sys.modules[f'{package}.other'] is room.other


def test_what_holds_it_sees_changes_of_the_module(package: str) -> None:
    room = __import__(package)
    held = room.user.other
    room.use()
    sys.modules[f'{package}.other'].name = 'changed'  # type: ignore[attr-defined]
    assert (held.name, room.use()) == ('changed', 'changed')


def test_functions_and_classes_are_looked_up_once(package: str) -> None:
    room = __import__(package)
    held = room.user.other
    room.use()
    module = sys.modules[f'{package}.other']
    module.Kept = Kept = type('Kept', (), {})  # type: ignore[attr-defined]
    assert held.Kept is Kept
    assert vars(held)['Kept'] is Kept
    assert 'name' not in vars(held)


def test_a_name_that_the_module_lacks_is_an_error(package: str) -> None:
    room = __import__(package)
    with pytest.raises(AttributeError, match='nothing_like_it'):
        room.user.other.nothing_like_it  # noqa: B018
