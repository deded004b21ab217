"""JSON of requests, joined from existing pieces and new ones; and JSON of answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pydantic_core import from_json

from ..._kit.plain import as_list
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
        ValueError: It holds a number that has none, a text that no encoding knows, or itself.
    """
    return _encoder.encode(value).encode()


def write_body(fields: Mapping[str, object]) -> bytes:
    """Return the body of a request; what is `Written` in it is joined. Errors as `write`."""
    return b'{' + b','.join([write(name) + b':' + _value(value) for name, value in fields.items()]) + b'}'


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
