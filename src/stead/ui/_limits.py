"""Limits: the size of a request, and the length of an answer about its errors."""

from __future__ import annotations

from typing import cast

from pydantic import ValidationError
from pydantic_core import from_json, to_json

from .._kit.first_errors import first_errors
from .._kit.json_types import as_dict, as_list

MAX_ITEMS = 20_000
"""The messages, parts, calls, tools and so on of a request, together. Each can be wrong, and each error takes a kilobyte."""
_MOST_ERRORS = 100


def check_items(body: bytes, *names: str, most: int) -> None:
    """Refuse a request with more items than any conversation has; to validate millions would take a minute, and gigabytes.

    Args:
        body: The request as JSON. What cannot be read is left to the validation.
        names: The keys of its lists.
        most: The most items of these lists, and of lists in their items, together.

    Raises:
        ValueError: There are more.
    """
    if body.count(b',') < most:  # each item but the last has one after it
        return
    try:
        data = as_dict(from_json(body))
    except ValueError:
        return
    items = [item for name in names for item in as_list(data.get(name))]
    count = len(items)
    for item in items if count <= most else ():
        count += sum(len(cast('list[object]', value)) for value in as_dict(item).values() if isinstance(value, list))
    if count > most:
        raise ValueError(
            f'The request has {count} messages, parts and tools, where the limit is {most}. '
            'Leave out the beginning of the conversation.'
        )


def errors_as_json(error: ValidationError) -> bytes:
    """Return what is wrong with a request, without what was sent: the first errors, if there are many."""
    if error.error_count() <= _MOST_ERRORS:
        return error.json(include_url=False, include_input=False).encode()
    return to_json([{key: found[key] for key in ('type', 'loc', 'msg')} for found in first_errors(error, _MOST_ERRORS)])
