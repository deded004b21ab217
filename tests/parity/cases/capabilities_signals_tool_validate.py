"""Signals from the hooks around the validation of a tool call."""

from _capabilities import signals
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, SkipToolExecution, SkipToolValidation

signals(
    'tool_validate',
    lambda: SkipToolValidation({'x': 50}),
    lambda: CallDeferred({'m': 1}),
    lambda: ApprovalRequired({'m': 2}),
    lambda: SkipToolExecution('skipped'),
)
