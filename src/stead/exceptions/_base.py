"""What errors have in common: the record of a run that one ended, and copies of them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from copy import copy
from typing import Any


class AboutRun:
    """What an error knows of the run that it ended; without a run, all have their defaults."""

    messages: Sequence[Any] = ()
    """The message history of the run."""
    usage: Any = None
    """The `RunUsage` so far."""
    run_id: str | None = None
    """The id of the run."""
    conversation_id: str | None = None
    """The id of the conversation the run belongs to."""
    run_step: int = 0
    """The number of steps that the run had started."""
    inner_run: RunRecord | None = None
    """The record of a nested run that the same error ended first."""


class RunRecord(AboutRun):
    """The messages, usage and position of a run that an error ended."""

    def __init__(
        self,
        messages: Sequence[Any],
        usage: Any,
        run_id: str | None = None,
        conversation_id: str | None = None,
        run_step: int = 0,
        inner_run: RunRecord | None = None,
    ) -> None:
        self.messages = messages
        self.usage = usage
        self.run_id = run_id
        self.conversation_id = conversation_id
        self.run_step = run_step
        self.inner_run = inner_run

    def __repr__(self) -> str:
        shown = ', '.join(f'{name}={getattr(self, name)!r}' for name in _RECORD_NAMES)
        return f'{type(self).__qualname__}({shown})'

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return vars(self) == vars(other)


_RECORD_SLOT = '_run_record'
_RECORD_NAMES = ('messages', 'usage', 'run_id', 'conversation_id', 'run_step', 'inner_run')
_ABSENT = object()


def attach_run_record(error: BaseException, record: RunRecord) -> None:
    """Attach the record of a run to the error that ended it: `error.messages`, `.usage`, `.run_id` and so on.

    This works with any exception. Attributes that the exception defines itself are not changed; `run_record()` returns
    the record in any case. If an outer run attaches its record too, the attributes are those of the outer run and the
    inner record moves to `error.inner_run`; a newer record with the same `run_id` replaces the older one. Nothing
    happens if the exception does not accept attributes.

    Args:
        error: The exception that leaves the run.
        record: The record of the run.
    """
    before = run_record(error)
    if before is not None and record is not before:
        same_run = record.run_id is not None and record.run_id == before.run_id
        record = copy(record)
        record.inner_run = before.inner_run if same_run else before
    try:
        setattr(error, _RECORD_SLOT, record)
        for name in _RECORD_NAMES:
            if _is_free(error, name, before):
                setattr(error, name, getattr(record, name))
    except Exception:  # a frozen exception class: the error itself matters more than the record
        return


def run_record(error: BaseException) -> RunRecord | None:
    """Return the record of the outermost run that this error ended, or None if there is none.

    Args:
        error: An exception caught around a run.
    """
    record = getattr(first_raised(error), _RECORD_SLOT, None)
    return record if isinstance(record, RunRecord) else None


def first_raised(error: BaseException) -> BaseException:
    """Return an error, or for a cancellation the one that the task raised: where it is awaited, Python 3.10 raises another."""
    if sys.version_info < (3, 11):
        from asyncio import CancelledError

        while isinstance(error, CancelledError) and isinstance(error.__context__, CancelledError):
            error = error.__context__
    return error


def _is_free(error: BaseException, name: str, before: RunRecord | None) -> bool:
    """Return whether `name` is unset, has our default, or the value of an earlier record."""
    own = getattr(error, '__dict__', {}).get(name, _ABSENT)
    if own is not _ABSENT:
        return before is not None and own is getattr(before, name)
    inherited = getattr(type(error), name, _ABSENT)
    return inherited is _ABSENT or (isinstance(error, AgentRunError) and inherited == getattr(AgentRunError, name))


def _rebuild(cls: type[BaseException], args: tuple[object, ...]) -> BaseException:
    error = cls.__new__(cls, *args)
    error.args = args
    return error


class Portable(Exception):
    """Base class that makes exceptions picklable whatever their constructor takes, by not calling it again."""

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.args), self.__dict__.copy()


class UserError(Portable, RuntimeError):
    """A mistake in the program that uses stead; the message says what to change.

    Args:
        message: What is wrong and what to do about it.
    """

    message: str

    def __init__(self, message: str):
        self.message = message
        super().__init__(message)


class AgentRunError(Portable, AboutRun, RuntimeError):
    """Base class of the errors that end a run.

    If it ends a run, it has the record of that run: `messages`, `usage`, `run_id`, `conversation_id` and `run_step`,
    and in `inner_run` the record of a nested run that it ended first. Otherwise these have their defaults.

    Args:
        message: The description of the error, and what to do about it.
    """

    message: str

    def __init__(self, message: str):
        self.message = message
        super().__init__(message)

    def __str__(self) -> str:
        return self.message
