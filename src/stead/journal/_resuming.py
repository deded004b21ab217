"""Runs before their first record in this process: the recorder begins or continues them."""

from __future__ import annotations

import os
from contextvars import ContextVar
from dataclasses import dataclass

from .._contracts.run_state import RunState
from ._call import CallUnderWay, call_under_way
from ._fold import RecordedRun
from ._log import RunLog
from ._store import RunInfo


@dataclass
class Resuming:
    """A run that is about to continue; the first run that begins in the context takes it."""

    recorder: object
    """The recorder that has its lease; no other one continues it."""
    log: RunLog
    state: RecordedRun
    is_over: bool
    """Whether the run has its result, which is only to be returned."""
    taken: bool = False


@dataclass(slots=True, kw_only=True)
class NewRun(RunState):
    """A run that is about to begin inside of a tool, or in a conversation."""

    recorder: object
    """The recorder that begins it."""
    place: CallUnderWay | None = None
    """The call that it is inside of."""
    key: str | None = None
    """What it is found by when the call is made again."""
    reserved: RunInfo | None = None
    """The run, if it has taken its turn in a conversation."""


resuming_run: ContextVar[Resuming | None] = ContextVar('stead_resuming_run', default=None)
if hasattr(os, 'register_at_fork'):
    # What a forked process does belongs to no run of its parent, and to no call.
    os.register_at_fork(after_in_child=lambda: (call_under_way.set(None), resuming_run.set(None)))
