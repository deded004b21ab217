"""Hooks of tool execution: every way to act, under `run`, `next` and event streams."""

from _hooks import table
from pydantic_ai.exceptions import SkipToolExecution

table(
    'tool_execute',
    changed_input=lambda args: {'x': 5},
    changed_result=lambda result: 'changed',
    skip=lambda: SkipToolExecution('skipped'),
    failing='tool',
)
