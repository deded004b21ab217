"""`LocalWorkspaceBackend`: a directory of this machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from .._kit.aio import run_in_executor
from ..exceptions import UserError
from ..messages import WorkspaceRef
from ._confined import ConfinedFiles
from ._process import run_process
from .protocol import (
    CommandResult,
    FileEntry,
    SupportsCommands,
    SupportsFilesystem,
    SupportsRealpath,
    WorkspaceBackend,
    WorkspaceCommand,
    WorkspaceUnavailableError,
)
from .workspace import checked_command

T = TypeVar('T')

INHERITED = ('HOME', 'LANG', 'LC_ALL', 'PATH')
"""The variables of this process that commands get. Keys of vendors, which are in others, stay here."""


class LocalWorkspaceBackend(WorkspaceBackend, SupportsCommands, SupportsFilesystem, SupportsRealpath):
    """A directory of this machine.

    Operations on files stay below the root: `..`, absolute paths and symbolic links that lead out of it are refused, also when
    the directory is changed at the same time. **Commands are not confined**: they run with all rights of this process. Give
    those of a model's choice to a container, and let them be approved.
    """

    def __init__(
        self,
        working_dir: str | Path,
        *,
        env: Mapping[str, str] | None = None,
        root: str | Path | None = None,
    ) -> None:
        """Choose a directory.

        Args:
            working_dir: Where relative paths begin and commands start; `~` is the home directory.
            env: Variables for commands, in addition to `HOME`, `PATH`, `LANG` and `LC_ALL`.
            root: The directory that operations on files stay in; by default the working directory.

        Raises:
            UserError: The working directory is not below the root, or the system is not POSIX.
        """
        if os.open not in os.supports_dir_fd:
            raise UserError('`LocalWorkspaceBackend` needs a POSIX system, such as Linux, macOS or WSL.')
        self._working_dir = os.path.realpath(os.path.expanduser(working_dir))
        self._root = os.path.realpath(os.path.expanduser(root)) if root is not None else self._working_dir
        if os.path.commonpath([self._root, self._working_dir]) != self._root:
            raise UserError(
                f'The working directory {self._working_dir} of a workspace is not below its root {self._root}.'
            )
        self._env = dict(env or {})
        self._files = ConfinedFiles(self._root, protected=self._working_dir)

    def __repr__(self) -> str:
        return f'LocalWorkspaceBackend({self._working_dir!r})'

    @property
    def ref(self) -> WorkspaceRef:
        """What the directory is found by again, on this machine."""
        return WorkspaceRef(provider='local', id=self._working_dir)

    async def working_dir(self) -> str:
        """Return the directory, without symbolic links.

        Raises:
            WorkspaceUnavailableError: It does not exist.
        """
        return await run_in_executor(self._existing)

    def _existing(self) -> str:
        if not os.path.isdir(self._working_dir):
            raise WorkspaceUnavailableError(f'The directory {self._working_dir} of the workspace does not exist.')
        return self._working_dir

    async def run(
        self,
        command: WorkspaceCommand,
        *,
        shell: bool = False,
        env: Mapping[str, str] | None = None,
        timeout: float | None = None,
    ) -> CommandResult:
        """Run a command in the working directory; arguments and errors as for `SupportsCommands.run`.

        It has a process group of its own. What it leaves in the background ends with it.
        """
        command = checked_command(command, shell=shell, timeout=timeout)
        argv = ['/bin/sh', '-c', command] if isinstance(command, str) else list(command)
        inherited = {name: os.environ[name] for name in INHERITED if name in os.environ}
        variables = {**inherited, **self._env, **(env or {})}
        return await run_process(argv, await self.working_dir(), variables, timeout)

    async def read_bytes(self, path: str) -> bytes:
        """Return the content of a file."""
        return await self._do(self._files.read, path)

    async def write_bytes(self, path: str, data: bytes) -> None:
        """Write a file, and make the directories that it is in."""
        await self._do(lambda there: self._files.write(there, data), path)

    async def exists(self, path: str) -> bool:
        """Return whether there is a file or a directory."""
        return await self._do(self._files.exists, path)

    async def stat(self, path: str) -> FileEntry:
        """Return what is known of a file or a directory."""
        return await self._do(self._files.stat, path)

    async def list_dir(self, path: str) -> Sequence[FileEntry]:
        """Return the entries of a directory, by name."""
        return await self._do(self._files.entries, path)

    async def make_dir(self, path: str) -> None:
        """Make a directory, and those that it is in, unless it exists."""
        await self._do(self._files.make_dir, path)

    async def remove(self, path: str) -> None:
        """Remove a file, or a directory with all that is in it.

        Raises:
            ValueError: It is the working directory, or one that this is in.
        """
        await self._do(self._files.remove, path)

    async def realpath(self, path: str) -> str:
        """Return an absolute path without symbolic links; names that do not exist stay as they are."""
        return await self._do(self._files.realpath, path)

    async def _do(self, work: Callable[[str], T], path: str) -> T:
        """Do something with a path in a thread."""
        if not os.path.isabs(path):
            raise ValueError(
                f'A backend takes absolute paths, not {path!r}: use `Workspace(backend)` for relative ones.'
            )

        def do() -> T:
            self._existing()
            return work(path)

        return await run_in_executor(do)


__all__ = ('LocalWorkspaceBackend',)
