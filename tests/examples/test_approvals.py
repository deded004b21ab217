"""`python -m examples.approvals`: it asks, it can be stopped while it waits, and it continues."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def program(path: Path, *arguments: str, answers: str = '') -> subprocess.CompletedProcess[str]:
    command = [sys.executable, '-W', 'error', '-m', 'examples.approvals', '--file', str(path), *arguments]
    return subprocess.run(command, cwd=ROOT, input=answers, capture_output=True, text=True, timeout=60)


def test_it_asks_and_does_what_was_decided(tmp_path: Path) -> None:
    process = program(tmp_path / 'a.json', 'Refund A-17 and A-18', answers='y\nn\n')
    assert (process.returncode, process.stderr) == (0, '')
    assert "order A-17 is refunded; {'order': 'A-18'} was denied." in process.stdout


def test_it_goes_on_after_it_was_left(tmp_path: Path) -> None:
    path = tmp_path / 'a.json'
    assert program(path, 'Refund A-17').returncode == 3
    assert 'decide before' in program(path, 'Refund A-18').stdout
    process = program(path, answers='y\n')
    assert (process.returncode, process.stderr) == (0, '')
    assert 'order A-17 is refunded.' in process.stdout
    assert 'Nothing waits' in program(path).stdout


def test_it_survives_being_killed_while_it_waits(tmp_path: Path) -> None:
    path = tmp_path / 'a.json'
    command = [sys.executable, '-m', 'examples.approvals', '--file', str(path), 'Refund A-17']
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert 'refund' in process.stdout.readline()
        process.kill()
    assert 'order A-17 is refunded.' in program(path, answers='y\n').stdout


def test_what_is_allowed_for_good_is_not_asked_again(tmp_path: Path) -> None:
    path = tmp_path / 'a.json'
    assert 'order A-17 is refunded.' in program(path, 'Refund A-17', answers='s\n').stdout
    again = program(path, 'Refund A-17')
    assert (again.returncode, again.stdout) == (0, 'order A-17 is refunded.\n')
    assert program(path, 'Refund A-18', answers='a\n').returncode == 0
    assert program(path, 'Refund A-19').stdout == 'order A-19 is refunded.\n'
