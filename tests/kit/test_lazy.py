"""Modules of a package that load when one of their names is used."""

from __future__ import annotations

import ast
import copy
import pickle
import sys
import traceback
from pathlib import Path

import pytest

from stead import messages

from ..loading import run_program
from ..source import nodes

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
    assert room.use() == 'loaded'
    assert sys.modules[f'{package}.other'] is room.other


def test_what_holds_it_sees_changes_of_the_module(package: str) -> None:
    room = __import__(package)
    late = room.user.other
    room.use()
    sys.modules[f'{package}.other'].name = 'changed'  # type: ignore[attr-defined]
    assert (late.name, room.use()) == ('changed', 'changed')


def test_what_was_used_has_the_namespace_of_the_module(package: str) -> None:
    room = __import__(package)
    late = room.user.other
    room.use()
    assert vars(late) is vars(sys.modules[f'{package}.other'])


def test_a_name_that_the_module_lacks_is_an_error(package: str) -> None:
    room = __import__(package)
    with pytest.raises(AttributeError, match='nothing_like_it'):
        room.user.other.nothing_like_it  # noqa: B018


def test_what_is_set_is_set_in_the_module(package: str) -> None:
    room = __import__(package)
    late = room.user.other
    room.use()
    late.name = 'changed'
    module = sys.modules[f'{package}.other']
    assert (module.name, room.use()) == ('changed', 'changed')  # type: ignore[attr-defined]
    late.Kept = int
    assert late.Kept is int
    late.Kept = str
    assert late.Kept is str
    del late.Kept
    assert not hasattr(module, 'Kept')
    assert not hasattr(late, 'Kept')


def test_copies_are_the_module(package: str) -> None:
    late = __import__(package).user.other
    module = copy.copy(late)
    assert module is sys.modules[f'{package}.other']
    assert copy.deepcopy(late) is pickle.loads(pickle.dumps(late)) is module


PUBLIC = """
import importlib, inspect, types
from stead import Agent, result, run
from stead.models import instrumented
assert not inspect.signature(Agent.run).return_annotation.startswith('runs')
for module in run, result, instrumented:
    assert type(module) is types.ModuleType, module
    assert inspect.getsource(module).startswith('\"\"\"')
    assert importlib.import_module(module.__name__) is module is importlib.reload(module)
"""


def test_public_modules_are_themselves_before_an_agent_loads_them() -> None:
    assert run_program(PUBLIC).stderr == ''


def test_only_private_modules_are_late() -> None:
    calls = [
        (name.rpartition('/')[0], node)
        for name, node in nodes()
        if isinstance(node, ast.Call) and ast.unparse(node.func) == 'late_modules'
    ]
    late = [
        f'{package}/{ast.literal_eval(argument)}'.split('/') for package, node in calls for argument in node.args[1:]
    ]
    assert late
    assert [path for path in late if not any(part.startswith('_') for part in path)] == []


def test_a_missing_name_is_a_plain_error_to_programs() -> None:
    with pytest.raises(AttributeError) as missing:
        getattr(messages, 'UserPromptPrt')
    with pytest.raises(ImportError) as imported:
        exec('from stead.messages import UserPromptPrt')
    for error, kind in ((missing.value, AttributeError), (imported.value, ImportError)):
        copy = pickle.loads(pickle.dumps(error))
        assert type(copy) is kind
        assert str(copy) == str(error)
        assert "Did you mean 'UserPromptPart'?" in traceback.format_exception_only(type(error), error)[-1]
        assert traceback.format_exception_only(type(error), error)[-1].startswith(f'{kind.__name__}: ')


def test_what_stands_in_the_place_of_import_sees_modules_that_are_late() -> None:
    """The sandbox of Temporal's workflows lets modules be read where it sees that they are imported."""
    program = """
import builtins, sys
from stead import Agent
import stead.models, stead.providers

plain, seen, before = builtins.__import__, 0, set(sys.modules)


def see(*args, **kwargs):
    global seen
    seen += 1
    try:
        return plain(*args, **kwargs)
    finally:
        seen -= 1


class Finder:
    def find_spec(self, name, path=None, target=None):
        if name.startswith('stead') and not seen:
            print(name)


builtins.__import__ = see
sys.meta_path.insert(0, Finder())
stead.models.infer_model('test')
stead.providers.infer_provider_class('openai').model_profile('gpt-5')
Agent('test').run_sync('hi')
print(len(set(sys.modules) - before) > 20)
"""
    assert run_program(program).stdout.split() == ['True']
