"""JSON of values that people look at, whatever is in them."""

from __future__ import annotations

from typing import Any, cast

from pydantic_core import to_json

from .short import short_repr
from .well_formed import well_formed

_DEEPEST = 50  # levels of a value that is replaced in parts


def shown_json(value: object, *, indent: int | None = None) -> bytes:
    """Return a value as JSON; what has no form there, such as a cycle or half of an emoji, is replaced.

    Args:
        value: The value.
        indent: By how many spaces each level is indented; by default all is in one line.
    """
    try:
        return _json(value, indent)
    except (ValueError, RecursionError):  # surrogates, cycles, deep nesting
        return _json(_with_json_form(value, _DEEPEST, frozenset()), indent)


def _json(value: Any, indent: int | None = None) -> bytes:
    # In the standard modes numbers that are not finite are written as no browser reads them, and few bytes can be written.
    return to_json(value, indent=indent, inf_nan_mode='strings', bytes_mode='base64', fallback=_shown)


def _shown(value: object) -> str:
    try:
        return well_formed(short_repr(value))
    except Exception:
        return f'<{type(value).__name__}>'


def _with_json_form(value: object, levels: int, outer: frozenset[int]) -> object:
    """Return data that has a JSON form, with all that has none replaced; `outer` are the ids of what the value is inside of."""
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, (dict, list, tuple)) and levels and id(value) not in outer:  # pyright: ignore[reportUnknownArgumentType]
        inside = outer | {id(value)}  # pyright: ignore[reportUnknownArgumentType]
        if isinstance(value, dict):
            items = cast('dict[object, object]', value).items()
            return {well_formed(str(key)): _with_json_form(item, levels - 1, inside) for key, item in items}
        return [_with_json_form(item, levels - 1, inside) for item in cast('list[object]', value)]
    try:
        _json(value)
    except (ValueError, RecursionError):
        return _shown(cast(object, value))
    return cast(object, value)
