"""`python -m stead.dropin` and `pytest -p stead.dropin`, each in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import json, pathlib, sys
import helper_beside_it
from pydantic_ai import Agent
from pydantic_ai.models.test import TestModel

if __name__ == '__main__':
    print(json.dumps({
        'argv': sys.argv,
        'folder': pathlib.Path(sys.path[0]).name,
        'output': Agent(TestModel(custom_output_text='hi')).run_sync('hello').output,
        'module': Agent.__module__.partition('.')[0],
    }))
    sys.exit(3)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / 'program'
    folder.mkdir()
    (folder / 'script.py').write_text(SCRIPT)
    (folder / 'helper_beside_it.py').write_text('import pydantic_ai')
    return folder


def run(*args: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *args], cwd=cwd, capture_output=True, text=True)


def test_a_script_runs_as_written(folder: Path) -> None:
    process = run('-m', 'stead.dropin', str(folder / 'script.py'), 'a', '-x', cwd=folder.parent)
    assert process.returncode == 3, process.stderr
    assert json.loads(process.stdout) == {
        'argv': [str(folder / 'script.py'), 'a', '-x'],
        'folder': 'program',
        'output': 'hi',
        'module': 'stead',
    }


def test_a_module_runs_as_written(folder: Path) -> None:
    process = run('-m', 'stead.dropin', '-m', 'script', 'a', cwd=folder)
    assert process.returncode == 3, process.stderr
    report = json.loads(process.stdout)
    assert (report['argv'][1:], report['output']) == (['a'], 'hi')
    assert Path(report['argv'][0]) == folder / 'script.py'


@pytest.mark.parametrize('args', [(), ('-m',), ('--what',), ('no_such_file.py',)], ids=' '.join)
def test_wrong_arguments_get_the_usage_and_no_traceback(folder: Path, args: tuple[str, ...]) -> None:
    process = run('-m', 'stead.dropin', *args, cwd=folder)
    assert process.returncode == 1
    assert 'usage: python -m stead.dropin' in process.stderr or "there is no file 'no_such_file.py'" in process.stderr
    assert 'Traceback' not in process.stderr


def test_help_goes_to_the_output(folder: Path) -> None:
    process = run('-m', 'stead.dropin', '--help', cwd=folder)
    assert (process.returncode, process.stderr) == (0, '')
    assert '-m MODULE' in process.stdout


def test_as_a_plugin_of_pytest(folder: Path) -> None:
    (folder / 'conftest.py').write_text('import pydantic_ai\n')
    (folder / 'test_it.py').write_text(
        'import stead\nfrom pydantic_ai import Agent\n\ndef test_same() -> None:\n    assert Agent is stead.Agent\n'
    )
    process = run('-m', 'pytest', '-p', 'stead.dropin', '-q', '-p', 'no:cacheprovider', '-W', 'error', cwd=folder)
    assert process.returncode == 0, process.stdout + process.stderr
    assert '1 passed' in process.stdout


def test_as_a_plugin_of_pytest_it_is_there_before_plugins_that_packages_bring_along(folder: Path) -> None:
    installed = folder / 'brings_a_plugin-1.0.dist-info'
    installed.mkdir()
    (installed / 'METADATA').write_text('Metadata-Version: 2.1\nName: brings-a-plugin\nVersion: 1.0\n')
    (installed / 'entry_points.txt').write_text('[pytest11]\nbrought = brought\n')
    (folder / 'brought.py').write_text('import pydantic_ai\nimport stead\n\nassert pydantic_ai.Agent is stead.Agent\n')
    (folder / 'test_it.py').write_text(
        "def test_brought(pytestconfig) -> None:\n    assert pytestconfig.pluginmanager.has_plugin('brought')\n"
    )
    process = run('-m', 'pytest', '-p', 'stead.dropin', '-q', '-p', 'no:cacheprovider', cwd=folder)
    assert '1 passed' in process.stdout, process.stdout + process.stderr


def test_as_a_plugin_of_pytest_with_workers(folder: Path) -> None:
    (folder / 'test_it.py').write_text(
        'def test_same() -> None:\n    import pydantic_ai\n    import stead\n    assert pydantic_ai.Agent is stead.Agent\n'
    )
    process = run('-m', 'pytest', '-p', 'stead.dropin', '-q', '-n', '1', '-p', 'no:cacheprovider', cwd=folder)
    assert '1 passed' in process.stdout, process.stdout + process.stderr
