"""Types of JSON data, and helpers to read data that may be of any shape, as what servers and models send."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, cast

from typing_extensions import TypeAlias

JsonValue: TypeAlias = object
"""A JSON value: None, a bool, a number, a string, a list of values, or an object. Narrow it before use."""

JsonObject: TypeAlias = dict[str, Any]
"""A JSON object. Which types its values have depends on the data, and checkers cannot follow nested objects."""


def as_dict(value: Any) -> JsonObject:
    """Return the value if it is a dict, otherwise an empty dict."""
    if type(value) is dict:  # nearly always, and asking for a `Mapping` takes several times as long
        return value  # type: ignore[reportUnknownVariableType]
    return cast('JsonObject', value) if isinstance(value, Mapping) else {}


def as_list(value: Any) -> list[Any]:
    """Return the value if it is a list, otherwise an empty list."""
    return cast('list[Any]', value) if isinstance(value, list) else []


def as_count(value: Any) -> int:
    """Return the value as an int if it is a number of things, which is finite and not negative; otherwise 0."""
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return 0
    return int(value) if 0 < value < math.inf else 0


def plain(value: Any) -> Any:
    """Return an object of an SDK as plain data; SDKs do not check what servers send, and neither does this."""
    dump = getattr(value, 'model_dump', None)
    return value if dump is None else dump(exclude_unset=True, warnings=False)
