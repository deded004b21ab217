"""Signals from the hooks around outputs, where they mean nothing."""

from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, SkipToolExecution

from _capabilities import signals

for point in ('output_validate', 'output_process'):
    signals(point, CallDeferred, ApprovalRequired, lambda: SkipToolExecution('s'))
