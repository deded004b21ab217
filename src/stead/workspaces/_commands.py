"""`CommandFiles`: the files of a backend that only runs commands, by the tools of a POSIX shell."""

from __future__ import annotations

import base64
import errno
import os
import posixpath
import shlex
from collections.abc import Sequence
from uuid import uuid4

from .protocol import CommandResult, FileEntry, SupportsCommands, SupportsFilesystem, WorkspaceError

CHUNK = 60_000
"""Bytes of a file in one command: more would not fit into its arguments, or into the output that a backend takes."""


class CommandFiles(SupportsFilesystem):
    """Reads and writes files with commands; content goes through base64, so that any bytes arrive."""

    def __init__(self, backend: SupportsCommands) -> None:
        self._backend = backend

    async def _shell(self, script: str, path: str) -> CommandResult:
        """Run a script in which `$p` is a path."""
        return await self._backend.run(f'export LC_ALL=C; p={shlex.quote(path)}\n{script}', shell=True)

    async def _output(self, script: str, path: str) -> str:
        """Return what a script prints in which `$p` is a path.

        Raises:
            OSError: It failed.
        """
        result = await self._shell(script, path)
        if result.exit_code:
            raise _error_of(result, path)
        return result.stdout

    async def stat(self, path: str) -> FileEntry:
        """Return what is known of a file or a directory."""
        kind, _, size = (await self._output(_KIND, path)).strip().partition(' ')
        if kind == 'none':
            raise _os_error(errno.ENOENT, path)
        if kind == 'below':
            raise _os_error(errno.ENOTDIR, path)
        return FileEntry(
            name=posixpath.basename(path), path=path, is_dir=kind == 'dir', size=int(size) if size.strip() else None
        )

    async def exists(self, path: str) -> bool:
        """Return whether there is a file or a directory."""
        return not (await self._shell('[ -e "$p" ]', path)).exit_code

    async def read_bytes(self, path: str) -> bytes:
        """Return the content of a file."""
        entry = await self.stat(path)
        if entry.is_dir:
            raise _os_error(errno.EISDIR, path)
        if entry.size is None:
            raise OSError(errno.EINVAL, 'It is not a regular file', path)
        pieces: list[bytes] = []
        for place in range(0, entry.size, CHUNK):
            encoded = await self._output(f'tail -c +{place + 1} -- "$p" | head -c {CHUNK} | base64', path)
            pieces.append(base64.b64decode(encoded))
        return b''.join(pieces)

    async def write_bytes(self, path: str, data: bytes) -> None:
        """Write a file, and make the directories that it is in. It is complete from one moment to the next."""
        await self._check_parents(path)
        if await self.exists(path) and (await self.stat(path)).is_dir:
            raise _os_error(errno.EISDIR, path)
        await self._output('mkdir -p -- "$(dirname -- "$p")"', path)
        # Beside the file, so that it has room where the file has. What is written through a symbolic link keeps the link.
        part = f'"$p".{uuid4().hex}.part'
        try:
            for place in range(0, max(len(data), 1), CHUNK):
                encoded = base64.b64encode(data[place : place + CHUNK]).decode()
                await self._output(f'printf %s {encoded} | base64 -d >> {part}', path)
            await self._output(f'cat {part} > "$p"', path)
        finally:
            await self._shell(f'rm -f -- {part}', path)

    async def list_dir(self, path: str) -> Sequence[FileEntry]:
        """Return the entries of a directory, by name."""
        if not (await self.stat(path)).is_dir:
            raise _os_error(errno.ENOTDIR, path)
        entries: list[FileEntry] = []
        for line in (await self._output(_LIST, path)).split('\0')[:-1]:
            kind, _, name = line.partition('/')
            size = int(kind) if kind.strip().isdigit() else None
            entries.append(FileEntry(name=name, path=posixpath.join(path, name), is_dir=kind == 'd', size=size))
        return sorted(entries, key=lambda entry: entry.name)

    async def make_dir(self, path: str) -> None:
        """Make a directory, and those that it is in, unless it exists."""
        await self._check_parents(path)
        if await self.exists(path) and not (await self.stat(path)).is_dir:
            raise _os_error(errno.EEXIST, path)
        await self._output('mkdir -p -- "$p"', path)

    async def remove(self, path: str) -> None:
        """Remove a file, or a directory with all that is in it."""
        if (await self._shell('[ -e "$p" ] || [ -L "$p" ]', path)).exit_code:
            raise _os_error(errno.ENOENT, path)
        await self._output('rm -rf -- "$p"', path)

    async def realpath(self, path: str) -> str:
        """Return an absolute path without symbolic links; names that do not exist stay as they are."""
        rest: list[str] = []
        while True:
            result = await self._shell('readlink -f -- "$p"', path)
            if not result.exit_code or path == '/':
                found = result.stdout.removesuffix('\n') or path
                return posixpath.join(found, *reversed(rest))
            above, _, name = path.rpartition('/')
            path = above or '/'
            rest.append(name)

    async def _check_parents(self, path: str) -> None:
        result = await self._output(_PARENT, path)
        if result.strip():
            raise _os_error(errno.ENOTDIR, path)


_PARENT = 'while [ "$p" != / ]; do p=$(dirname -- "$p"); if [ -e "$p" ] && [ ! -d "$p" ]; then echo file; fi; done'
_KIND = f"""if [ -d "$p" ]; then echo dir
elif [ -f "$p" ]; then echo "file $(wc -c < "$p")"
elif [ -e "$p" ]; then echo other
else found=$({_PARENT}); if [ -n "$found" ]; then echo below; else echo none; fi
fi"""
_LIST = r"""cd -- "$p" && for name in * .[!.]* ..?*; do
if [ -d "$name" ]; then printf 'd/%s\0' "$name"
elif [ -f "$name" ]; then printf '%s/%s\0' "$(wc -c < "$name")" "$name"
elif [ -e "$name" ] || [ -L "$name" ]; then printf '/%s\0' "$name"
fi
done"""


def _os_error(number: int, path: str) -> OSError:
    """Return the error of Python for a number of the system, such as `FileNotFoundError`."""
    return OSError(number, os.strerror(number), path)


def _error_of(result: CommandResult, path: str) -> Exception:
    """Return the error for a command that failed."""
    text = result.stderr.strip() or f'exit status {result.exit_code}'
    for number in (errno.EACCES, errno.EROFS, errno.ENOSPC, errno.ENOENT, errno.ENOTDIR, errno.EISDIR):
        if os.strerror(number).lower() in text.lower():
            return _os_error(number, path)
    return WorkspaceError(f'{path}: {text}')
