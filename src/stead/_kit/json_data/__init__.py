"""Data for JSON schemas: small, valid, and the same for the same seed; and checks of data against a schema."""

from __future__ import annotations

import json
import string
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from functools import partial
from typing import Any, TypeVar, cast

from ..json_schema import JsonSchema
from ..json_types import JsonObject, JsonValue
from ..linear_patterns import StepsUsedUp
from ..short import short, short_repr
from .fits import ALIKE, Checker, equal, resolved
from .matching import matching
from .numbers import integers, numbers

ValueT = TypeVar('ValueT')

_CHARS = string.ascii_letters + string.digits + string.punctuation
_MAX_DEPTH = 3  # definitions inside of themselves, where each time makes other data
_MAX_STEPS = 10_000  # schemas looked at before the search is given up
MOST_DATA = 100_000
"""The most characters and items of data, unless more is asked for."""
_ITEM = 20  # what a value counts for, in characters
_KINDS = ('string', 'integer', 'number', 'boolean', 'null', 'array', 'object')  # to try where a schema does not say

_DAYS, _SECONDS = 2_900_000, 10**9  # that Python can still add to a date

_NOTES = {'title', 'description', 'default', '$defs'}
_SURE = _NOTES | {'type', 'properties', 'required', 'items', 'additionalProperties', 'format'}
"""Keywords that the plain choice respects. If a schema has others, the choice is checked."""
_SURE_ELSEWHERE = [(key, _NOTES | {key}) for key in ('$ref', 'anyOf')]


class NoData(Exception):
    """There is no data for a schema, for the reason in the message."""


class _DeadEnd(NoData):
    """This attempt has no data: a schema contains itself, or demands more than can be found."""


class _TooManyWays(NoData):
    """All attempts together take too long. It ends them all, while after a dead end the next one follows."""


class _TooMuch(NoData):
    """A schema demands more data than there may be."""


def _instant(seed: int) -> str:
    return (datetime(2024, 1, 1) + timedelta(seconds=seed % _SECONDS)).isoformat() + 'Z'


_FORMATS: dict[str, Callable[[int], str]] = {
    'date': lambda seed: (date(2024, 1, 1) + timedelta(days=seed % _DAYS)).isoformat(),
    'date-time': _instant,
    'time': lambda seed: _instant(seed)[11:],
    'duration': lambda seed: f'P{seed + 1}D',
    'email': lambda seed: f'a{seed or ""}@example.com',
    'uri': lambda seed: f'https://example.com/{seed or ""}a',
    'hostname': lambda seed: f'example{seed or ""}.com',
    'ipv4': lambda seed: f'192.0.2.{(seed + 1) % 256}',
    'ipv6': lambda seed: f'2001:db8::{(seed + 1) % 65536:x}',
    'ipvanyaddress': lambda seed: f'192.0.2.{(seed + 1) % 256}',
    'ipvanyinterface': lambda seed: f'192.0.2.{(seed + 1) % 256}',
    'ipvanynetwork': lambda seed: f'192.0.{(seed + 2) % 256}.0/24',
    'ipv4network': lambda seed: f'192.0.{(seed + 2) % 256}.0/24',
    'ipv6network': lambda seed: f'2001:db8:{seed % 65536:x}::/48',
    'json-string': lambda seed: str(seed),
    'byte': lambda seed: f'{seed:03d}A',
    'directory-path': lambda seed: '.',
}


def _form(name: str) -> Callable[[int], str] | None:
    """Return a function that makes text in a format from a seed; `None` if the format is not known."""
    if name.startswith('uuid') and name[4:] in ('', *'12345678'):
        return lambda seed: f'00000000-0000-{name[4:] or 4}000-8000-{seed % 16**12:012x}'
    return _FORMATS.get(ALIKE.get(name, name))


