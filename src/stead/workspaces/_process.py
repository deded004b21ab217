"""`run_process`: a command of this machine in a process group of its own, with bounds."""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO

from .._kit.aio import TimeLimitReached, within
from .protocol import CommandResult, WorkspaceOutputLimitError, WorkspaceTimeoutError

MOST_OUTPUT = 10 * 1024 * 1024
"""Bytes that a command may print, on both ways together."""
SHOWN = 64 * 1024
"""Bytes of its output that the error about too much of it carries."""
GRACE = 0.5
"""Seconds that output may still come in after a command has ended and its group was killed: another group may hold the pipe."""


class _Output:
    """What a process group prints, read as it comes."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.group = process.pid
        self.loop = asyncio.get_running_loop()
        self.texts = bytearray(), bytearray()
        self.open = [pipe for pipe in (process.stdout, process.stderr) if pipe is not None]
        self.pipes = list(self.open)
        self.ended = asyncio.Event()
        self.is_too_much = False
        for pipe, text in zip(self.pipes, self.texts):
            os.set_blocking(pipe.fileno(), False)
            self.loop.add_reader(pipe.fileno(), self._read, pipe, text)

    def _read(self, pipe: IO[bytes], text: bytearray) -> None:
        piece = os.read(pipe.fileno(), 65536)
        text.extend(piece)
        if sum(map(len, self.texts)) > MOST_OUTPUT:
            self.is_too_much = True
            _kill(self.group)
        if not piece or self.is_too_much:
            self.loop.remove_reader(pipe.fileno())
            self.open.remove(pipe)
            if not self.open:
                self.ended.set()

    def close(self) -> None:
        for pipe in self.pipes:
            self.loop.remove_reader(pipe.fileno())
            pipe.close()

    def so_far(self, most: int = MOST_OUTPUT) -> tuple[str, str]:
        out, err = (bytes(text[:most]).decode(errors='replace') for text in self.texts)
        return out, err


async def run_process(argv: Sequence[str], cwd: str, env: Mapping[str, str], timeout: float | None) -> CommandResult:
    """Run a program with nothing to read, and return how it ended. All of its process group has ended then, whatever happens.

    Args:
        argv: The program and its arguments.
        cwd: The directory that it starts in.
        env: All of its environment.
        timeout: Seconds that it may take.

    Raises:
        WorkspaceTimeoutError: It took longer.
        WorkspaceOutputLimitError: It printed more than `MOST_OUTPUT`.
    """
    try:
        process = _started(argv, cwd, env)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR):
            return CommandResult(exit_code=127, stdout='', stderr=f'{argv[0]}: command not found\n')
        if error.errno in (errno.EACCES, errno.ENOEXEC, errno.EISDIR, errno.E2BIG):
            return CommandResult(exit_code=126, stdout='', stderr=f'{argv[0]}: {os.strerror(error.errno)}\n')
        raise
    output = _Output(process)
    try:
        code = await within(timeout, _exit_code(process)) if timeout is not None else await _exit_code(process)
        _kill(process.pid)  # what it has left in the background, which also ends the pipes
        with suppress(TimeLimitReached):
            await within(GRACE, output.ended.wait())
    except TimeLimitReached:
        out, err = output.so_far()
        raise WorkspaceTimeoutError(
            f'The command took longer than {timeout:g} seconds and was ended.', stdout=out, stderr=err
        ) from None
    finally:
        _kill(process.pid)
        output.close()
        await asyncio.shield(_exit_code(process))
    out, err = output.so_far(SHOWN if output.is_too_much else MOST_OUTPUT)
    if output.is_too_much:
        raise WorkspaceOutputLimitError(
            f'The command printed more than {MOST_OUTPUT} bytes and was ended. Let it write to a file, and read a part of that.',
            limit=MOST_OUTPUT,
            stdout=out,
            stderr=err,
        )
    return CommandResult(exit_code=128 - code if code < 0 else code, stdout=out, stderr=err)


def _started(argv: Sequence[str], cwd: str, env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    # Not asyncio's: cancelled while it starts one, it leaves what that has started; and it may wait for who holds the pipes.
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    return subprocess.Popen(argv, cwd=cwd, env=env, stdin=nothing, stdout=pipe, stderr=pipe, start_new_session=True)


async def _exit_code(process: subprocess.Popen[bytes]) -> int:
    pause = 0.001
    while (code := process.poll()) is None:
        await asyncio.sleep(pause)
        pause = min(pause * 2, 0.02)
    return code


def _kill(group: int) -> None:
    with suppress(ProcessLookupError, PermissionError):  # on macOS a group of dead processes is no longer ours
        os.killpg(group, signal.SIGKILL)
