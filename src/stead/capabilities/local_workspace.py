"""`LocalWorkspace`: gives an agent a directory of this machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Literal

from .._contracts.capability import AbstractCapability
from .._contracts.run_context import AnyDepsT, RunContext
from .._kit.keywords import dataclass
from ..messages import WorkspaceRef
from ..workspaces import AuthorityWorkspace, LocalWorkspaceBackend, ReadOnlyWorkspace, WorkspaceBackend


@dataclass
class LocalWorkspace(AbstractCapability[AnyDepsT]):
    """Gives the tools of an agent a directory of this machine: `ctx.workspace`.

    Operations on files stay in it. **Commands do not**: they run with all rights of this process.
    """

    working_dir: str | Path
    """The directory."""
    id: str | None = field(default='local_workspace', kw_only=True)
    """The id of the capability."""
    read_only: bool = field(default=False, kw_only=True)
    """Whether nothing is changed and nothing is run there."""
    authority: Literal['operator', 'user'] = field(default='operator', kw_only=True)
    """Whose word its files are."""
    path_authority: Mapping[str, Literal['operator', 'user']] | None = field(default=None, kw_only=True)
    """The same for some files and directories."""
    env: Mapping[str, str] | None = field(default=None, kw_only=True, repr=False)
    """Variables for commands, in addition to `HOME`, `PATH`, `LANG` and `LC_ALL`."""
    root: str | Path | None = field(default=None, kw_only=True)
    """The directory that operations on files stay in; by default `working_dir`."""

    def get_workspace(self, ctx: RunContext[AnyDepsT], *, ref: WorkspaceRef | None) -> WorkspaceBackend | None:
        """Return the directory, if no other workspace is asked for."""
        backend: WorkspaceBackend = LocalWorkspaceBackend(self.working_dir, env=self.env, root=self.root)
        if ref is not None and ref != backend.ref:
            return None
        if self.authority != 'operator' or self.path_authority:
            backend = AuthorityWorkspace(backend, authority=self.authority, path_authority=self.path_authority)
        return ReadOnlyWorkspace(backend) if self.read_only else backend


__all__ = ('LocalWorkspace',)
