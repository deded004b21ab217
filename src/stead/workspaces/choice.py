"""Which workspace a run has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from typing_extensions import TypeAlias

from ..exceptions import UserError
from ..messages import WorkspaceRef
from .protocol import WorkspaceBackend
from .unavailable import UnavailableWorkspace
from .workspace import Workspace

Supplier: TypeAlias = Callable[..., Any]
"""Returns the backend for a `ref`, or any for `None`; `None` if it has none."""


def choose(wanted: object, suppliers: Sequence[Supplier]) -> Workspace | None:
    """Return the workspace of a run, or `None` if it has none.

    Args:
        wanted: What was passed to the run: a backend, a reference, `'new'`, or `None` for the choice of the capabilities.
        suppliers: The functions to ask, in this order.

    Raises:
        UserError: No supplier has the workspace, or one returned something else.
        TypeError: What was passed is something else.
    """
    if isinstance(wanted, WorkspaceRef):
        return _supplied(wanted, suppliers)
    if wanted == 'new':
        found = _supplied(None, suppliers)
        if found is None:
            raise UserError(
                "`workspace='new'` needs a capability that makes workspaces, such as `capabilities=[LocalWorkspace('.')]`."
            )
        return found
    if wanted is not None:
        if not isinstance(wanted, WorkspaceBackend):
            raise TypeError(
                "`workspace` is a `Workspace`, a backend, a `WorkspaceRef(provider=..., id=...)` or 'new', not "
                f'{wanted!r}. For a directory pass `LocalWorkspaceBackend(path)`.'
            )
        return wanted if isinstance(wanted, Workspace) else Workspace(wanted)
    return _supplied(None, suppliers)


def _supplied(ref: WorkspaceRef | None, suppliers: Sequence[Supplier]) -> Workspace | None:
    for supplier in suppliers:
        found = supplier(ref=ref)
        if found is None:
            continue
        if not isinstance(found, WorkspaceBackend):
            raise UserError(f'`get_workspace` returned {found!r}, which is not a backend of a workspace.')
        return found if isinstance(found, Workspace) else Workspace(found)
    if ref is not None:
        raise UserError(
            f'No capability of the agent has the workspace `{ref.provider}:{ref.id}` that was passed to the run. Pass the '
            'workspace itself as `workspace=...`.'
        )
    return None


@cache
def no_workspace() -> Workspace:
    """Return the workspace of runs that have none."""
    return Workspace(
        UnavailableWorkspace(
            "The run has no workspace. Pass `capabilities=[LocalWorkspace('.')]` to the agent, or "
            "`workspace=LocalWorkspaceBackend('.')` to the run, for a directory of this machine, whose commands run with all "
            'rights of this process; or a capability with a `get_workspace` of its own.'
        )
    )


__all__ = ('choose', 'no_workspace')
