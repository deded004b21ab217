"""Runs and their results, for the files of this room: a late module, so that importing `Agent` loads neither.

`stead.run` and `stead.result` cannot be late themselves: code that imports them must get the modules.
"""

from __future__ import annotations

from ..result import AgentRunEvents, StreamedRunResult, StreamedRunResultSync
from ..run import AgentRun, AgentRunResult

__all__ = ('AgentRun', 'AgentRunEvents', 'AgentRunResult', 'StreamedRunResult', 'StreamedRunResultSync')
