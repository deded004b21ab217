"""Checks whether data is valid under a JSON schema, as far as generated data needs it."""

from __future__ import annotations

import base64
import ipaddress
import json
import re
import uuid
from collections.abc import Callable
from datetime import date, datetime
from typing import Any, cast

from ..json_schema import JsonSchema
from ..json_types import JsonValue
from ..linear_patterns import Steps, UnsearchablePattern
from ..tried_patterns import searched

_LISTING = frozenset({'const', 'enum'})
_BOUNDS = frozenset({'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'})
_COMBINING = frozenset({'$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'if'})
_TYPES: dict[str, type | tuple[type, ...]] = {
    'object': dict,
    'array': list,
    'string': str,
    'number': (int, float),
    'boolean': bool,
    'null': type(None),
}


def resolved(root: JsonSchema, reference: str) -> Any:
    """Return the schema that a `$ref` refers to.

    Args:
        root: The schema that is the whole document.
        reference: A JSON pointer into it, `#/$defs/Name` for example.

    Raises:
        LookupError: There is no such schema.
    """
    if not reference.startswith('#'):
        raise LookupError(reference)
    target: Any = root
    for step in reference[1:].split('/')[1:]:
        key = step.replace('~1', '/').replace('~0', '~')
        if isinstance(target, list) and key.isdecimal():
            target = cast('list[JsonValue]', target)[int(key)]
        elif isinstance(target, dict):
            target = cast('dict[str, JsonValue]', target)[key]
        else:
            raise LookupError(reference)
    return target


def equal(one: JsonValue, other: JsonValue) -> bool:
    """Return whether two values are the same JSON: `True` is not `1` there."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        mine, theirs = cast('list[JsonValue]', one), cast('list[JsonValue]', other)
        return len(mine) == len(theirs) and all(map(equal, mine, theirs))
    if isinstance(one, dict) and isinstance(other, dict):
        my, their = cast('dict[str, JsonValue]', one), cast('dict[str, JsonValue]', other)
        return my.keys() == their.keys() and all(equal(value, their[key]) for key, value in my.items())
    return one == other


class Checker:
    """Checker of data against schemas of one document; unknown keywords are ignored."""

    def __init__(self, root: JsonSchema, most_steps: int = 40_000) -> None:
        """Build a checker.

        Args:
            root: The schema that references are looked up in.
            most_steps: The most steps that all checks may take together, about 30 ms. Schemas
                come from servers too, and patterns and references can take forever.
        """
        self._root = root
        self._open: set[tuple[int, int]] = set()
        self.steps = Steps(most_steps)

    def fits(self, value: JsonValue, schema: JsonSchema | bool) -> bool:
        """Return whether data is valid under a schema.

        Raises:
            StepsUsedUp: It takes too many steps to find out.
        """
        if isinstance(schema, bool):
            return schema
        comparison = (id(value), id(schema))
        if comparison in self._open:  # definitions that only refer to each other
            return False
        self.steps.take(2)
        self._open.add(comparison)
        try:
            return (
                _has_type(value, schema.get('type'))
                and (not schema.keys() & _LISTING or _is_listed(value, schema))
                and (not schema.keys() & _COMBINING or self._combines(value, schema))
                and self._own(value, schema)
            )
        finally:
            self._open.discard(comparison)

    def searched(self, pattern: str, text: str) -> bool:
        """Return whether a pattern is found in a text; one that cannot be searched for within bounds is found in any."""
        try:
            return searched(pattern, text, self.steps)
        except UnsearchablePattern:
            return True

    def schemas_of(self, schema: JsonSchema, key: str) -> list[JsonSchema | bool]:
        """Return the schemas within an object schema that apply to the value of a key."""
        properties = schema.get('properties', {})
        applicable = [properties[key]] if key in properties else []
        patterns: dict[str, Any] = schema.get('patternProperties', {})
        applicable += [part for pattern, part in patterns.items() if self.searched(pattern, key)]
        return applicable or [schema.get('additionalProperties', True)]

    def _combines(self, value: JsonValue, schema: JsonSchema) -> bool:
        if '$ref' in schema:
            try:
                if not self.fits(value, resolved(self._root, schema['$ref'])):
                    return False
            except LookupError:
                return False
        if not all(self.fits(value, part) for part in schema.get('allOf', ())):
            return False
        if schema.get('anyOf') and not any(self.fits(value, option) for option in schema['anyOf']):
            return False
        if schema.get('oneOf') and sum(self.fits(value, option) for option in schema['oneOf']) != 1:
            return False
        if 'not' in schema and self.fits(value, schema['not']):
            return False
        if 'if' in schema:
            branch = 'then' if self.fits(value, schema['if']) else 'else'
            return self.fits(value, schema.get(branch, True))
        return True

    def _own(self, value: JsonValue, schema: JsonSchema) -> bool:
        if isinstance(value, str):
            return (
                schema.get('minLength', 0) <= len(value) <= schema.get('maxLength', len(value))
                and ('pattern' not in schema or self.searched(schema['pattern'], value))
                and ('format' not in schema or in_format(value, schema['format']))
            )
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return not schema.keys() & _BOUNDS or _is_within(value, schema)
        if isinstance(value, list):
            return self._array(cast('list[JsonValue]', value), schema)
        return not isinstance(value, dict) or self._object(cast('dict[str, JsonValue]', value), schema)

    def _array(self, value: list[JsonValue], schema: JsonSchema) -> bool:
        if not schema.get('minItems', 0) <= len(value) <= schema.get('maxItems', len(value)):
            return False
        if schema.get('uniqueItems'):
            self.steps.take(len(value) * len(value) // 2)
            if any(equal(one, other) for place, one in enumerate(value) for other in value[:place]):
                return False
        if 'contains' in schema:
            count = sum(self.fits(item, schema['contains']) for item in value)
            if not schema.get('minContains', 1) <= count <= schema.get('maxContains', count):
                return False
        first: list[JsonSchema | bool] = schema.get('prefixItems', [])
        rest = schema.get('items', True)
        return all(map(self.fits, value, first)) and all(self.fits(item, rest) for item in value[len(first) :])

    def _object(self, value: dict[str, JsonValue], schema: JsonSchema) -> bool:
        if not schema.get('minProperties', 0) <= len(value) <= schema.get('maxProperties', len(value)):
            return False
        needed = {*schema.get('required', ())}
        for key, names in schema.get('dependentRequired', {}).items():
            needed.update(names if key in value else ())
        if not needed <= value.keys():
            return False
        for key, dependent in schema.get('dependentSchemas', {}).items():
            if key in value and not self.fits(value, dependent):
                return False
        names = schema.get('propertyNames', True)
        return all(
            self.fits(key, names) and all(self.fits(item, part) for part in self.schemas_of(schema, key))
            for key, item in value.items()
        )


def _has_type(value: JsonValue, kinds: Any) -> bool:
    if isinstance(kinds, list):
        return any(_has_type(value, kind) for kind in cast('list[JsonValue]', kinds))
    if isinstance(value, bool):
        return kinds in (None, 'boolean')
    if kinds == 'integer':
        return isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    return kinds not in _TYPES or isinstance(value, _TYPES[kinds])


def _is_listed(value: JsonValue, schema: JsonSchema) -> bool:
    if 'const' in schema and not equal(value, schema['const']):
        return False
    return not schema.get('enum') or any(equal(value, member) for member in schema['enum'])


def is_multiple(value: float, step: float) -> bool:
    """Return whether a number is a multiple of another, up to the precision of floating-point numbers."""
    if isinstance(value, int) and isinstance(step, int):
        return value % step == 0
    rest = abs(value) % step
    return min(rest, step - rest) <= max(abs(value), 1) * 1e-9


def _is_within(value: float, schema: JsonSchema) -> bool:
    bounds = (
        value >= schema.get('minimum', value),
        value <= schema.get('maximum', value),
        'exclusiveMinimum' not in schema or value > schema['exclusiveMinimum'],
        'exclusiveMaximum' not in schema or value < schema['exclusiveMaximum'],
    )
    return all(bounds) and (not schema.get('multipleOf') or is_multiple(value, schema['multipleOf']))


def _network(text: str) -> None:
    ipaddress.ip_network(text)


def _instant(text: str) -> None:
    datetime.fromisoformat(text.upper().replace('Z', '+00:00'))


def _regex(text: str) -> None:
    # Large ones take time; none that is made here is.
    re.compile(text if len(text) < 1000 else '(')


def _shape(pattern: str) -> Callable[[str], object]:
    def check(text: str) -> None:
        if not re.fullmatch(pattern, text):
            raise ValueError(text)

    return check


_CHECKS: dict[str, Callable[[str], object]] = {
    'date': date.fromisoformat,
    'date-time': _instant,
    'time': lambda text: _instant(f'2024-01-01T{text}'),
    'duration': _shape(r'P(?=.)(\d+[YMWD])*(T(\d+[HMS])+)?'),
    'email': _shape(r'[^@\s]+@[^@\s]+\.[^@\s]+'),
    'uri': _shape(r'[a-zA-Z][\w+.-]*:\S+'),
    'ipv4': ipaddress.IPv4Address,
    'ipv6': ipaddress.IPv6Address,
    'ipvanyaddress': ipaddress.ip_address,
    'ipvanyinterface': ipaddress.ip_interface,
    'ipv4network': _network,
    'ipv6network': _network,
    'ipvanynetwork': _network,
    'json-string': json.loads,
    'byte': base64.b64decode,
    'uuid': uuid.UUID,
    'regex': _regex,
}


def in_format(text: str, name: str) -> bool:
    """Return whether a text is in a format; any text is in a format that is not known."""
    name = ALIKE.get(name, name)
    check = _CHECKS.get('uuid' if name.startswith('uuid') else name)
    try:
        return check is None or check(text) is not NotImplemented
    except (ValueError, re.error):
        return False


ALIKE = {
    'idn-email': 'email',
    'url': 'uri',
    'multi-host-uri': 'uri',
    'base64url': 'byte',
    'base64': 'byte',
}
"""Other names of formats."""
