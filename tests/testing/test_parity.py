"""`python -m stead.testing.parity` runs an agent with two libraries, and says where they differ."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

SHOP = """
import os
from dataclasses import dataclass
from pydantic_ai import Agent, ModelRetry, RunContext

@dataclass
class Deps:
    clerk: str = 'Robin'

agent = Agent('openai:gpt-5', deps_type=Deps, instructions='You are the desk.', retries=2, defer_model_check=True)
there = bool(os.environ.get('OTHER_LIBRARY'))

@agent.instructions
def name(ctx: RunContext[Deps]) -> str:
    return f'Your name is {ctx.deps.clerk}.'

@agent.tool(description='Find an order, or none.' if there else 'Find an order.')
def find(ctx: RunContext[Deps], order: str) -> dict:
    if ctx.retry == 0:
        raise ModelRetry('once more')
    return {'order': order, 'lines': [1, 2.5, None]}

same = Agent('test', instructions='You are the desk.')

@same.tool_plain
def look() -> str:
    raise KeyError('nothing')

ends = Agent('test')

@ends.output_validator
def other(output: str) -> str:
    return 'other' if there else output
"""
REFERENCES = {level: os.environ.get(name) for level, name in ((1, 'REFERENCE_PYTHON'), (2, 'REFERENCE_PYTHON_2'))}
pytestmark = pytest.mark.skipif(sys.platform == 'win32', reason='the other library is a script of a shell')


class Report(NamedTuple):
    code: int
    lines: list[str]
    errors: str


def compared(place: Path, agent: str, *more: str, python: str | None = None) -> Report:
    """Compare stead with a library that stands in for the reference: stead, and an agent that sees another environment."""
    (place / 'shop.py').write_text(SHOP)
    if python is None:
        other = place / 'python'
        other.write_text(f'#!/bin/sh\nOTHER_LIBRARY=1 exec {sys.executable} -m stead.dropin "$@"\n')
        other.chmod(0o755)
        python = str(other)
    command = [sys.executable, '-m', 'stead.testing.parity', f'shop:{agent}', '--python', python, *more]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, timeout=240, check=False)
    return Report(done.returncode, done.stdout.splitlines(), done.stderr)


def test_agents_that_do_the_same(tmp_path: Path) -> None:
    (tmp_path / 'prompts.txt').write_text('Where is A-17?\n\nHello\n')
    assert compared(tmp_path, 'same', '--prompts', 'prompts.txt') == Report(
        0, ["same  'Where is A-17?'", "same  'Hello'", '2 cases, 0 different.'], ''
    )


def test_the_first_request_that_differs_is_explained(tmp_path: Path) -> None:
    code, lines, _ = compared(tmp_path, 'agent', '--deps', 'shop:Deps', '--prompt', 'Where is A-17?')
    assert code == 1
    what = "'Find an order, or none.' by pydantic-ai, 'Find an order.' by stead"
    assert lines == [
        "differs  'Where is A-17?'",
        f'  - request 1, tools, find, description: {what}',
        '1 case, 1 different.',
    ]


def test_ends_are_compared(tmp_path: Path) -> None:
    code, lines, _ = compared(tmp_path, 'ends', '--prompt', 'Hi')
    assert (code, lines[1]) == (1, "  - the end, output: 'other' by pydantic-ai, 'success (no tool calls)' by stead")


def test_recorded_responses_are_played_again(tmp_path: Path) -> None:
    (tmp_path / 'recording').mkdir()
    (tmp_path / 'recording' / 'record.py').write_text(
        'import sys\nfrom stead.testing import ScriptedModel, call, cassette\nimport shop\n'
        "with cassette('where.jsonl', mode='record'):\n"
        "    model = ScriptedModel([call('find', order='A-17'), call('find', order='A-17'), 'It is there.'])\n"
        "    shop.agent.run_sync('Where is A-17?', deps=shop.Deps(), model=model)\n"
    )
    (tmp_path / 'shop.py').write_text(SHOP)
    script = [sys.executable, '-m', 'stead.dropin', 'recording/record.py']
    environment = {**os.environ, 'PYTHONPATH': str(tmp_path)}
    subprocess.run(script, cwd=tmp_path, env=environment, check=True, timeout=240)
    same = compared(tmp_path, 'agent', '--deps', 'shop:Deps', '--cassettes', 'where.jsonl', python=sys.executable)
    assert same.code == 2  # this Python has no pydantic-ai
    assert "cannot run 'shop:agent': ModuleNotFoundError" in same.errors
    code, lines, _ = compared(tmp_path, 'agent', '--deps', 'shop:Deps', '--cassettes', 'where.jsonl')
    assert (code, lines[0]) == (1, 'differs  where.jsonl, conversation 1')


@pytest.mark.parametrize(
    ('more', 'message'),
    [
        ([], 'pass --prompt, --prompts or --cassettes'),
        (['--cassettes', 'nothing.jsonl'], 'nothing.jsonl'),
        (['--prompt', 'Hi', '--deps', 'shop:nothing'], "has no attribute 'nothing'"),
        (['--prompt', 'Hi', '--reference', 'nowhere:agent'], "No module named 'nowhere'"),
    ],
)
def test_what_cannot_be_compared(tmp_path: Path, more: list[str], message: str) -> None:
    code, lines, errors = compared(tmp_path, 'same', *more)
    assert (code, lines) == (2, [])
    assert message in errors


@pytest.mark.parametrize('level', [1, 2])
def test_with_the_reference_itself(tmp_path: Path, level: int) -> None:
    python = REFERENCES[level]
    if python is None:
        pytest.skip('the reference is not installed')
    more = ['--level', str(level), '--deps', 'shop:Deps', '--prompt', 'Where is A-17?', '--prompt', 'Hi']
    report = compared(tmp_path, 'agent', *more, python=python)
    assert (report.code, report.lines[-1]) == (0, '2 cases, 0 different.')
