"""Marks in `Annotated` types that tell pydantic more, made when pydantic asks for them.

They are pydantic's own. Loading these takes longer than all else that a program needs which stores no messages.
"""

from __future__ import annotations

from typing import Any

import pydantic
from pydantic_core import core_schema


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


def schema_without_empty(
    source: type[object], handler: pydantic.GetCoreSchemaHandler, *names: str
) -> core_schema.CoreSchema:
    """Return the schema of a dataclass whose JSON leaves out some fields as long as they are empty."""

    def store(value: object, handler: core_schema.SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {key: stored for key, stored in handler(value).items() if stored or key not in names}

    schema = handler(source)
    handler.resolve_ref_schema(schema)['serialization'] = core_schema.wrap_serializer_function_ser_schema(
        store, return_schema=core_schema.dict_schema(core_schema.str_schema(), core_schema.any_schema())
    )
    return schema
