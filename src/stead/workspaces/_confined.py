"""`ConfinedFiles`: operations on files that never leave a directory."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from .protocol import FileEntry, WorkspaceOutputLimitError
from .workspace import check_removal

MOST_READ = 256 * 1024 * 1024
"""Bytes of a file that is read."""
MOST_LINKS = 40
"""Symbolic links on the way to a file, as in Linux."""
MOST_LEVELS = 256
"""Directories on the way to a file: each is open meanwhile. Deeper ones are reached by commands."""

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class _Place:
    """A place below the root: the open directory that it is in, its name there, and the names above."""

    def __init__(self, root: int) -> None:
        self.directories = [root]
        self.names: list[str] = []
        self.name = '.'
        """Its name in the directory; `.` for the root."""

    @property
    def directory(self) -> int:
        """The descriptor of the directory that it is in."""
        return self.directories[-1]

    def down(self, name: str, make: bool, path: str) -> None:
        """Go to a directory in it, which is made if `make` says so."""
        with _named(path):
            if len(self.names) >= MOST_LEVELS:
                raise OSError(errno.ENAMETOOLONG, f'The path has more than {MOST_LEVELS} levels')
            if make:
                with suppress(FileExistsError):
                    os.mkdir(name, dir_fd=self.directory)
            entered = os.open(name, _DIRECTORY, dir_fd=self.directory)
        self.directories.append(entered)
        self.names.append(name)

    def up(self) -> None:
        """Go to the directory above."""
        os.close(self.directories.pop())
        self.names.pop()


class ConfinedFiles:
    """Operations on the files below a directory, by absolute paths.

    A path is walked from the root, one open directory after the other, and symbolic links are resolved here and not by the
    system. So no link, and no directory that becomes a link meanwhile, leads anywhere else.
    """

    def __init__(self, root: str, *, protected: str) -> None:
        """Choose the root.

        Args:
            root: Its absolute path.
            protected: The absolute path of a directory that is not removed.
        """
        self.root = root
        self.protected = protected

    # Walking

    @contextmanager
    def _at(self, path: str, *, follow: bool = True, make: bool = False) -> Iterator[_Place]:
        """Yield the place of a path.

        Args:
            path: The path.
            follow: Whether a symbolic link at its end is followed.
            make: Whether directories on the way are made.

        Raises:
            PermissionError: It leads out of the root.
        """
        place = _Place(os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
        try:
            self._walk(place, path, follow, make)
            yield place
        finally:
            for directory in place.directories:
                os.close(directory)

    def _walk(self, place: _Place, path: str, follow: bool, make: bool) -> None:
        rest, links = self._below(path, path), 0
        while rest:
            name = rest.pop()
            if name == '..':
                if not place.names:
                    raise self._leads_out(path)
                place.up()
            elif (follow or rest) and (target := _target(place, name)) is not None:
                links += 1
                if links > MOST_LINKS:
                    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
                while os.path.isabs(target) and place.names:
                    place.up()
                rest += self._below(target, path) if os.path.isabs(target) else _names(target)
            elif rest:
                place.down(name, make, path)
            else:
                place.name = name

    def _below(self, path: str, asked: str) -> list[str]:
        """Return the names of an absolute path below the root, the last one first."""
        names, above = _names(path), _names(self.root)
        while above:
            if not names or names.pop() != above.pop():
                raise self._leads_out(asked)
        return names

    def _leads_out(self, path: str) -> PermissionError:
        return PermissionError(
            errno.EACCES, f'The path leads out of the workspace, whose files are below {self.root}', path
        )

    # Operations

    def realpath(self, path: str) -> str:
        """Return a path without symbolic links; names that do not exist stay as they are."""
        missing: list[str] = []
        while True:
            try:
                with self._at(path) as place:
                    return os.path.normpath(os.path.join(self.root, *place.names, place.name, *reversed(missing)))
            except (FileNotFoundError, NotADirectoryError):
                path, name = os.path.split(path.rstrip('/'))
                missing.append(name)

    def read(self, path: str) -> bytes:
        """Return the content of a file.

        Raises:
            WorkspaceOutputLimitError: It has more than `MOST_READ` bytes.
        """
        with self._at(path) as place, _named(path):
            with open(_opened(place, os.O_RDONLY), 'rb') as file:
                data = file.read(MOST_READ + 1)
        if len(data) > MOST_READ:
            raise WorkspaceOutputLimitError(
                f'{path} has more than {MOST_READ} bytes, and is not read. Read a part of it with a command.',
                limit=MOST_READ,
            )
        return data

    def write(self, path: str, data: bytes | memoryview) -> None:
        """Write a file, and make the directories that it is in."""
        data = memoryview(data)  # what has no bytes changes nothing
        with self._at(path, make=True) as place, _named(path):
            with open(_opened(place, os.O_WRONLY | os.O_CREAT), 'wb') as file:
                file.truncate()
                file.write(data)

    def exists(self, path: str) -> bool:
        """Return whether there is a file or a directory."""
        try:
            self.stat(path)
        except PermissionError:
            raise
        except OSError:
            return False
        return True

    def stat(self, path: str) -> FileEntry:
        """Return what is known of a file or a directory."""
        with self._at(path) as place, _named(path):
            found = os.stat(place.name, dir_fd=place.directory, follow_symlinks=False)
        is_dir = stat.S_ISDIR(found.st_mode)
        path = os.path.normpath(path)
        return FileEntry(name=os.path.basename(path), path=path, is_dir=is_dir, size=None if is_dir else found.st_size)

    def entries(self, path: str) -> list[FileEntry]:
        """Return the entries of a directory, by name. Of a symbolic link that leads nowhere, or out, there is the name alone."""
        with self._at(path) as place, _named(path):
            directory = os.open(place.name, _DIRECTORY, dir_fd=place.directory)
        try:
            names = os.listdir(directory)
        finally:
            os.close(directory)
        return [self._entry(os.path.join(path, name)) for name in sorted(names)]

    def _entry(self, path: str) -> FileEntry:
        try:
            return self.stat(path)
        except OSError:
            return FileEntry(name=os.path.basename(path), path=path, is_dir=False, size=None)

    def make_dir(self, path: str) -> None:
        """Make a directory, and those that it is in, unless it exists."""
        with self._at(path, make=True) as place, _named(path):
            try:
                os.mkdir(place.name, dir_fd=place.directory)
            except FileExistsError:
                if not stat.S_ISDIR(os.stat(place.name, dir_fd=place.directory, follow_symlinks=False).st_mode):
                    raise

    def remove(self, path: str) -> None:
        """Remove a file, a symbolic link, or a directory with all that is in it.

        Raises:
            ValueError: It is the directory that is not removed, or one that this is in.
        """
        check_removal(os.path.normpath(path), self.protected)
        with self._at(path, follow=False) as place, _named(path):
            check_removal(os.path.normpath(os.path.join(self.root, *place.names, place.name)), self.protected)
            _remove(place.name, place.directory, MOST_LEVELS)


def _names(path: str) -> list[str]:
    """Return the names of a path, the last one first."""
    return [name for name in reversed(path.split('/')) if name not in ('', '.')]


def _target(place: _Place, name: str) -> str | None:
    """Return where a symbolic link leads, or `None` if it is not a link."""
    try:
        return os.readlink(name, dir_fd=place.directory)
    except OSError:
        return None


def _opened(place: _Place, flags: int) -> int:
    """Return the descriptor of a regular file; to open a pipe does not wait for its other end."""
    flags |= os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    opened = os.open(place.name, flags, 0o666, dir_fd=place.directory)
    kind = os.fstat(opened).st_mode
    if not stat.S_ISREG(kind):
        os.close(opened)
        number = errno.EISDIR if stat.S_ISDIR(kind) else errno.EINVAL
        raise OSError(number, os.strerror(number))
    return opened


@contextmanager
def _named(path: str) -> Iterator[None]:
    """Let errors name the path that was asked for, where the system only knows the last name of it."""
    try:
        yield
    except OSError as error:
        error.filename = path
        raise


def _remove(name: str, directory: int, levels: int) -> None:
    try:
        inside = os.open(name, _DIRECTORY, dir_fd=directory)
    except OSError as error:
        if error.errno not in (errno.ENOTDIR, errno.ELOOP, errno.EMLINK):
            raise
        os.unlink(name, dir_fd=directory)
        return
    try:
        if not levels:
            raise OSError(errno.ENAMETOOLONG, f'It has more than {MOST_LEVELS} levels: remove it with a command')
        for entry in os.listdir(inside):
            _remove(entry, inside, levels - 1)
    finally:
        os.close(inside)
    os.rmdir(name, dir_fd=directory)
