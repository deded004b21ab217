"""`ReadOnlyWorkspace`: a workspace in which nothing is changed and nothing is run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

from .protocol import CommandResult, WorkspaceCommand, WorkspaceReadOnlyError
from .workspace import WrapperWorkspace


class ReadOnlyWorkspace(WrapperWorkspace):
    """Lets files be read and listed; commands, which may change anything, are refused too."""

    @property
    def read_only(self) -> bool:
        """`True`."""
        return True

    async def run(
        self,
        command: WorkspaceCommand,
        *,
        shell: bool = False,
        env: Mapping[str, str] | None = None,
        timeout: float | None = None,
        cwd: str | None = None,
    ) -> CommandResult:
        """Raise `WorkspaceReadOnlyError`."""
        _refuse()

    async def write_bytes(self, path: str, data: bytes) -> None:
        """Raise `WorkspaceReadOnlyError`."""
        _refuse()

    async def make_dir(self, path: str) -> None:
        """Raise `WorkspaceReadOnlyError`."""
        _refuse()

    async def remove(self, path: str) -> None:
        """Raise `WorkspaceReadOnlyError`."""
        _refuse()


def _refuse() -> NoReturn:
    # A tool may show this to the model, so it says what is left to do.
    raise WorkspaceReadOnlyError(
        'This workspace is read-only: running commands and modifying files are disabled. Reading files, listing directories, '
        'and checking that paths exist are allowed.'
    )


__all__ = ('ReadOnlyWorkspace',)
