"""`UnavailableWorkspace`: the backend that is not there."""

from __future__ import annotations

from collections.abc import Mapping

from .protocol import CommandResult, SupportsCommands, WorkspaceBackend, WorkspaceCommand, WorkspaceUnavailableError


class UnavailableWorkspace(WorkspaceBackend, SupportsCommands):
    """A backend that raises `WorkspaceUnavailableError`, with a reason, for whatever it is asked to do."""

    def __init__(self, reason: str) -> None:
        """Say why.

        Args:
            reason: The text of the error.
        """
        self.reason = reason

    @property
    def ref(self) -> None:
        """`None`: there is no place."""
        return None

    async def working_dir(self) -> str:
        """Raise `WorkspaceUnavailableError`."""
        raise WorkspaceUnavailableError(self.reason)

    async def run(
        self,
        command: WorkspaceCommand,
        *,
        shell: bool = False,
        env: Mapping[str, str] | None = None,
        timeout: float | None = None,
    ) -> CommandResult:
        """Raise `WorkspaceUnavailableError`."""
        raise WorkspaceUnavailableError(self.reason)


NO_WORKSPACE = UnavailableWorkspace(
    "The run has no workspace. Pass `capabilities=[LocalWorkspace('.')]` to the agent, or "
    "`workspace=LocalWorkspaceBackend('.')` to the run, for a directory of this machine, whose commands run with all "
    'rights of this process; or a capability with a `get_workspace` of its own.'
)
"""The backend of runs that have no workspace."""

__all__ = ('NO_WORKSPACE', 'UnavailableWorkspace')
