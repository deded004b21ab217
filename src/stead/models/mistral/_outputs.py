"""Outputs that Mistral's models stream as text in place of a tool call. No I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic_core import from_json

from ..._contracts.tool_definition import ToolDefinition
from ..._kit.json_types import as_dict

VALID_JSON_TYPE_MAPPING: dict[str, Any] = {
    'string': str,
    'integer': int,
    'number': float,
    'boolean': bool,
    'array': list,
    'object': dict,
    'null': type(None),
}
"""The types of Python that JSON types are."""
SIMPLE_JSON_TYPE_MAPPING = {
    'string': 'str',
    'integer': 'int',
    'number': 'float',
    'boolean': 'bool',
    'array': 'list',
    'null': 'None',
}
"""The names that JSON types have in Python."""


class OutputText:
    """Buffer of text that may be the arguments of an output tool; it is held back until that is known."""

    def __init__(self, tools: Sequence[ToolDefinition], *, allow_text: bool) -> None:
        """Start without any text.

        Args:
            tools: The output tools.
            allow_text: Whether text may be the output.
        """
        self.pending = ''
        """Text that is held back."""
        self._tools = tools
        self._is_certain = len(tools) == 1 and not allow_text
        self._look_at = 0

    def feed(self, text: str, *, is_last: bool = False) -> tuple[str | None, str] | None:
        """Take a piece of text, and return the name of its tool with all text so far; the name is `None` for plain text.

        Args:
            text: The piece.
            is_last: Whether it is the last piece.

        Returns:
            `None` until that is known.
        """
        self.pending += text
        start = self.pending.lstrip()
        if not start and not is_last:
            return None
        name: str | None = None
        if start.startswith('{'):
            name = self._tools[0].name if self._is_certain else self._find(start, is_last)
            if name is None and not is_last:
                return None
        whole, self.pending = self.pending, ''
        return (None, whole) if name is None else (name, start)

    def _find(self, text: str, is_last: bool) -> str | None:
        if len(text) < self._look_at and not is_last:
            return None
        self._look_at = 2 * len(text)  # so that long text is not parsed again for every piece
        try:
            arguments = as_dict(from_json(text, allow_partial=True))
        except ValueError:
            return None
        return next(
            (tool.name for tool in self._tools if arguments and _fits(arguments, tool.parameters_json_schema)), None
        )


def _fits(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> bool:
    """Return whether an object has all properties that a schema requires, with the right types."""
    properties = as_dict(schema.get('properties'))
    return all(
        name in arguments and _is_of(arguments[name], as_dict(properties.get(name)).get('type'))
        for name in schema.get('required', ())
    )


def _is_of(value: Any, kind: Any) -> bool:
    expected = VALID_JSON_TYPE_MAPPING.get(kind) if isinstance(kind, str) else None
    return expected is None or isinstance(value, expected) or (kind == 'number' and isinstance(value, int))


__all__ = ('SIMPLE_JSON_TYPE_MAPPING', 'VALID_JSON_TYPE_MAPPING', 'OutputText')
