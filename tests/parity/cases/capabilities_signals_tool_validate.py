"""Signals from the hooks around the validation of a tool call."""

from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, SkipToolExecution, SkipToolValidation

from _capabilities import signals

signals(
    'tool_validate',
    lambda: SkipToolValidation({'x': 50}),
    lambda: CallDeferred({'m': 1}),
    lambda: ApprovalRequired({'m': 2}),
    lambda: SkipToolExecution('skipped'),
)
