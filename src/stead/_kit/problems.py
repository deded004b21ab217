"""What is wrong in data from outside, and where: paths into it, and messages for whoever wrote it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import pydantic_core
from pydantic import TypeAdapter, ValidationError


class Problem(NamedTuple):
    """Something wrong in data."""

    path: tuple[str | int, ...]
    """The keys and indexes that lead to it."""
    message: str


def shown(path: Iterable[str | int]) -> str:
    """Return a path as one writes it: `capabilities[1].Thinking.effort`."""
    text = ''
    for part in path:
        text += f'[{part}]' if isinstance(part, int) else f'.{part}' if text else part
    return text


def problems_of(error: ValidationError, data: Any, known: Sequence[str] = ()) -> list[Problem]:
    """Return what pydantic found wrong, one problem for each place.

    Args:
        error: What it raised.
        data: What it was given, to tell the keys in its paths from the names of types.
        known: The keys that the data may have.
    """
    found: dict[tuple[str | int, ...], list[str]] = {}
    for item in error.errors(include_url=False):
        path = _real_path(item['loc'], data)
        if item['type'] == 'extra_forbidden':
            found[path] = [unknown_name(str(path[-1]), known if len(path) == 1 else (), 'key')]
            continue
        message = item['msg'].removeprefix('Value error, ').removeprefix('Assertion failed, ')
        message = message[:1].lower() + message[1:]
        if item['type'] == 'missing':
            message = f'{item["loc"][-1]!r} is missing'
        message = f'{message}{_given(path, data)}'
        messages = found.setdefault(path, [])
        if message not in messages:
            messages.append(message)
    # Where one of several types fits so far that something inside of it is wrong, the others are not meant.
    inner = [path for path in found if not any(other != path and other[: len(path)] == path for other in found)]
    return [Problem(path, _joined(found[path])) for path in inner]


def _joined(messages: Sequence[str]) -> str:
    """Return alternatives as one message that says only once what is there instead."""
    heads = [message.partition('; it is ')[0] for message in messages[:-1]]
    return ', or '.join([*heads, messages[-1]])


def _given(path: Sequence[str | int], data: Any) -> str:
    for part in path:
        data = data[part]
    text = repr(data)
    return f'; it is {text if len(text) <= 60 else text[:57] + "..."}'


def _real_path(location: Sequence[str | int], data: Any) -> tuple[str | int, ...]:
    """Return the part of a location that is in the data; pydantic puts the names of types in between."""
    path: list[str | int] = []
    for part in location:
        is_key = isinstance(data, dict) and part in data
        if is_key or (isinstance(data, list) and isinstance(part, int) and part < len(data)):  # type: ignore[reportUnknownArgumentType]
            path.append(part)
            data = data[part]  # type: ignore[reportUnknownVariableType]
    return tuple(path)


def value_problems(hint: Any, value: Any) -> list[Problem]:
    """Return what is wrong with data that is to be of a type; nothing for types that cannot be checked.

    Args:
        hint: The type.
        value: The data, which is read as strictly as JSON is.
    """
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(hint)
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


def unknown_name(name: str, known: Iterable[str], what: str) -> str:
    """Return a message about a name that does not exist, with one that may have been meant."""
    return f'there is no {what} {name!r}.{names_meant(name, known)}'


def names_meant(name: str, known: Iterable[str], most: int = 1) -> str:
    """Return what follows a message about a name that does not exist: those that may have been meant, and all there are."""
    import difflib

    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=most)
    hint = f' Did you mean {" or ".join(map(repr, close))}?' if close else ''
    return f'{hint} There are: {", ".join(names)}.' if names else ''
