"""Processes that a program spawns have the alias that the program has."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import multiprocessing

from pydantic_ai import Agent, ModelRetry, ToolDefinition
from pydantic_ai.models.test import TestModel


def work(item):
    return item


def level():
    import pydantic_ai

    return pydantic_ai.__version__.partition('.')[0], Agent('test').end_strategy


if __name__ == '__main__':
    messages = Agent(TestModel()).run_sync('x').all_messages()
    with multiprocessing.get_context('spawn').Pool(1) as pool:
        for item in (messages, ToolDefinition(name='t')):
            assert pool.apply(work, (item,)) == item
        assert pool.apply(work, (ModelRetry('again'),)).message == 'again'
        pool_level = pool.apply(level)
    print('done', pool_level)
"""


@pytest.mark.parametrize(('options', 'level'), [([], "('1', 'early')"), (['--level', '2'], "('2', 'graceful')")])
def test_a_pool_that_spawns(options: list[str], level: str, tmp_path: Path) -> None:
    script = tmp_path / 'program.py'
    script.write_text(PROGRAM)
    command = [sys.executable, '-m', 'stead.dropin', *options, str(script)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout == f'done {level}\n', done.stderr
