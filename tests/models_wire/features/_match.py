"""Patterns of plain data and records: what they do not speak of does not matter."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from stead.messages import BaseToolCallPart

_RANDOM = ('timestamp', '_identifier')


class _Absent:
    def __repr__(self) -> str:
        return 'ABSENT'


ABSENT: Any = _Absent()
"""A key that must not be there."""
ANY: Any = ...
"""Whatever there is."""


@dataclasses.dataclass
class Text:
    """A text with these pieces in it."""

    pieces: tuple[str, ...]

    def __init__(self, *pieces: str) -> None:
        self.pieces = pieces


@dataclasses.dataclass
class Some:
    """A list that has these items somewhere."""

    items: tuple[Any, ...]

    def __init__(self, *items: Any) -> None:
        self.items = items


def differences(found: Any, wanted: Any, where: str = '') -> Iterator[str]:
    """Yield what is not as a pattern has it. Keys of mappings and fields of records that it leaves out do not matter."""
    if wanted is ANY:
        return
    if isinstance(wanted, Text):
        missing = [piece for piece in wanted.pieces if not isinstance(found, str) or piece not in found]
        if missing:
            yield f'{where}: {missing} not in {found!r}'
    elif isinstance(wanted, Some):
        for item in wanted.items:
            if not isinstance(found, list) or all(list(differences(each, item)) for each in found):
                yield f'{where}: nothing like {item!r} in {found!r}'
    elif isinstance(wanted, dict):
        yield from _mapping(found, wanted, where)
    elif isinstance(wanted, (list, tuple)):
        if not isinstance(found, (list, tuple)) or len(found) != len(wanted):
            yield f'{where}: {found!r} rather than {wanted!r}'
            return
        for index, (one, other) in enumerate(zip(found, wanted)):
            yield from differences(one, other, f'{where}[{index}]')
    elif dataclasses.is_dataclass(wanted) and not isinstance(wanted, type):
        yield from _record(found, wanted, where)
    elif type(found) is not type(wanted) and (isinstance(found, bool) or isinstance(wanted, bool)):
        yield f'{where}: {found!r} rather than {wanted!r}'
    elif found != wanted:
        yield f'{where}: {found!r} rather than {wanted!r}'


def _mapping(found: Any, wanted: dict[Any, Any], where: str) -> Iterator[str]:
    if not isinstance(found, dict):
        yield f'{where}: {found!r} rather than {wanted!r}'
        return
    for key, value in wanted.items():
        if value is ABSENT:
            if key in found:
                yield f'{where}.{key} is there: {found[key]!r}'
        elif key not in found:
            yield f'{where}.{key} is missing; there are {sorted(map(str, found))}'
        else:
            yield from differences(found[key], value, f'{where}.{key}')


def _record(found: Any, wanted: Any, where: str) -> Iterator[str]:
    if not isinstance(found, type(wanted)):
        yield f'{where}: {found!r} rather than {wanted!r}'
        return
    for field in dataclasses.fields(wanted):
        value = getattr(wanted, field.name)
        if field.name in _RANDOM or _is_default(field, value) or str(value).startswith('pyd_ai_'):
            continue
        if field.name == 'args' and isinstance(wanted, BaseToolCallPart):  # text or data, as it came
            yield from differences(found.args_as_dict(), wanted.args_as_dict(), f'{where}.args')
            continue
        yield from differences(getattr(found, field.name), value, f'{where}.{field.name}')


def _is_default(field: Any, value: Any) -> bool:
    if field.default is not dataclasses.MISSING:
        return bool(value == field.default)
    return field.default_factory is not dataclasses.MISSING and value == field.default_factory()