class DataGenerator:
    """Generator of data for a JSON schema.

    Every schema has a plain choice, and the data is made of these if it is valid. If it is not, a search tries other
    choices, the plain ones first, until one is valid.
    """

    def __init__(self, schema: JsonSchema, seed: int = 0, most: int = MOST_DATA) -> None:
        """Build a generator.

        Args:
            schema: The schema.
            seed: Different seeds make different data.
            most: The most characters of the data; an item or a property counts for twenty.
        """
        self._most = most
        self._left = most
        self._schema = schema
        self._seed = seed
        self._first_seed = seed
        self._checker = Checker(schema)
        self._searching = False
        self._sure = True  # whether the plain choice needs no check
        self._steps = 0
        self._open: list[tuple[str, int]] = []  # the references that are being followed, and the seeds at that time

    def generate(self) -> JsonValue:
        """Return data that is valid under the schema, or the plain choice if the search finds none.

        Raises:
            NoData: The schema contains itself without end, refers to what it does not define, has an unknown type, asks for
                too much data or takes too long, or is not a JSON schema.
        """
        try:
            return self._generate()
        except RecursionError:
            raise NoData('its schema is nested too deeply') from None
        except StepsUsedUp:
            raise NoData('its schema takes too many steps to check') from None
        except (
            AttributeError,
            KeyError,
            TypeError,
            ValueError,
        ) as error:  # schemas of servers may be anything
            raise NoData(f'its schema is not a JSON schema ({type(error).__name__}: {short(str(error))})') from error

    def _generate(self) -> JsonValue:
        plain: list[JsonValue] = []
        try:
            plain.append(self._make(self._schema))
            if self._sure or self._checker.fits(plain[0], self._schema):
                return plain[0]
        except (_DeadEnd, _TooManyWays, RecursionError):
            pass
        self._seed, self._searching, self._steps = self._first_seed, True, 0
        self._left = 10 * self._most  # for all that is tried
        try:
            return self._make(self._schema)
        except (_DeadEnd, _TooManyWays, _TooMuch, RecursionError, StepsUsedUp):
            if plain:
                return plain[0]
            raise

    def _make(self, schema: JsonSchema | bool) -> JsonValue:
        """Return data for a schema: the plain choice, or the first that fits."""
        if not self._searching:
            if self._sure and not (isinstance(schema, bool) or schema.keys() <= _SURE):
                self._sure = any(key in schema and schema.keys() <= sure for key, sure in _SURE_ELSEWHERE)
            return next(self._choices(schema))
        for value in self._fitting(schema):
            return value
        raise _DeadEnd(f'nothing fits {short_repr(schema)}')

    def _step(self) -> None:
        self._steps += 1
        if self._steps > _MAX_STEPS:
            raise _TooManyWays('its schema allows too many ways to try')

    def _grow(self, size: int) -> None:
        """Count data that is made."""
        self._left -= size
        if self._left < 0:
            raise _TooMuch(
                f'its schema asks for more than {self._most} characters, where an item or a property counts for {_ITEM}'
            )

    def _fitting(self, schema: JsonSchema | bool) -> Iterator[Any]:
        self._step()
        return (value for value in self._choices(schema) if self._checker.fits(value, schema))

    def _tries(self, *makers: Callable[[], ValueT]) -> Iterator[ValueT]:
        """Yield what functions return, skipping dead ends; if all of them are, raise `_DeadEnd`."""
        dead: _DeadEnd | None = None
        succeeded = False
        for maker in makers:
            seed = self._seed
            try:
                value = maker()
            except _DeadEnd as error:
                dead, self._seed = error, seed
            else:
                succeeded = True
                yield value
        if dead is not None and not succeeded:
            raise dead

    def _choices(self, schema: JsonSchema | bool) -> Iterator[JsonValue]:
        if isinstance(schema, bool):
            if not schema:
                raise _DeadEnd('nothing is allowed there')
            schema = {}
        if 'const' in schema:
            yield schema['const']
            return
        for key in ('enum', 'examples'):
            if listed := schema.get(key):
                yield from self._rotated(listed)
        if '$ref' in schema:
            yield self._follow(schema['$ref'])
        elif options := schema.get('anyOf'):
            yield from self._tries(*(lambda option=option: self._make(option) for option in self._rotated(options)))
        else:
            yield from self._typed(schema)
        if self._searching:
            yield from self._merged(schema)

    def _rotated(self, values: list[ValueT]) -> list[ValueT]:
        first = self._seed % len(values)
        return [*values[first:], *values[:first]]

    def _follow(self, reference: str) -> JsonValue:
        """Return data for the schema that a reference stands for."""
        target = self._target(reference)
        self._step()
        # With the same seed it would recurse forever.
        if (reference, self._seed) in self._open or [name for name, _ in self._open].count(reference) > _MAX_DEPTH:
            raise _DeadEnd(f'{reference!r} contains itself without end')
        self._open.append((reference, self._seed))
        try:
            return self._make(target)
        finally:
            self._open.pop()

    def _target(self, reference: str) -> Any:
        try:
            return resolved(self._schema, reference)
        except LookupError:
            raise NoData(f'its schema refers to {reference!r}, which it does not define') from None

    def _typed(self, schema: JsonSchema) -> Iterator[JsonValue]:
        """Yield choices by the type of a schema."""
        kind: Any = schema.get('type')
        if kind is None:
            if 'properties' in schema:
                kind = 'object'
            elif 'items' in schema or 'prefixItems' in schema:
                kind = 'array'
            else:
                yield self._char()
                kinds = _KINDS if self._searching else ()
                yield from self._tries(*(lambda kind=kind: self._make({**schema, 'type': kind}) for kind in kinds))
                return
        if isinstance(kind, list):
            kinds = self._rotated(cast('list[str]', kind))
            yield from self._tries(*(lambda kind=kind: self._make({**schema, 'type': kind}) for kind in kinds))
        else:
            yield from self._of_kind(kind, schema)

    def _of_kind(self, kind: JsonValue, schema: JsonSchema) -> Iterator[JsonValue]:
        makers: dict[JsonValue, Callable[[], Iterator[JsonValue]]] = {
            'object': lambda: self._objects(schema),
            'array': lambda: self._arrays(schema),
            'string': lambda: self._strings(schema),
            'integer': lambda: integers(schema, self._seed),
            'number': lambda: numbers(schema, self._seed),
            'boolean': lambda: iter(self._rotated([False, True])),
            'null': lambda: iter([None]),
        }
        if kind not in makers:
            raise NoData(f'its schema has the type {kind!r}, but types are {", ".join(map(repr, makers))}')
        return makers[kind]()

    def _merged(self, schema: JsonSchema) -> Iterator[JsonValue]:
        """Yield choices for a schema together with those that it is combined with."""
        rest = {
            key: value for key, value in schema.items() if key not in ('$ref', 'allOf', 'anyOf', 'oneOf', 'examples')
        }
        parts = list(schema.get('allOf', ()))
        if '$ref' in schema:
            parts.append(self._target(schema['$ref']))
        ways: list[JsonSchema] = [self._together(rest, parts)] if parts else []
        for key in ('anyOf', 'oneOf'):
            if schema.get(key):
                ways += [self._together(rest, [*parts, option]) for option in self._rotated(schema[key])]
        yield from self._tries(*(partial(self._make, way) for way in ways if way != schema))

    def _together(self, schema: JsonSchema, parts: list[JsonSchema | bool]) -> JsonSchema:
        """Return one schema for data that is valid under several; it may leave out keywords, as results are checked."""
        merged = dict(schema)
        for part in parts:
            if isinstance(part, bool):
                continue
            flat: JsonSchema = self._target(part['$ref']) if '$ref' in part else part
            for key, value in flat.items():
                if key not in merged:
                    merged[key] = value
                elif key == 'properties':
                    both = {name: {'allOf': [merged[key][name], value[name]]} for name in value if name in merged[key]}
                    merged[key] = {**merged[key], **value, **both}
                elif key == 'required':
                    merged[key] = [*merged[key], *(name for name in value if name not in merged[key])]
                elif key in ('minimum', 'minLength', 'minItems', 'minProperties', 'exclusiveMinimum'):
                    merged[key] = max(merged[key], value)
                elif key in ('maximum', 'maxLength', 'maxItems', 'maxProperties', 'exclusiveMaximum'):
                    merged[key] = min(merged[key], value)
                elif key in ('allOf', 'anyOf', 'oneOf'):
                    merged['allOf'] = [*merged.get('allOf', ()), {key: value}]
        return merged

    def _objects(self, schema: JsonSchema) -> Iterator[JsonObject]:
        properties: JsonObject = schema.get('properties', {})
        required: list[str] = schema.get('required', [])
        extra: JsonSchema | bool | None = schema.get('additionalProperties')
        self._sure = (
            self._sure and 'additionalProperty' not in properties and all(key in properties for key in required)
        )
        data: JsonObject = {}
        for key, value in properties.items():
            if key in required:
                self._grow(_ITEM)
                data[key] = self._make(value)
        if extra:
            name = 'additionalProperty'
            while name in data or (name in properties and self._searching):
                name += '_'
            yield from self._tries(lambda: {**data, name: self._make(extra)}, lambda: data)
        else:
            yield data
        if self._searching:
            yield from self._fuller(schema, data)

    def _fuller(self, schema: JsonSchema, data: JsonObject) -> Iterator[JsonObject]:
        """Yield objects with more and more properties: required ones without a schema, then optional ones."""
        data = dict(data)
        yield data
        for key in schema.get('required', ()):
            if key not in data:
                data[key] = self._make_for(schema, key)
        yield dict(data)
        fewest: int = schema.get('minProperties', 0)
        for key in schema.get('properties', {}):
            if key not in data:
                try:
                    data[key] = self._make_for(schema, key)
                except _DeadEnd:
                    continue
                yield dict(data)
        for key in self._names(schema):
            if len(data) >= fewest:
                break
            if key not in data:
                data[key] = self._make_for(schema, key)
        yield data

    def _make_for(self, schema: JsonSchema, key: str) -> JsonValue:
        self._grow(_ITEM)
        schemas = self._checker.schemas_of(schema, key)
        return self._make(schemas[0] if len(schemas) == 1 else {'allOf': schemas})

    def _names(self, schema: JsonSchema) -> Iterator[str]:
        """Yield names for additional properties."""
        if 'propertyNames' in schema:
            yield from self._fitting({'type': 'string', **schema['propertyNames']})
        for pattern in schema.get('patternProperties', {}):
            yield from matching(pattern)
        if schema.get('additionalProperties') is not False:
            yield from (f'additionalProperty{number}' for number in range(schema.get('minProperties', 0)))

    def _arrays(self, schema: JsonSchema) -> Iterator[list[JsonValue]]:
        data: list[JsonValue] = []
        first: list[JsonSchema | bool] = schema.get('prefixItems', [])
        items: JsonSchema | bool | None = schema.get('items')
        low, high = schema.get('minItems', 0), schema.get('maxItems')
        for item in first if high is None else first[:high]:
            self._append(data, item, schema)
        if items is False or high == 0:
            yield data
            return
        if low > len(data):
            while low > len(data):
                self._append(data, {} if items is None else items, schema)
        elif items and (high is None or len(data) < high):
            few = list(data)
            yield from self._tries(lambda: self._append(data, items, schema), lambda: few)
        yield data
        if self._searching and 'contains' in schema:
            room = data if high is None or len(data) < high else data[:-1]
            yield [*room, self._make({'allOf': [schema['contains'], {} if items is None else items]})]

    def _append(self, data: list[JsonValue], item: JsonSchema | bool, schema: JsonSchema) -> list[JsonValue]:
        """Append an item to an array; a different one if items must be unique."""
        self._grow(_ITEM)
        if not schema.get('uniqueItems'):
            data.append(self._make(item))
            return data
        if not self._searching:
            data.append(self._make(item))
        else:
            data.append(self._other(data, item))
        self._seed += 1
        return data

    def _other(self, data: list[JsonValue], item: JsonSchema | bool) -> JsonValue:
        """Return an item that is not in an array yet."""
        self._checker.steps.take(len(data))
        for _ in range(3):
            for value in self._fitting(item):
                if not any(equal(value, other) for other in data):
                    return value
            self._seed += 1
        raise _DeadEnd(f'there are not enough different items for {short_repr(item)}')

    def _strings(self, schema: JsonSchema) -> Iterator[str]:
        low, high = schema.get('minLength'), schema.get('maxLength')
        self._grow(low or 0)
        form = _form(schema['format']) if 'format' in schema else None
        if high == 0:
            yield ''
            return
        if schema.get('contentMediaType') == 'application/json':
            yield json.dumps(self._make(schema.get('contentSchema', {})))
        text = self._char()
        self._sure = self._sure and schema.get('format') != 'regex'
        if form is not None:
            for seed in (self._seed, *range(400)):
                text = form(seed)
                yield text
                if missing := max(low or 0, len(text)) - len(text):
                    yield 'a' * missing + text
                    yield text + 'a' * missing
        else:
            text = text if low is None else text * low
            yield text if high is None else text[:high]
        if self._searching and 'pattern' in schema:
            yield from matching(schema['pattern'], low or 0, high)
        if self._searching and form is None:
            count = max(low or 0, 1) if high is None else min(max(low or 0, 1), high)
            yield from (char * count for char in _CHARS)

    def _char(self) -> str:
        text = ''
        rest = self._seed + 1
        while rest > 0:
            rest, place = divmod(rest - 1, len(_CHARS))
            text = _CHARS[place] + text
        return text
