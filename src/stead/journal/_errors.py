"""The errors of a journal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class JournalError(RuntimeError):
    """A journal cannot do what it was asked to."""


class StoreError(JournalError):
    """The store cannot be read or written: a full disk, a lost connection, a file of a newer version."""


class WrongKey(StoreError):
    """A record is encrypted with a key that the store was not given."""


class LeaseLost(JournalError):
    """Another process continues the run, so this one may write nothing more about it."""


class RunNotFound(JournalError, LookupError):
    """The journal has no such run."""


class RunInUse(JournalError):
    """Another process is running the run now, and holds its lease."""


class RecordUnreadable(JournalError, ValueError):
    """A record cannot be read: it is encrypted, was redacted too far, or is damaged."""


class RedactionError(JournalError):
    """The function that says what may be stored has failed."""


class ContentRedacted(JournalError):
    """A run cannot continue by itself, because what it needs was redacted before it was stored."""


@contextmanager
def naming(run_id: str) -> Iterator[None]:
    """Let an error about a record that cannot be read name its run."""
    try:
        yield
    except (RecordUnreadable, WrongKey) as error:
        if run_id in str(error):
            raise
        raise type(error)(f'Run {run_id!r} cannot be read. {error}') from error


for _class in list(vars().values()):  # where they are imported from, as a traceback shows them
    if isinstance(_class, type):
        _class.__module__ = __package__ or ''
