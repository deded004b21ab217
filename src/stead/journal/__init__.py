"""The journal: runs survive their process, and can be read afterwards."""

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
)
from .._contracts.run_state import RunState
from .._kit.lazy import lazy_modules
from ._conversations import Conversation
from ._encrypted import EncryptedStore
from ._errors import (
    ContentRedacted,
    JournalError,
    LeaseLost,
    RecordUnreadable,
    RedactionError,
    RunInUse,
    RunNotFound,
    StoreError,
    WrongKey,
)
from ._fold import RecordedRun
from ._held import Durability
from ._journal import Journal, OnChange
from ._memory import MemoryStore
from ._past import RecordedStep, WaitingRun
from ._postgres import PostgresStore
from ._redact import Redact, redact_texts
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
    'ContentRedacted',
    'Conversation',
    'Durability',
    'EncryptedStore',
    'Entry',
    'InvalidTicket',
    'Journal',
    'JournalError',
    'LeaseLost',
    'MemoryStore',
    'OnChange',
    'PostgresStore',
    'Record',
    'RecordUnreadable',
    'RecordedRun',
    'RecordedStep',
    'Redact',
    'RedactionError',
    'RequestReady',
    'ResponseTaken',
    'RunBegan',
    'RunEnded',
    'RunFact',
    'RunFilter',
    'RunInUse',
    'RunInfo',
    'RunNotFound',
    'RunState',
    'RunStatus',
    'SqliteStore',
    'Store',
    'StoreError',
    'WaitingRun',
    'Worker',
    'WrongKey',
    'redact_texts',
]

lazy_modules(__name__)
