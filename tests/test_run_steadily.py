"""`scripts/run_steadily.py` runs tests that failed once more, names those that pass then, and hides no failure."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent / 'scripts' / 'run_steadily.py'
TESTS = """
from pathlib import Path

def test_that_passes():
    Path('passed').open('a').write('.')

def test_that_fails_at_first():
    Path('tried').open('a').write('.')
    assert Path('tried').read_text() != '.'
"""


def run_steadily(folder: Path, tests: str) -> tuple[int, str]:
    (folder / 'test_it.py').write_text(tests)
    command = [sys.executable, str(SCRIPT), '-q', '-c', '/dev/null', '--rootdir', str(folder), 'test_it.py']
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    return done.returncode, done.stdout


def test_what_fails_at_first_is_unsteady(tmp_path: Path) -> None:
    code, output = run_steadily(tmp_path, TESTS)
    assert code == 0
    assert 'UNSTEADY: test_it.py::test_that_fails_at_first' in output
    assert ((tmp_path / 'tried').read_text(), (tmp_path / 'passed').read_text()) == ('..', '.')


@pytest.mark.parametrize('more', ['def test_that_fails():\n    assert False', 'def test_with_error(nothing): pass'])
def test_what_fails_twice_has_failed(tmp_path: Path, more: str) -> None:
    code, output = run_steadily(tmp_path, TESTS + more)
    assert code == 1
    assert output.count('UNSTEADY: ') == 1 and 'UNSTEADY: test_it.py::test_that_fails_at_first' in output


@pytest.mark.parametrize(('broken', 'code'), [('import nothing_of_this_name', 2), ('', 5)])
def test_what_cannot_be_run_has_failed(tmp_path: Path, broken: str, code: int) -> None:
    assert run_steadily(tmp_path, broken)[0] == code
