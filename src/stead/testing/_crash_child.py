"""The processes of runs that are killed: `Nursery` starts them, `python -m stead.testing._crash_child` is where they begin.

To import an agent takes many times as long as its run. So where that is safe, one process imports it, and then forks for each
run: it has done nothing yet, and the run is in a process of its own, which is killed. Elsewhere each run is started as a program:
on macOS, whose frameworks cannot be forked, on Windows, and if importing the agent has started threads.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from contextlib import suppress
from pathlib import Path
from typing import IO, Union

from typing_extensions import Self, TypeAlias

from ._crash_story import CrashScene, Plot, Story

LONGEST = 120.0
"""After how many seconds a process that does not die is killed."""
_COMMAND = [sys.executable, '-m', 'stead.testing._crash_child']
_CAN_FORK = sys.platform == 'linux'


_Run: TypeAlias = tuple[Path, int, bool]
"""A run that is going to be killed: the directory of its scene, how many records come before the one at which it is killed, and
whether it is killed after that."""
_End: TypeAlias = tuple[Union[int, None], bytes]
"""How a process has ended: its exit code, less than zero for a signal or `None` if it took too long; and its standard error."""


class Nursery:
    """Where the processes begin that are killed. It is a context manager: after it, none of them is left."""

    def __init__(self, plot: Plot) -> None:
        """Begin without a process.

        Args:
            plot: What happens in each of them.
        """
        self._plot = pickle.dumps(plot) if plot.processes else b''
        self._parent: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        if self._parent is not None:
            with suppress(OSError):  # if it has ended, so has what it began
                os.killpg(self._parent.pid, signal.SIGKILL)
            self._parent.wait()
            for pipe in (self._parent.stdin, self._parent.stdout):
                if pipe is not None:
                    with suppress(OSError):  # what is left to write goes nowhere
                        pipe.close()
        if self._errors is not None:
            self._errors.close()

    async def killed_at(self, directory: Path, place: int, after: bool) -> None:
        """Run the agent in a process that is killed at a record.

        Args:
            directory: The directory of its scene.
            place: How many records come before the one at which it is killed.
            after: Whether it is killed after that record.

        Raises:
            RuntimeError: The process was not killed there, or it did not come that far in time.
        """
        code, errors = await asyncio.to_thread(self._end_of, (directory, place, after))
        if code is None:
            raise RuntimeError(f'its process was not killed within {LONGEST:.0f} seconds')
        if code not in (-getattr(signal, 'SIGKILL', 9), signal.SIGTERM):
            lines = errors.decode('utf-8', 'replace').strip().splitlines()
            raise RuntimeError(f'its process was not killed, but ended with {code}: {" ".join(lines[-1:])}')

    def _end_of(self, run: _Run) -> _End:
        if _CAN_FORK and (end := self._forked(run)) is not None:
            return end
        try:
            done = subprocess.run(
                _COMMAND,
                input=self._plot + pickle.dumps(run),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env=_environment(),
                timeout=LONGEST,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return None, b''
        return done.returncode, done.stderr

    def _forked(self, run: _Run) -> _End | None:
        """Return how the process of a run has ended that was forked; `None` if it cannot be."""
        if self._parent is None:
            self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - it is closed with the nursery
            self._parent = subprocess.Popen(
                [*_COMMAND, 'forks'],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env=_environment(),
                start_new_session=True,  # so that what it forked ends with it
            )
            _send(self._parent.stdin, self._plot, is_last=False)
        try:
            _send(self._parent.stdin, pickle.dumps(run))
            return pickle.load(self._parent.stdout)  # type: ignore[arg-type]
        except (EOFError, OSError):  # it could not import the agent, or has ended for another reason
            assert self._errors is not None, 'there is a process'
            self._errors.seek(0)
            return self._parent.wait(), self._errors.read()


def _environment() -> dict[str, str]:
    return {**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)}


def _send(pipe: IO[bytes] | None, data: bytes, *, is_last: bool = True) -> None:
    assert pipe is not None, 'it is a pipe'
    pipe.write(data)
    if is_last:
        pipe.flush()


# In the other process


def _live(plot: Plot, run: _Run) -> None:
    directory, place, after = run
    asyncio.run(Story(plot, CrashScene(directory), place, after=after, is_killed=True).live())


def _fork_for(plot: Plot, run: _Run) -> _End:
    with tempfile.TemporaryFile() as errors:
        child = os.fork()
        if not child:
            os.dup2(errors.fileno(), 2)
            nothing = os.open(os.devnull, os.O_RDWR)
            os.dup2(nothing, 0)
            os.dup2(nothing, 1)
            code = 1
            try:
                _live(plot, run)
                code = 0
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stderr.flush()
                os._exit(code)
        status = _status_of(child)
        errors.seek(0)
        return None if status is None else os.waitstatus_to_exitcode(status), errors.read()


def _status_of(child: int) -> int | None:
    """Wait for a process, and return how it ended; `None` if it had to be killed because it took too long."""
    end = time.monotonic() + LONGEST
    while time.monotonic() < end:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            return status
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def _serve() -> None:
    """Fork for each run that is asked for, and say how its process ended; with nothing, if this one cannot be forked."""
    jobs, answers = sys.stdin.buffer, os.fdopen(os.dup(1), 'wb')
    os.dup2(2, 1)  # where what is printed goes while the agent is imported
    plot = pickle.load(jobs)
    while True:
        try:
            run = pickle.load(jobs)
        except EOFError:
            return
        answer = _fork_for(plot, run) if threading.active_count() == 1 else None
        pickle.dump(answer, answers)
        answers.flush()


def main() -> None:
    """Run the agent that is described on the standard input, or fork to do so as often as that is asked for."""
    if sys.argv[1:] == ['forks']:
        _serve()
    else:
        _live(pickle.load(sys.stdin.buffer), pickle.load(sys.stdin.buffer))


if __name__ == '__main__':
    main()
