"""The journal: runs that survive their process, and can be looked at afterwards."""

from __future__ import annotations

from .._contracts.facts import (
    CallAnswered,
    CallReturned,
    CallsDecided,
    CallStarting,
    CallsWait,
    RequestReady,
    ResponseTaken,
    RunBegan,
    RunEnded,
    RunFact,
    RunResumption,
)
from ._conversations import Conversation
from ._errors import JournalError, LeaseLost, RunInUse, RunNotFound, StoreError
from ._journal import Journal, OnChange, WaitingRun
from ._memory import MemoryStore
from ._past import RecordedStep
from ._recorder import Durability
from ._sqlite import SqliteStore
from ._store import Entry, Record, RunFilter, RunInfo, RunStatus, Store
from ._tickets import InvalidTicket
from ._worker import Worker

__all__ = [
    'CallAnswered',
    'CallReturned',
    'CallStarting',
    'CallsDecided',
    'CallsWait',
    'Conversation',
    'Durability',
    'Entry',
    'InvalidTicket',
    'Journal',
    'JournalError',
    'LeaseLost',
    'MemoryStore',
    'OnChange',
    'Record',
    'RecordedStep',
    'RequestReady',
    'ResponseTaken',
    'RunBegan',
    'RunEnded',
    'RunFact',
    'RunFilter',
    'RunInUse',
    'RunInfo',
    'RunNotFound',
    'RunResumption',
    'RunStatus',
    'SqliteStore',
    'Store',
    'StoreError',
    'WaitingRun',
    'Worker',
]
