"""Texts that must not be shown, such as API keys."""

from __future__ import annotations


class Secret(str):
    """A text whose `repr` does not show it, so that neither do logs of objects that hold it.

    In every other way it is the text: it can be sent, compared, formatted and pickled.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return "'***'"
