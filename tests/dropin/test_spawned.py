"""Processes that a program spawns have the alias that the program has."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROGRAM = """
import multiprocessing

from pydantic_ai import Agent, ModelRetry, ToolDefinition
from pydantic_ai.models.test import TestModel


def work(item):
    return item


if __name__ == '__main__':
    messages = Agent(TestModel()).run_sync('x').all_messages()
    with multiprocessing.get_context('spawn').Pool(1) as pool:
        for item in (messages, ToolDefinition(name='t')):
            assert pool.apply(work, (item,)) == item
        assert pool.apply(work, (ModelRetry('again'),)).message == 'again'
    print('done')
"""


def test_a_pool_that_spawns(tmp_path: Path) -> None:
    script = tmp_path / 'program.py'
    script.write_text(PROGRAM)
    command = [sys.executable, '-m', 'stead.dropin', str(script)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout == 'done\n', done.stderr
