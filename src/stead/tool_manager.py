"""Public address of the tool manager."""

from __future__ import annotations

from ._calls.manager import ToolManager
from ._calls.running import ParallelExecutionMode
from ._calls.validate import ValidatedToolCall

__all__ = ('ParallelExecutionMode', 'ToolManager', 'ValidatedToolCall')
