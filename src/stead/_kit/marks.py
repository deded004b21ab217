"""Marks in `Annotated` types that tell pydantic more, made when pydantic asks for them.

They are pydantic's own. Loading these takes longer than all else that a program needs which stores no messages.
"""

from __future__ import annotations

from typing import Any

import pydantic


class _LateMark:
    """A mark of pydantic that is not made yet."""

    __slots__ = ('argument',)

    def __init__(self, argument: Any) -> None:
        self.argument = argument

    def __get_pydantic_core_schema__(self, source: Any, handler: pydantic.GetCoreSchemaHandler) -> Any:
        """Return the schema that the mark of pydantic leads to."""
        mark: Any = getattr(pydantic, type(self).__name__)(self.argument)
        return mark.__get_pydantic_core_schema__(source, handler)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.argument == self.argument

    def __hash__(self) -> int:
        return hash((type(self), self.argument))

    def __repr__(self) -> str:
        return f'{type(self).__name__}({self.argument!r})'


class Discriminator(_LateMark):
    """What tells the members of a union apart: the name of a field, or a function."""


class Tag(_LateMark):
    """What a function that is a `Discriminator` returns for a member of a union."""
