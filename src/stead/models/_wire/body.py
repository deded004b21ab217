"""JSON of requests, joined from existing pieces and new ones; and JSON of answers."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, cast

from pydantic_core import from_json

from ..._kit.json_types import as_dict, as_list
from ...exceptions import UserError
from .kept import Written


def _other(value: Any) -> Any:
    """Return what SDKs write for objects that JSON lacks."""
    if isinstance(value, datetime):
        return value.isoformat()
    dump = getattr(value, 'model_dump', None)
    if dump is None:
        raise TypeError(f'There is no JSON for {type(value).__name__}.')
    return dump(exclude_unset=True, mode='json', by_alias=True)


_encoder = json.JSONEncoder(ensure_ascii=False, separators=(',', ':'), allow_nan=False, default=_other)


def write(value: object) -> bytes:
    """Return a value as JSON, in the form that SDKs give it.

    Raises:
        TypeError: It holds an object that has no JSON form.
        ValueError: It holds a text that no encoding knows, or itself.
        UserError: It holds a number that JSON does not have.
    """
    try:
        return _encoder.encode(value).encode()
    except (ValueError, RecursionError):
        _check_each(value)
        raise


def check_numbers(value: object) -> None:
    """Check that JSON has the numbers in a part of a request.

    Raises:
        UserError: It does not have one of them; the error says which one, and where.
    """
    try:
        _encoder.encode(value)
    except (TypeError, ValueError, RecursionError):  # also for objects that SDKs know what to do with
        _check_each(value)


def _check_each(value: object) -> None:
    try:
        place = _bad_number(value, '')
    except RecursionError:
        raise UserError('The request cannot be sent: something in it contains itself, or is nested too deep.') from None
    if place is not None:
        raise UserError(f'The request cannot be sent: {place}, and JSON has no such number. Leave it out.')


def _bad_number(value: object, path: str) -> str | None:
    if isinstance(value, float):
        return None if math.isfinite(value) else f'`{path.lstrip(".")}` is {value}'
    items: Iterable[tuple[str, object]] = ()
    if isinstance(value, Mapping):
        items = ((f'{path}.{key}', item) for key, item in as_dict(value).items())
    elif isinstance(value, (list, tuple)):
        items = ((f'{path}[{_label(item, i)}]', item) for i, item in enumerate(cast('list[object]', value)))
    return next((place for at, item in items if (place := _bad_number(item, at)) is not None), None)


def _label(item: object, number: int) -> str:
    """Return the name of an item of a list, such as a tool; its number if it has none."""
    fields = as_dict(item)
    return str(fields.get('name') or as_dict(fields.get('function')).get('name') or number)


def write_body(fields: Mapping[str, object]) -> bytes:
    """Return the body of a request; what is `Written` in it is joined. Errors as `write`."""
    try:
        return b'{' + b','.join([write(name) + b':' + _value(value) for name, value in fields.items()]) + b'}'
    except UserError:
        _check_each(fields)  # which has the names of all fields
        raise


def _value(value: object) -> bytes:
    items = as_list(value)
    if not any(type(item) is Written for item in items):
        return write(value)
    return b'[' + b','.join([item.json if type(item) is Written else write(item) for item in items]) + b']'


def parse(data: bytes) -> Any:
    """Return JSON data. Errors are those of `json.loads`."""
    try:
        return from_json(data, cache_strings='keys')
    except ValueError:  # it may hold a half of a surrogate pair, which servers cut in two
        return json.loads(data)
