"""The nodes of builder graphs that are not defined by users: the start, the end, and forks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic

from typing_extensions import TypeVar

from .id_types import ForkID, JoinID, NodeID

__all__ = 'EndNode', 'Fork', 'StartNode'

StateT = TypeVar('StateT', infer_variance=True)
InputT = TypeVar('InputT', infer_variance=True)
OutputT = TypeVar('OutputT', infer_variance=True)


class StartNode(Generic[OutputT]):
    """The node that runs begin at; its output is the input of the run."""

    id: NodeID = NodeID('__start__')


class EndNode(Generic[InputT]):
    """The node that runs end at; its input is the output of the run."""

    id: NodeID = NodeID('__end__')

    # Type checkers infer variance from methods; without one, any end would be compatible with any output.
    def _takes(self, inputs: InputT) -> None: ...


@dataclass
class Fork(Generic[InputT, OutputT]):
    """A node that splits one task into several that run at the same time."""

    id: ForkID
    """The id of the node."""
    is_map: bool
    """Create a task for every item of the input, rather than one for every path."""
    downstream_join_id: JoinID | None
    """The join that continues with its initial value if there is nothing to map."""

    def _takes(self, inputs: InputT) -> OutputT: ...


AnyFork = Fork[Any, Any]
