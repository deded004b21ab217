"""Texts in a partial output that are not shown before they are complete.

These are literals, members of enums, dates, decimals, numbers in quotes, and other texts of which only some are valid. The
beginning of one may be valid, and mean something else: `alpha` of `alphabet`, `"12"` of `"1234"`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from pydantic_core import from_json

from .._kit.json_schema import JsonSchema
from .._kit.json_types import as_dict, as_list

Partial = Literal['off', 'on', 'trailing-strings']
_CHOICES = frozenset({'enum', 'const', 'format', 'pattern'})
_NUMBERS = frozenset({'integer', 'number'})
_MOST_BRANCHES = 100


def has_choices(schema: object) -> bool:
    """Return whether not all texts are valid somewhere in a schema."""
    if isinstance(schema, dict):
        fields = as_dict(schema)
        kinds = {as_dict(option).get('type') for option in as_list(fields.get('anyOf'))}
        is_decimal = 'string' in kinds and not _NUMBERS.isdisjoint(kinds)
        return is_decimal or not _CHOICES.isdisjoint(fields) or any(map(has_choices, fields.values()))
    return any(map(has_choices, as_list(schema)))


def partial_mode(text: str, schema: JsonSchema) -> Partial:
    """Return how a partial JSON text is validated: without the text at its end, if that is the beginning of a choice.

    Args:
        text: The JSON so far.
        schema: The schema of what it will be, which `has_choices`.
    """
    try:
        whole = data = from_json(text, allow_partial='trailing-strings')
    except ValueError:
        return 'trailing-strings'
    places = [*_branches(schema, schema)]
    while isinstance(data, (dict, list)) and data and places:
        if isinstance(data, dict):
            key, data = [*as_dict(data).items()][-1]
            inner = [as_dict(place.get('properties')).get(key, place.get('additionalProperties')) for place in places]
        else:
            data = as_list(data)[-1]
            inner = [place.get('items') for place in places]
        places = [branch for place in inner for branch in _branches(place, schema)]
    kinds = {kind for place in places for kind in _types(place)}
    if not isinstance(data, str) or not places:
        return 'trailing-strings'
    # Where a number may be, too, the text may be one: decimals are written so.
    if kinds.isdisjoint(_NUMBERS) and any(map(_is_any_text, places)):
        return 'trailing-strings'
    try:
        ends_within_text = whole != from_json(text, allow_partial='on')
    except ValueError:  # the text is all there is
        return 'trailing-strings'
    return 'on' if ends_within_text else 'trailing-strings'


def _types(schema: JsonSchema) -> list[object]:
    kinds = schema.get('type', 'string')
    return as_list(kinds) if isinstance(kinds, list) else [kinds]


def _is_any_text(schema: JsonSchema) -> bool:
    return 'string' in _types(schema) and _CHOICES.isdisjoint(schema)


def _branches(place: object, root: JsonSchema) -> Iterator[dict[str, Any]]:
    """Yield the schemas that data may have at a place: those of its union, and what references lead to."""
    waiting: list[object] = [place]
    for _ in range(_MOST_BRANCHES):
        if not waiting:
            return
        schema = as_dict(waiting.pop())
        options = [*as_list(schema.get('anyOf')), *as_list(schema.get('oneOf')), *as_list(schema.get('allOf'))]
        if isinstance(reference := schema.get('$ref'), str):
            options.append(as_dict(root.get('$defs')).get(reference.rpartition('/')[2]))
        if options:
            waiting += options
        elif schema:
            yield schema
