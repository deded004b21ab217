"""Problems in data from outside: where they are, and messages for the author of the data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import pydantic_core
from pydantic import TypeAdapter, ValidationError

from .first_errors import first_errors
from .meant import unknown_name
from .short import short, short_repr

_MOST_ERRORS = 100
_LONGEST_KEY = 200


class Problem(NamedTuple):
    """A problem in data."""

    path: tuple[str | int, ...]
    """The keys and indexes that lead to it."""
    message: str


def shown(path: Iterable[str | int]) -> str:
    """Return a path in the usual notation: `capabilities[1].Thinking.effort`."""
    text = ''
    for part in path:
        if isinstance(part, int):
            text += f'[{part}]'
        else:
            text += f'.{short(part, _LONGEST_KEY)}' if text else short(part, _LONGEST_KEY)
    return text


def problems_of(error: ValidationError, data: Any, known: Sequence[str] = ()) -> list[Problem]:
    """Return the problems in a validation error, one for each path; of very many errors, those that come first.

    Args:
        error: The error.
        data: The validated data, to distinguish the keys in the locations of the error from names of types.
        known: The keys that the data may have.
    """
    messages_by_path: dict[tuple[str | int, ...], list[str]] = {}
    for item in first_errors(error, _MOST_ERRORS):
        path = _real_path(item['loc'], data)
        if item['type'] == 'extra_forbidden':
            messages_by_path[path] = [unknown_name(str(path[-1]), known if len(path) == 1 else (), 'key')]
            continue
        message = item['msg'].removeprefix('Value error, ').removeprefix('Assertion failed, ')
        message = message[:1].lower() + message[1:].removesuffix('.')
        if item['type'] == 'missing':
            message = f'{item["loc"][-1]!r} is missing'
        message = f'{message}{_quoted(path, data)}'
        messages = messages_by_path.setdefault(path, [])
        if message not in messages:
            messages.append(message)
    # If one member of a union matches so far that the problem is inside it, the other members are not meant.
    paths = messages_by_path.keys()
    inner = [path for path in paths if not any(other != path and other[: len(path)] == path for other in paths)]
    return [Problem(path, _joined(messages_by_path[path])) for path in inner]


def _joined(messages: Sequence[str]) -> str:
    """Join alternatives to one message that quotes the value only once."""
    heads = [message.partition('; it is ')[0] for message in messages[:-1]]
    return ', or '.join([*heads, messages[-1]])


def _quoted(path: Sequence[str | int], data: Any) -> str:
    for part in path:
        data = data[part]
    return f'; it is {short_repr(data, 60)}'


def _real_path(location: Sequence[str | int], data: Any) -> tuple[str | int, ...]:
    """Return a location without the names of types that pydantic inserts."""
    path: list[str | int] = []
    for part in location:
        is_key = isinstance(data, dict) and part in data
        if is_key or (isinstance(data, list) and isinstance(part, int) and part < len(data)):  # type: ignore[reportUnknownArgumentType]
            path.append(part)
            data = data[part]  # type: ignore[reportUnknownVariableType]
    return tuple(path)


def value_problems(hint: Any, value: object) -> list[Problem]:
    """Return the problems of data of a type; none for types that cannot be checked.

    Args:
        hint: The type.
        value: The data, which is validated strictly, in JSON mode.
    """
    try:
        adapter: TypeAdapter[object] = TypeAdapter(hint)
        text = pydantic_core.to_json(value)
    except Exception:
        return []
    try:
        adapter.validate_json(text, strict=True)
    except ValidationError as error:
        return problems_of(error, value)
    except Exception:
        return []
    return []
