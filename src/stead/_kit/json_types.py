"""Types of JSON data."""

from __future__ import annotations

from typing import Any

from typing_extensions import TypeAlias

JsonValue: TypeAlias = object
"""A JSON value: None, a bool, a number, a string, a list of values, or an object. Narrow it before use."""

JsonObject: TypeAlias = dict[str, Any]
"""A JSON object. Which types its values have depends on the data, and checkers cannot follow nested objects."""
