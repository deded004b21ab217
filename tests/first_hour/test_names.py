"""Names that a module lacks: which may be meant, of this module or of another one."""

from __future__ import annotations

import importlib
import pickle
import subprocess
import sys
import traceback
import types

import pytest

import stead
import stead.models

IMPORTS = {
    'from stead.messages import ModelRespons': "). Did you mean 'ModelResponse'?",
    'from stead.models.openai import OpenAIChatModl': "). Did you mean 'OpenAIChatModel'?",
    'from stead.models import opnai': "). Did you mean 'openai'?",
    'from stead import TestModel': '). Did you mean `from stead.models.test import TestModel`?',
    'from stead.models import TestModel': '). Did you mean `from stead.models.test import TestModel`?',
    'from stead.tools import FunctonToolset': '). Did you mean `from stead import FunctionToolset`?',
    'from stead.mcp import MCPServr': "). Did you mean 'MCPServer'?",
}
ATTRIBUTES = {
    'stead.models.TestModle': '. Did you mean `stead.models.test.TestModel`?',
    'stead.messages.ModelRespons': ". Did you mean 'ModelResponse'?",
    'stead.mesages': ". Did you mean 'messages'?",
}


@pytest.mark.parametrize('statement', IMPORTS)
def test_what_may_be_meant_by_an_import(statement: str) -> None:
    module = statement.split()[1]
    if module.endswith(('openai', 'mcp')):
        pytest.importorskip(module.rpartition('.')[2])
    with pytest.raises(ImportError) as error:
        exec(statement)
    assert str(error.value).startswith(f'cannot import name {statement.split()[-1]!r} from {module!r} (')
    assert str(error.value).endswith(IMPORTS[statement])
    assert (error.value.name, error.value.path) == (module, sys.modules[module].__file__)
    assert ''.join(traceback.format_exception(error.value)).count('Did you mean') == 1  # Python has suggestions, too


@pytest.mark.parametrize('name', ATTRIBUTES)
def test_what_may_be_meant_by_an_attribute(name: str) -> None:
    with pytest.raises(AttributeError) as error:
        eval(name)
    module, _, missing = name.rpartition('.')
    assert str(error.value) == f'module {module!r} has no attribute {missing!r}{ATTRIBUTES[name]}'
    assert ''.join(traceback.format_exception(error.value)).count('Did you mean') == 1


def test_modules_of_packages_load_when_they_are_used() -> None:
    program = 'import stead; print(stead.models.test.__name__, stead.ui.vercel_ai.__name__, hasattr(stead.ui, "webb"))'
    process = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True)
    assert (process.stdout, process.stderr) == ('stead.models.test stead.ui.vercel_ai False\n', '')


def test_nothing_is_suggested_where_nothing_is_like_it() -> None:
    with pytest.raises(ImportError) as error:
        exec('from stead.usage import Xyzzy')
    assert 'Did you mean' not in str(error.value)


@pytest.mark.parametrize('module', ['stead', 'stead.models', 'stead.messages', 'stead.models.test', 'stead.usage'])
def test_probes_are_answered(module: str) -> None:
    found = importlib.import_module(module)
    assert not hasattr(found, 'ModelRespons') and getattr(found, 'TestModle', None) is None
    assert not hasattr(found, '__wrapped__')
    names: dict[str, object] = {}
    exec(f'from {module} import *', names)
    assert not {'__getattr__', 'TestModle'} & names.keys()


def test_pickles_of_names_that_are_gone_are_attribute_errors() -> None:
    with pytest.raises(AttributeError):
        pickle.loads(b'cstead.messages\nModelRespons\n.')


def test_every_public_package_has_its_hints_whether_it_was_loaded_before_its_parent_or_after() -> None:
    program = (
        'import stead.agent, stead.models.function, stead.ui, sys\n'
        'packages = [name for name in sys.modules if name.startswith("stead") and "._" not in name '
        'and hasattr(sys.modules[name], "__path__") and name != "stead.exceptions"]\n'  # its modules are all private
        'print([name for name in packages if "__getattr__" not in vars(sys.modules[name])], len(packages) > 9)'
    )
    process = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True, check=True)
    assert process.stdout.strip() == '[] True'


PRINTED = {
    'import stead; stead.models.test.TestModle': "Did you mean: 'TestModel'?",
    'import stead; stead.models.TestModle': 'Did you mean `stead.models.test.TestModel`?',
    'from stead import Agnet': "Did you mean 'Agent'?",
}
if sys.version_info >= (3, 12):
    PRINTED['from stead.models.test import TestModle'] = "Did you mean: 'TestModel'?"


@pytest.mark.parametrize('program', PRINTED)
def test_a_program_that_ends_with_such_an_error_prints_one_hint(program: str) -> None:
    process = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True)
    assert PRINTED[program] in process.stderr
    assert process.stderr.count('Did you mean') == 1


def missing(code: str) -> Exception:
    with pytest.raises((AttributeError, ImportError)) as caught:
        exec(code)
    return caught.value


def test_assignments_to_modules_still_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stead.models, 'ALLOW_MODEL_REQUESTS', False)
    with pytest.raises(RuntimeError, match='ALLOW_MODEL_REQUESTS is False'):
        stead.models.check_allow_model_requests()


def test_modules_are_plain_modules() -> None:
    """What pickles functions with the modules that they use (cloudpickle) knows those only."""
    for module in (stead, stead.models, stead.messages, stead.models.test):
        assert type(module) is types.ModuleType
