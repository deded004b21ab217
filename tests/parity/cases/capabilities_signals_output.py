"""Signals from the hooks around outputs, where they mean nothing."""

from _capabilities import signals
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, SkipToolExecution

for point in ('output_validate', 'output_process'):
    signals(point, CallDeferred, ApprovalRequired, lambda: SkipToolExecution('s'))
