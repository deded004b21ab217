"""`Workspace`: one interface for all backends, which fills in what a backend does not do itself."""

from __future__ import annotations

import math
import posixpath
import shlex
from collections.abc import Mapping, Sequence

from ..exceptions import UserError
from ..messages import WorkspaceRef
from ._commands import CommandFiles
from .protocol import (
    CommandResult,
    FileEntry,
    SupportsCommands,
    SupportsFilesystem,
    SupportsRealpath,
    WorkspaceBackend,
    WorkspaceCommand,
)
from .unavailable import UnavailableWorkspace


class Workspace(WorkspaceBackend):
    """A place to work in: files and commands.

    Paths are relative to the working directory, or absolute. Files of a backend that only runs commands are reached with those
    of a POSIX shell (`cat`, `base64`, `mkdir`, ...). Errors of files are those of `open` and `os`.
    """

    def __init__(self, backend: WorkspaceBackend) -> None:
        """Offer a backend.

        Args:
            backend: Where files are and commands run.

        Raises:
            UserError: It is not a backend.
        """
        if not isinstance(backend, WorkspaceBackend):
            raise UserError(
                f'A workspace needs a backend with `ref` and `working_dir()`, not {backend!r}. For a directory of this machine '
                'pass `LocalWorkspaceBackend(path)`.'
            )
        self._backend = backend

    @property
    def backend(self) -> WorkspaceBackend:
        """The backend; of a workspace around another one, the backend of that."""
        return self._backend.backend if isinstance(self._backend, Workspace) else self._backend

    @property
    def ref(self) -> WorkspaceRef | None:
        """What the place is found by again; `None` before it exists, or if it cannot be found again."""
        return self._backend.ref

    @property
    def attached(self) -> bool:
        """Whether there is a place behind it."""
        backend = self._backend
        return backend.attached if isinstance(backend, Workspace) else not isinstance(backend, UnavailableWorkspace)

    @property
    def read_only(self) -> bool:
        """Whether nothing is changed and nothing is run here."""
        return isinstance(self._backend, Workspace) and self._backend.read_only

    @property
    def authority(self) -> str:
        """Whose word its files are: `'operator'` or `'user'`."""
        return self._backend.authority if isinstance(self._backend, Workspace) else 'operator'

    async def authority_of(self, path: str) -> str:
        """Return whose word a file is: `'operator'` or `'user'`."""
        backend = self._backend
        return await backend.authority_of(path) if isinstance(backend, Workspace) else self.authority

    def durable_policy(self) -> tuple[object, ...]:
        """Return what has to be the same wherever the run continues."""
        return self._backend.durable_policy() if isinstance(self._backend, Workspace) else ()

    async def working_dir(self) -> str:
        """Return the absolute path of the working directory, without symbolic links."""
        return await self._backend.working_dir()

    # Paths

    async def resolve(self, path: str, *, base: str | None = None) -> str:
        """Return an absolute path without `.` and `..`; symbolic links are not followed.

        Args:
            path: The path.
            base: The absolute path that it is relative to; by default the working directory.

        Raises:
            ValueError: `base` is not absolute.
        """
        if isinstance(self._backend, Workspace):
            return await self._backend.resolve(path, base=base)
        if base is not None and not posixpath.isabs(base):
            raise ValueError(f'`base` is an absolute path, not {base!r}.')
        joined = path if posixpath.isabs(path) else posixpath.join(base or await self.working_dir(), path)
        return posixpath.normpath(f'/{joined.lstrip("/")}')

    async def realpath(self, path: str) -> str:
        """Return an absolute path without symbolic links, as far as the backend can follow them."""
        there = await self.resolve(path)
        backend = self._backend
        if isinstance(backend, SupportsRealpath):
            return await backend.realpath(there)
        if isinstance(backend, SupportsCommands):
            return await CommandFiles(backend).realpath(there)
        return there

    # Commands

    async def run(
        self,
        command: WorkspaceCommand,
        *,
        shell: bool = False,
        env: Mapping[str, str] | None = None,
        timeout: float | None = None,
        cwd: str | None = None,
    ) -> CommandResult:
        """Run a command, with nothing to read, and return how it ended.

        Args:
            command: The program and its arguments, or with `shell=True` a text for a POSIX shell.
            shell: Whether `command` is a text for the shell.
            env: Variables to add to the environment.
            timeout: Seconds that it may take.
            cwd: The directory it starts in; by default the working directory.

        Raises:
            TypeError: A text without `shell=True`, or a list with it.
            ValueError: The list is empty, or `timeout` is not a positive number.
            FileNotFoundError: There is no directory `cwd`.
            NotADirectoryError: `cwd` is a file.
            UserError: The backend runs no commands.
            WorkspaceTimeoutError: It took longer, and was ended.
            WorkspaceOutputLimitError: It printed too much, and was ended.
            WorkspaceUnavailableError: The workspace has gone.
        """
        command = checked_command(command, shell=shell, timeout=timeout)
        backend = self._backend
        if not isinstance(backend, SupportsCommands):
            raise UserError(f'The workspace runs no commands: {type(backend).__name__} has no `run`.')
        if cwd is not None:
            directory = await self.resolve(cwd)
            if not (await self.stat(directory)).is_dir:
                raise NotADirectoryError(f'{directory} is a file: a command cannot start in it.')
            if isinstance(command, str):
                command = f'cd -- {shlex.quote(directory)} || exit\n{command}'
            else:
                command = ['/bin/sh', '-c', 'cd -- "$0" && exec "$@"', directory, *command]
        return await backend.run(command, shell=shell, env=env, timeout=timeout)

    # Files

    @property
    def _files(self) -> SupportsFilesystem:
        backend = self._backend
        if isinstance(backend, SupportsFilesystem):
            return backend
        if isinstance(backend, SupportsCommands):
            return CommandFiles(backend)
        raise UserError(
            f'The workspace has no files: {type(backend).__name__} has neither `SupportsFilesystem` nor `SupportsCommands`.'
        )

    async def read_bytes(self, path: str) -> bytes:
        """Return the content of a file."""
        return await self._files.read_bytes(await self.resolve(path))

    async def read_text(self, path: str, *, encoding: str = 'utf-8') -> str:
        """Return the content of a file as text; ends of lines stay as they are."""
        return (await self.read_bytes(path)).decode(encoding)

    async def write_bytes(self, path: str, data: bytes) -> None:
        """Write a file, and make the directories that it is in."""
        await self._files.write_bytes(await self.resolve(path), data)

    async def write_text(self, path: str, content: str, *, encoding: str = 'utf-8') -> None:
        """Write a file as text, and make the directories that it is in; ends of lines stay as they are."""
        await self.write_bytes(path, content.encode(encoding))

    async def exists(self, path: str) -> bool:
        """Return whether there is a file or a directory."""
        return await self._files.exists(await self.resolve(path))

    async def stat(self, path: str) -> FileEntry:
        """Return what is known of a file or a directory."""
        return await self._files.stat(await self.resolve(path))

    async def list_dir(self, path: str) -> Sequence[FileEntry]:
        """Return the entries of a directory, by name."""
        return await self._files.list_dir(await self.resolve(path))

    async def make_dir(self, path: str) -> None:
        """Make a directory, and those that it is in, unless it exists."""
        await self._files.make_dir(await self.resolve(path))

    async def remove(self, path: str) -> None:
        """Remove a file, or a directory with all that is in it.

        Raises:
            ValueError: It is the working directory, or one that this is in.
        """
        there = await self.resolve(path)
        check_removal(there, await self.working_dir())
        await self._files.remove(there)


