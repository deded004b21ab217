"""Which workspace a run has."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from typing_extensions import TypeAlias

from ..exceptions import UserError
from ..messages import WorkspaceRef
from .protocol import WorkspaceBackend
from .unavailable import NO_WORKSPACE
from .workspace import Workspace

Supplier: TypeAlias = Callable[..., Any]
"""Returns the backend for a `ref`, or any for `None`; `None` if it has none."""


def choose(wanted: object, supplier: Supplier | None) -> Workspace | None:
    """Return the workspace of a run, or `None` if it has none.

    Args:
        wanted: What was passed to the run: a backend, a reference, `'new'`, or `None` for the choice of the capabilities.
        supplier: Asks the capabilities; `None` if none of them has workspaces.

    Raises:
        UserError: No capability has the workspace, or one returned something else.
        TypeError: What was passed is something else.
    """
    ref = wanted if isinstance(wanted, WorkspaceRef) else None
    if ref is None and wanted is not None and wanted != 'new':
        if not isinstance(wanted, WorkspaceBackend):
            raise TypeError(
                "`workspace` is a `Workspace`, a backend, a `WorkspaceRef(provider=..., id=...)` or 'new', not "
                f'{wanted!r}. For a directory pass `LocalWorkspaceBackend(path)`.'
            )
        return as_workspace(wanted)
    found = supplier(ref=ref) if supplier is not None else None
    if found is not None:
        return as_workspace(found, ref)
    if ref is not None:
        raise UserError(
            f'No capability of the agent has the workspace `{ref.provider}:{ref.id}` that was passed to the run. Pass the '
            'workspace itself as `workspace=...`.'
        )
    if wanted == 'new':
        raise UserError(
            "`workspace='new'` needs a capability that makes workspaces, such as `capabilities=[LocalWorkspace('.')]`."
        )
    return None


def as_workspace(found: object, ref: WorkspaceRef | None = None) -> Workspace:
    """Return what a capability has as a workspace.

    Raises:
        UserError: It is not a workspace, or another one than was asked for with `ref`.
    """
    if not isinstance(found, WorkspaceBackend):
        raise UserError(f'`get_workspace` returned {found!r}, which is not a backend of a workspace.')
    workspace = found if isinstance(found, Workspace) else Workspace(found)
    if ref is not None and workspace.ref != ref:
        raise UserError(
            f'`get_workspace` was asked for the workspace `{ref.provider}:{ref.id}`, and returned another: {workspace.ref}. '
            'Return `None` for a workspace that a capability does not have.'
        )
    return workspace


@cache
def no_workspace() -> Workspace:
    """Return the workspace of runs that have none."""
    return Workspace(NO_WORKSPACE)


__all__ = ('as_workspace', 'choose', 'no_workspace')
