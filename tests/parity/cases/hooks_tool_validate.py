"""Hooks of tool validation: every way to act, under `run`, `next` and event streams."""

from _hooks import table
from pydantic_ai.exceptions import SkipToolValidation

table(
    'tool_validate',
    changed_input=lambda args: {'x': '5'},
    changed_result=lambda args: {'x': 50},
    skip=lambda: SkipToolValidation({'x': 500}),
    failing='arguments',
)
