"""What can go wrong with a journal."""

from __future__ import annotations


class JournalError(RuntimeError):
    """A journal cannot do what it was asked to."""


class StoreError(JournalError):
    """The store cannot be read or written: a full disk, a lost connection, a file of a newer version."""


class LeaseLost(JournalError):
    """Another process goes on with the run, so this one may write nothing more about it."""


class RunNotFound(JournalError, LookupError):
    """The journal has no such run."""


class RunInUse(JournalError):
    """Another process is running the run now, and holds its lease."""
