"""Signals from the hooks around a tool."""

from _capabilities import signals
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, SkipToolExecution, SkipToolValidation

signals(
    'tool_execute',
    lambda: SkipToolExecution('skipped'),
    lambda: CallDeferred({'m': 1}),
    lambda: ApprovalRequired({'m': 2}),
    lambda: SkipToolValidation({'x': 50}),
)
