"""What `make` installs for the examples, and what it says when it cannot."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(shutil.which('make') is None, reason='make is not installed')


def make(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `make` in a folder that has the Makefile and no environment."""
    for name in ('Makefile', 'pyproject.toml'):
        shutil.copy(ROOT / name, folder)
    keep = {name: value for name, value in os.environ.items() if not name.startswith('MAKE')}
    return subprocess.run(['make', *arguments], cwd=folder, env=keep, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize(
    ('target', 'installed'),
    [
        (['durable'], "-e '.'"),
        (['demo'], "-e '.[local]'"),
        (['ask'], "-e '.[local]'"),
        (['demo', 'MODEL=openai:gpt-5'], "-e '.[dev]'"),
    ],
)
def test_an_example_installs_what_it_needs(target: list[str], installed: str, tmp_path: Path) -> None:
    planned = make(tmp_path, '-n', *target)
    assert planned.returncode == 0
    assert installed in planned.stdout
    assert ("'.[dev]'" in planned.stdout) == ('dev' in installed)


def test_a_failed_installation_says_what_it_needs_and_is_done_again(tmp_path: Path) -> None:
    for _ in range(2):
        failed = make(tmp_path, 'durable', 'PYTHON=/bin/false')
        assert failed.returncode != 0
        assert 'Installing into .venv-demo, which needs a package registry' in failed.stdout
        assert 'can pip or uv reach a package registry?' in failed.stderr
    assert not (tmp_path / '.venv-demo' / '.bare-installed').exists()
