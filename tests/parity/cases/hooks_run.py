"""Hooks of the run: every way to act, under `run`, `next` and event streams."""

from _hooks import table
from pydantic_ai.run import AgentRunResult

table(
    'run',
    changed_input=lambda _: None,
    changed_result=lambda _: AgentRunResult('changed'),
    failing='model',
    modes_of={'short-circuit in wrap': ('run', 'events')},  # there is no node to step to when the run has its result
)
