"""The nodes of builder graphs that are there by themselves: the start, the end, and forks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic

from typing_extensions import TypeVar

from .id_types import ForkID, JoinID, NodeID

__all__ = 'EndNode', 'Fork', 'StartNode'

StateT = TypeVar('StateT', infer_variance=True)
InputT = TypeVar('InputT', infer_variance=True)
OutputT = TypeVar('OutputT', infer_variance=True)


class StartNode(Generic[OutputT]):
    """Be where runs begin; what comes out are the inputs of the run."""

    id = NodeID('__start__')


class EndNode(Generic[InputT]):
    """Be where runs end; what comes in is the output of the run."""

    id = NodeID('__end__')

    # Type checkers take variance from methods; without one, any end would do for any output.
    def _takes(self, inputs: InputT) -> None: ...


@dataclass
class Fork(Generic[InputT, OutputT]):
    """Split one task into several that run at the same time.

    Args:
        id: The id of the node.
        is_map: Make a task for every item of what comes in, rather than one for every way out.
        downstream_join_id: The join that gives its initial value if there is nothing to map.
    """

    id: ForkID
    is_map: bool
    downstream_join_id: JoinID | None

    def _takes(self, inputs: InputT) -> OutputT: ...