class WrapperWorkspace(Workspace):
    """The base class of workspaces that change what another one does, which is their backend: override what is to change."""

    def __init__(self, wrapped: WorkspaceBackend) -> None:
        """Wrap a workspace.

        Args:
            wrapped: The workspace, or a backend.
        """
        self._wrapped = wrapped if isinstance(wrapped, Workspace) else Workspace(wrapped)
        super().__init__(self._wrapped)

    @property
    def wrapped(self) -> Workspace:
        """The workspace."""
        return self._wrapped


def check_removal(path: str, working_dir: str) -> None:
    """Raise `ValueError` if an absolute path is that of the working directory, or of one that this is in."""
    if f'{working_dir}/'.startswith(f'{path.rstrip("/")}/'):
        raise ValueError(f'{path} is not removed: it is the working directory, or the working directory is in it.')


def checked_command(command: WorkspaceCommand, *, shell: bool, timeout: float | None) -> WorkspaceCommand:
    """Return a command that can be run.

    Raises:
        TypeError: A text without `shell=True`, or a list with it.
        ValueError: The list is empty, or `timeout` is not a positive number.
    """
    if isinstance(command, str) != shell:
        raise TypeError(
            'A text is a command of the shell: pass `shell=True` with it, or a list of the program and its arguments.'
            if isinstance(command, str)
            else '`shell=True` takes one text, not a list.'
        )
    if not shell and not command:
        raise ValueError('The command is empty: pass the program and its arguments.')
    if timeout is not None and not (timeout > 0 and math.isfinite(timeout)):
        raise ValueError(f'`timeout` is a positive number of seconds or `None`, not {timeout!r}.')
    return command


__all__ = ('Workspace', 'WrapperWorkspace')
