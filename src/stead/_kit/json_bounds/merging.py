"""Intersections of schemas: what is valid under both of two."""

from __future__ import annotations

from typing import Any, cast

from ..json_schema import JsonSchema

KINDS = ('string', 'integer', 'number', 'boolean', 'object', 'array', 'null')
_HINTS = {
    'object': {'properties', 'additionalProperties', 'required', 'patternProperties', 'propertyNames', 'minProperties'},
    'array': {'items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'contains'},
    'string': {'pattern', 'minLength', 'maxLength', 'format'},
    'number': {'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'},
}
_LARGER = frozenset({'minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties', 'minContains'})
_SMALLER = frozenset({'maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties', 'maxContains'})


def kinds_of(schema: JsonSchema) -> list[str]:
    """Return the types of a schema; without any, the type that its keywords are for, or else all scalar ones."""
    kinds = schema.get('type')
    if isinstance(kinds, str):
        return [kinds]
    if isinstance(kinds, list):
        names = cast('list[str]', kinds)
        return [name for name in names if not (name == 'integer' and 'number' in names)]
    for kind, words in _HINTS.items():
        if words & schema.keys():
            return [kind]
    return ['string', 'integer', 'boolean', 'null']


def merged(one: Any, other: Any) -> Any:
    """Return the intersection of two schemas; `False` if nothing is valid under it."""
    if one is True or one == {}:
        return other
    if other is True or other == {}:
        return one
    if one is False or other is False:
        return False
    both: dict[str, Any] = {**one}
    for key, value in other.items():
        if key not in both:
            both[key] = value
            continue
        joined = _joined(key, both[key], value)
        if joined is None:
            return False
        both[key] = joined
    return both


def _joined(key: str, one: Any, other: Any) -> Any:
    """Return the intersection of the values of a keyword; `None` if nothing is valid under it."""
    if key == 'type':
        mine, yours = _names(one), _names(other)
        shared = [name for name in mine if name in yours or (name == 'integer' and 'number' in yours)]
        shared += [name for name in yours if name == 'integer' and 'number' in mine and name not in shared]
        return (shared[0] if len(shared) == 1 else shared) if shared else None
    if key in _LARGER:
        return max(one, other)
    if key in _SMALLER:
        return min(one, other)
    if key == 'enum':
        return [value for value in one if value in other] or None
    if key == 'const':
        return one if one == other else None
    if key == 'required':
        return list(dict.fromkeys((*one, *other)))
    if key in ('properties', 'patternProperties', '$defs'):
        return {**one, **{name: merged(one[name], value) if name in one else value for name, value in other.items()}}
    if key in ('items', 'additionalProperties', 'propertyNames'):
        return merged(one, other)
    if key == 'allOf':
        return [*one, *other]
    if key in ('anyOf', 'oneOf'):
        return [{'allOf': [first, second]} for first in one for second in other]
    return other


def _names(kinds: Any) -> list[str]:
    return [kinds] if isinstance(kinds, str) else list(kinds)
