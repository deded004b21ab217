"""Importing `Agent` loads nothing that a run may never need."""

from __future__ import annotations

import subprocess
import sys

HEAVY = ('griffe', 'httpx', 'opentelemetry', 'yaml', 'mcp', 'openai', 'anthropic', 'google.genai', 'rich', 'anyio')


def test_agent_loads_nothing_heavy() -> None:
    code = f'import sys; from stead import Agent; print([name for name in {HEAVY!r} if name in sys.modules])'
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == '[]'


def test_a_run_with_a_plain_tool_loads_nothing_heavy() -> None:
    code = f"""
import sys
from stead import Agent
agent = Agent('test')

@agent.tool_plain
async def add(a: int, b: int) -> int:
    "Add two numbers."
    return a + b

assert agent.run_sync('go').output == '{{"add":0}}'
print([name for name in {HEAVY!r} if name in sys.modules])
"""
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == '[]'
