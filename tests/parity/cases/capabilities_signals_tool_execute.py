"""Signals from the hooks around a tool."""

from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, SkipToolExecution, SkipToolValidation

from _capabilities import signals

signals(
    'tool_execute',
    lambda: SkipToolExecution('skipped'),
    lambda: CallDeferred({'m': 1}),
    lambda: ApprovalRequired({'m': 2}),
    lambda: SkipToolValidation({'x': 50}),
)
