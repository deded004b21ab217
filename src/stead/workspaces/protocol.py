"""What a backend of a workspace offers, and the errors of all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, Union, runtime_checkable

from typing_extensions import TypeAlias

from ..messages import WorkspaceRef

WorkspaceCommand: TypeAlias = Union[str, Sequence[str]]
"""A program with its arguments, or a text for the shell."""


@dataclass(frozen=True, kw_only=True)
class CommandResult:
    """How a command ended."""

    exit_code: int
    """Its exit status; 127 if there is no such program, 126 if it cannot be run, 128 and the signal if a signal ended it."""
    stdout: str
    """Its output; bytes that are not UTF-8 are replaced."""
    stderr: str
    """Its error output."""


@dataclass(frozen=True, kw_only=True)
class FileEntry:
    """A file or a directory."""

    name: str
    """Its name."""
    path: str
    """Its absolute path."""
    is_dir: bool
    """Whether it is a directory, or a symbolic link to one."""
    size: int | None
    """Its size in bytes; `None` for directories, and where the backend does not say."""


class WorkspaceError(RuntimeError):
    """An operation of a workspace failed; the base class of the errors that are its own."""


class WorkspaceOutputLimitError(WorkspaceError):
    """A command printed more than the workspace takes, and was ended; or a file is too large to be read."""

    def __init__(self, message: str, *, limit: int, stdout: str = '', stderr: str = '') -> None:
        """Make the error.

        Args:
            message: What happened.
            limit: The bytes that are allowed.
            stdout: The beginning of the output.
            stderr: The beginning of the error output.
        """
        super().__init__(message)
        self.limit = limit
        self.stdout = stdout
        self.stderr = stderr


class WorkspaceReadOnlyError(WorkspaceError, PermissionError):
    """The workspace is read-only."""


class WorkspaceTimeoutError(WorkspaceError, TimeoutError):
    """A command took longer than it may, and was ended."""

    def __init__(self, message: str, *, stdout: str = '', stderr: str = '') -> None:
        """Make the error.

        Args:
            message: What happened.
            stdout: The output so far.
            stderr: The error output so far.
        """
        super().__init__(message)
        self.stdout = stdout
        self.stderr = stderr


class WorkspaceUnavailableError(WorkspaceError):
    """There is no workspace, or it has gone."""


@runtime_checkable
class WorkspaceBackend(Protocol):
    """A place to work in. Its other abilities are the `Supports...` protocols."""

    @property
    def ref(self) -> WorkspaceRef | None:
        """What the place is found by again; `None` before it exists, or if it cannot be found again."""
        ...

    async def working_dir(self) -> str:
        """Return the absolute path, without symbolic links, of the directory in which commands start.

        Raises:
            WorkspaceUnavailableError: It does not exist.
        """
        ...


@runtime_checkable
class SupportsCommands(Protocol):
    """A backend that runs commands. A `Workspace` can do all else with them."""

    async def run(
        self,
        command: WorkspaceCommand,
        *,
        shell: bool = False,
        env: Mapping[str, str] | None = None,
        timeout: float | None = None,
    ) -> CommandResult:
        """Run a command in the working directory, with nothing to read, and return how it ended.

        Args:
            command: The program and its arguments, or with `shell=True` a text for a POSIX shell.
            shell: Whether `command` is a text for the shell.
            env: Variables to add to the environment.
            timeout: Seconds that it may take.

        Raises:
            WorkspaceTimeoutError: It took longer, and was ended.
            WorkspaceOutputLimitError: It printed too much, and was ended.
            WorkspaceUnavailableError: The workspace has gone.
        """
        ...


@runtime_checkable
class SupportsFilesystem(Protocol):
    """A backend with operations on files. Paths are absolute; errors are those of `open` and `os`."""

    async def read_bytes(self, path: str) -> bytes:
        """Return the content of a file."""
        ...

    async def write_bytes(self, path: str, data: bytes) -> None:
        """Write a file, and make the directories that it is in."""
        ...

    async def exists(self, path: str) -> bool:
        """Return whether there is a file or a directory."""
        ...

    async def stat(self, path: str) -> FileEntry:
        """Return what is known of a file or a directory."""
        ...

    async def list_dir(self, path: str) -> Sequence[FileEntry]:
        """Return the entries of a directory, by name."""
        ...

    async def make_dir(self, path: str) -> None:
        """Make a directory, and those that it is in, unless it exists."""
        ...

    async def remove(self, path: str) -> None:
        """Remove a file, or a directory with all that is in it."""
        ...


@runtime_checkable
class SupportsRealpath(Protocol):
    """A backend that resolves symbolic links itself."""

    async def realpath(self, path: str) -> str:
        """Return an absolute path without symbolic links; names that do not exist stay as they are."""
        ...


__all__ = (
    'CommandResult',
    'FileEntry',
    'SupportsCommands',
    'SupportsFilesystem',
    'SupportsRealpath',
    'WorkspaceBackend',
    'WorkspaceCommand',
    'WorkspaceError',
    'WorkspaceOutputLimitError',
    'WorkspaceReadOnlyError',
    'WorkspaceRef',
    'WorkspaceTimeoutError',
    'WorkspaceUnavailableError',
)
