"""`FinalResult`: the output of a run, and the output tool it came through."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic

from ._contracts.output import OutputDataT, OutputDataT_inv, OutputValidatorFunc
from ._kit.records import repr_without_defaults
from .output import ToolOutput


@dataclass(repr=False)
class FinalResult(Generic[OutputDataT]):
    """The output a run ends with."""

    output: OutputDataT
    """The output."""
    tool_name: str | None = None
    """Name of the output tool it came through; `None` for text and images."""
    tool_call_id: str | None = None
    """Id of the call it came through."""

    def __repr__(self) -> str:
        return repr_without_defaults(self)


__all__: tuple[str, ...] = ('FinalResult', 'OutputDataT', 'OutputDataT_inv', 'OutputValidatorFunc', 'ToolOutput')
