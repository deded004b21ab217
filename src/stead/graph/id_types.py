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
"""The id of one passing of a fork in a run."""

JoinID = NodeID
"""The id of a join."""

ForkID = NodeID
"""The id of a fork."""

TaskID = NewType('TaskID', str)
"""The id of a task in its run."""


@dataclass(frozen=True)
class ForkStackItem:
    """A branch of a fork that a task is in."""

    fork_id: ForkID
    """The fork."""
    node_run_id: NodeRunID
    """The passing of it."""
    thread_index: int
    """The branch, counted from 0."""


ForkStack = tuple[ForkStackItem, ...]
"""The forks that a task went through, outermost first."""

_PLACEHOLDER = '__placeholder__'


def generate_placeholder_node_id(label: str) -> str:
    """Generate an id for a node without one; building the graph replaces it by a readable one.

    Args:
        label: The beginning of the readable id.
    """
    return f'{_PLACEHOLDER}:{label}:{uuid4()}'


def replace_placeholder_id(node_id: NodeID) -> str:
    """Return the label of a generated id, and any other id unchanged.

    Args:
        node_id: The id.
    """
    marker, _, rest = node_id.partition(':')
    return rest.rpartition(':')[0] if marker == _PLACEHOLDER and rest else node_id


def is_placeholder_id(node_id: str) -> bool:
    """Return whether an id was generated.

    Args:
        node_id: The id.
    """
    return node_id.startswith(f'{_PLACEHOLDER}:')
