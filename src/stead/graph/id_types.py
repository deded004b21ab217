"""The ids of nodes, forks, joins and tasks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NewType
from uuid import uuid4

__all__ = (
    'ForkID',
    'ForkStack',
    'ForkStackItem',
    'JoinID',
    'NodeID',
    'NodeRunID',
    'TaskID',
    'generate_placeholder_node_id',
    'replace_placeholder_id',
)

NodeID = NewType('NodeID', str)
"""The id of a node in its graph."""

NodeRunID = NewType('NodeRunID', str)
"""The id of one time that a fork is passed in a run."""

JoinID = NodeID
"""The id of a join."""

ForkID = NodeID
"""The id of a fork."""

TaskID = NewType('TaskID', str)
"""The id of a task in its run."""


@dataclass(frozen=True)
class ForkStackItem:
    """Say which branch of which fork a task is in.

    Args:
        fork_id: The fork.
        node_run_id: The time it was passed.
        thread_index: The branch, counted from 0.
    """

    fork_id: ForkID
    node_run_id: NodeRunID
    thread_index: int


ForkStack = tuple[ForkStackItem, ...]
"""The forks that a task went through, outermost first."""

_PLACEHOLDER = '__placeholder__'


def generate_placeholder_node_id(label: str) -> str:
    """Make an id for a node that was given none; building the graph turns it into a readable one.

    Args:
        label: What the readable id begins with.
    """
    return f'{_PLACEHOLDER}:{label}:{uuid4()}'


def replace_placeholder_id(node_id: NodeID) -> str:
    """Return the label of an id that was made up, and any other id as it is.

    Args:
        node_id: The id.
    """
    marker, _, rest = node_id.partition(':')
    return rest.rpartition(':')[0] if marker == _PLACEHOLDER and rest else node_id


def is_placeholder_id(node_id: str) -> bool:
    """Return whether an id was made up.

    Args:
        node_id: The id.
    """
    return node_id.startswith(f'{_PLACEHOLDER}:')
