"""For tests of agents and of what others build on stead: scripts, assertions, faults, and proofs of what survives."""

from __future__ import annotations

from .._kit.lazy import lazy_modules
from ._assertions import RunAssertions, assert_run
from ._cassette import Cassette, CassetteMiss, CassetteMode, cassette
from ._crashes import CrashReport, CrashScene, crash_everywhere
from ._faults import (
    Faults,
    connection_lost,
    empty,
    faults,
    fine,
    garbage,
    malformed_args,
    raises,
    returns,
    slow,
    status,
    timeout,
    truncated,
    works,
)
from ._scripted import (
    ScriptedModel,
    ScriptError,
    ScriptStep,
    call,
    expect,
    offered,
    prompted,
    say,
    think,
    tool_retried,
    tool_returned,
)
from ._stores import check_store
from ._tape import CassetteError

__all__ = [
    'Cassette',
    'CassetteError',
    'CassetteMiss',
    'CassetteMode',
    'CrashReport',
    'CrashScene',
    'Faults',
    'RunAssertions',
    'ScriptError',
    'ScriptStep',
    'ScriptedModel',
    'assert_run',
    'call',
    'cassette',
    'check_store',
    'connection_lost',
    'crash_everywhere',
    'empty',
    'expect',
    'faults',
    'fine',
    'garbage',
    'malformed_args',
    'offered',
    'prompted',
    'raises',
    'returns',
    'say',
    'slow',
    'status',
    'think',
    'timeout',
    'tool_retried',
    'tool_returned',
    'truncated',
    'works',
]

lazy_modules(__name__)
