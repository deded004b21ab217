"""Hooks of the processing of text outputs: every way to act, under `run`, `next` and event streams."""

from _hooks import table

table(
    'output_process',
    changed_input=lambda value: f'<{value}>',
    changed_result=lambda value: f'({value})',
    failing='process',
    output='text',
)
