"""Hooks of output processing: every way to act, under `run`, `next` and event streams."""

from _hooks import Out, table

table(
    'output_process',
    changed_input=lambda value: Out(n=5),
    changed_result=lambda value: Out(n=50),
    failing='process',
)
