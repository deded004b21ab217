"""The package sentence-transformers, which runs in this process."""

from __future__ import annotations

from typing import Any

from ..exceptions import UserError
from . import Provider


class NoConnection(UserError, NotImplementedError):
    """The provider does not connect to anything."""


class SentenceTransformersProvider(Provider):
    """The provider of models in this process. It only has a name."""

    @property
    def name(self) -> str:
        """`'sentence-transformers'`."""
        return 'sentence-transformers'

    @property
    def base_url(self) -> str:
        """Not there: raises `UserError`, which is a `NotImplementedError` too."""
        raise NoConnection('Models of sentence-transformers run in this process: they have no URL.')

    @property
    def client(self) -> Any:
        """Not there: raises `UserError`, which is a `NotImplementedError` too."""
        raise NoConnection('Models of sentence-transformers run in this process: they have no client.')

    def __repr__(self) -> str:
        return 'SentenceTransformersProvider()'


__all__ = ('SentenceTransformersProvider',)
