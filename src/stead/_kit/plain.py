"""Reading plain data that comes from outside, which may be anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast


def as_dict(value: Any) -> dict[str, Any]:
    """Return an object as it is; anything else is empty."""
    return cast('dict[str, Any]', value) if isinstance(value, Mapping) else {}


def as_list(value: Any) -> list[Any]:
    """Return an array as it is; anything else is empty."""
    return cast('list[Any]', value) if isinstance(value, list) else []


def as_count(value: Any) -> int:
    """Return a number of things; anything else is none."""
    return int(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else 0


def plain(value: Any) -> Any:
    """Return an object of an SDK as plain data; SDKs do not check what servers send, and neither does this."""
    dump = getattr(value, 'model_dump', None)
    return value if dump is None else dump(exclude_unset=True, warnings=False)
