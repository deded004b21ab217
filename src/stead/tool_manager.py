"""Public address of the tool manager."""

from __future__ import annotations

# The mirrored module has the names written twice here as well, and programs import them from it.
from pydantic import ValidationError as ValidationError

from ._calls.manager import ToolManager
from ._calls.validate import ValidatedToolCall
from ._contracts.call_policy import ParallelExecutionMode
from ._contracts.run_context import RunContext as RunContext
from .output import OutputSchema as OutputSchema, OutputToolset as OutputToolset

__all__ = ('ParallelExecutionMode', 'ToolManager', 'ValidatedToolCall')
