"""Data for JSON schemas: small, valid, and the same for the same seed."""

from __future__ import annotations

import re
import string
from datetime import date, timedelta
from typing import Any, cast

from ..exceptions import UserError

_CHARS = string.ascii_letters + string.digits + string.punctuation
_MAX_DEPTH = 12  # deeper, recursive schemas get the smallest value that ends them

_FORMATS = {
    'date-time': '2024-01-01T00:00:00Z',
    'time': '00:00:00Z',
    'duration': 'P1D',
    'email': 'a@example.com',
    'idn-email': 'a@example.com',
    'uri': 'https://example.com/a',
    'url': 'https://example.com/a',
    'uri-reference': '/a',
    'hostname': 'example.com',
    'ipv4': '192.0.2.1',
    'ipv6': '2001:db8::1',
    'ipv4network': '192.0.2.0/24',
    'ipv6network': '2001:db8::/32',
    'ipvanyaddress': '192.0.2.1',
    'ipvanyinterface': '192.0.2.1',
    'ipvanynetwork': '192.0.2.0/24',
    'uuid': '00000000-0000-4000-8000-000000000000',
    'uuid1': '00000000-0000-1000-8000-000000000000',
    'uuid3': '00000000-0000-3000-8000-000000000000',
    'uuid4': '00000000-0000-4000-8000-000000000000',
    'uuid5': '00000000-0000-5000-8000-000000000000',
    'json-string': '0',
    'byte': 'YQ==',
    'base64url': 'YQ==',
    'regex': 'a',
}


class DataGenerator:
    """Makes data for a JSON schema."""

    def __init__(self, schema: dict[str, Any], seed: int = 0) -> None:
        """Prepare to make data.

        Args:
            schema: The schema.
            seed: Other seeds make other data.
        """
        self.schema = schema
        self.definitions: dict[str, Any] = schema.get('$defs', {})
        self.seed = seed
        self.depth = 0

    def generate(self) -> Any:
        """Return data that is valid under the schema.

        Raises:
            UserError: The schema is one for which no data can be made.
        """
        return self._any(self.schema)

    def _any(self, schema: dict[str, Any]) -> Any:
        self.depth += 1
        try:
            return self._choose(schema)
        finally:
            self.depth -= 1

    def _choose(self, schema: dict[str, Any]) -> Any:
        if 'const' in schema:
            return schema['const']
        if enum := schema.get('enum'):
            return enum[self.seed % len(enum)]
        if examples := schema.get('examples'):
            return examples[self.seed % len(examples)]
        if ref := schema.get('$ref'):
            key = re.sub(r'^#/\$defs/', '', ref)
            if key not in self.definitions:
                raise UserError(f'The JSON schema refers to {ref!r}, which it does not define.')
            return self._any(self.definitions[key])
        for name in ('anyOf', 'oneOf'):
            if options := schema.get(name):
                if name == 'oneOf' and any(option == {'type': 'string'} for option in options):
                    return self._char()
                return self._any(self._option(options))
        if 'allOf' in schema:
            return self._any(self._merged(schema))
        return self._of_type(schema)

    def _of_type(self, schema: dict[str, Any]) -> Any:
        kind = schema.get('type')
        if isinstance(kind, list):
            kinds = cast('list[str]', kind)
            kind = 'null' if self.depth > _MAX_DEPTH and 'null' in kinds else kinds[self.seed % len(kinds)]
        if kind is None:
            if 'properties' in schema:
                kind = 'object'
            elif 'items' in schema or 'prefixItems' in schema:
                kind = 'array'
            else:
                return self._char()
        makers: dict[str, Any] = {
            'object': self._object,
            'string': self._string,
            'integer': self._integer,
            'number': self._number,
            'boolean': lambda _: bool(self.seed % 2),  # type: ignore[reportUnknownLambdaType]
            'array': self._array,
            'null': lambda _: None,  # type: ignore[reportUnknownLambdaType]
        }
        if kind not in makers:
            raise UserError(f'No test data can be made for the JSON schema type {kind!r}.')
        return makers[kind](schema)

    def _merged(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Return one schema for a schema with `allOf`."""
        merged: dict[str, Any] = {key: value for key, value in schema.items() if key != 'allOf'}
        for part in schema['allOf']:
            for key, value in self._resolved(part).items():
                if key == 'properties':
                    merged['properties'] = {**merged.get('properties', {}), **value}
                elif key == 'required':
                    merged['required'] = [*merged.get('required', []), *value]
                else:
                    merged.setdefault(key, value)
        return merged

    def _resolved(self, schema: dict[str, Any]) -> dict[str, Any]:
        while '$ref' in schema:
            schema = self.definitions.get(re.sub(r'^#/\$defs/', '', schema['$ref']), {})
        return schema

    def _option(self, options: list[dict[str, Any]]) -> dict[str, Any]:
        if self.depth > _MAX_DEPTH:
            simple = [
                option for option in options if '$ref' not in option and option.get('type') not in ('object', 'array')
            ]
            if simple:
                return simple[0]
        return options[self.seed % len(options)]

    def _object(self, schema: dict[str, Any]) -> dict[str, Any]:
        required = set(schema.get('required', []))
        data: dict[str, Any] = {
            key: self._any(value) for key, value in schema.get('properties', {}).items() if key in required
        }
        for key in required - data.keys():
            data[key] = self._char()
        extra = schema.get('additionalProperties')
        if extra and self.depth <= _MAX_DEPTH:
            data['additionalProperty'] = self._any(extra) if isinstance(extra, dict) else self._char()  # type: ignore[reportUnknownArgumentType]
        while len(data) < schema.get('minProperties', 0):
            data[f'additionalProperty{len(data)}'] = self._any(extra) if isinstance(extra, dict) else self._char()  # type: ignore[reportUnknownArgumentType]
        return data

    def _string(self, schema: dict[str, Any]) -> str:
        low, high = schema.get('minLength', 0), schema.get('maxLength')
        if schema.get('maxLength') == 0:
            return ''
        if fmt := schema.get('format'):
            if fmt == 'date':
                return (date(2024, 1, 1) + timedelta(days=self.seed)).isoformat()
            if fmt in _FORMATS:
                return _FORMATS[fmt]
        if pattern := schema.get('pattern'):
            found = matching(pattern, low, high, self._char())
            if found is not None:
                return found
        text = self._char()
        if low:
            text *= low
        return text[:high] if high is not None and len(text) > high else text

    def _integer(self, schema: dict[str, Any]) -> int:
        step = schema.get('multipleOf')
        high, low = schema.get('maximum'), schema.get('minimum')
        if high is None and (bound := schema.get('exclusiveMaximum')) is not None:
            high = _whole_below(bound)
        if low is None and (bound := schema.get('exclusiveMinimum')) is not None:
            low = _whole_above(bound)
        if low is not None:
            low = -int(-low // 1)
        if high is not None:
            high = int(high // 1)
        if low is not None and high is not None:
            value = low + self.seed % (high - low) if high > low and step is None else low
        elif low is not None:
            value = low + self.seed
        elif high is not None:
            value = high - self.seed
        else:
            value = self.seed
        if step:
            value = _to_multiple(value, step, low, high)
        return int(value)

    def _number(self, schema: dict[str, Any]) -> float:
        step = schema.get('multipleOf')
        low, high = schema.get('minimum'), schema.get('maximum')
        above, below = schema.get('exclusiveMinimum'), schema.get('exclusiveMaximum')
        if (low is not None or above is not None) and (high is not None or below is not None):
            start = low if low is not None else above
            end = high if high is not None else below
            if low is not None and (high is not None or start != end):
                value = float(low + self.seed % (end - low) if end > low else low)
            else:
                value = (start + end) / 2  # type: ignore[reportOptionalOperand, reportUnknownVariableType]
        elif high is not None:
            value = high - self.seed
        elif below is not None:
            value = below - 1 - self.seed
        elif low is not None:
            value = low + self.seed
        elif above is not None:
            value = above + 1 + self.seed
        else:
            value = self.seed
        if step:
            value = _to_multiple(value, step, low if low is not None else above, high if high is not None else below)  # type: ignore[reportUnknownArgumentType]
        return float(value)  # type: ignore[reportUnknownArgumentType]

    def _array(self, schema: dict[str, Any]) -> list[Any]:
        data: list[Any] = []
        unique = schema.get('uniqueItems')
        low, high = schema.get('minItems', 0), schema.get('maxItems')
        if prefix := schema.get('prefixItems'):
            for item in prefix:
                data.append(self._any(item))
                if unique:
                    self.seed += 1
        items: Any = schema.get('items', {})
        if items is False:
            return data
        items = {} if items is True else items
        if high == 0:
            return data
        if self.depth > _MAX_DEPTH and not low:
            return data
        if low > len(data):
            for _ in range(low - len(data)):
                data.append(self._any(items))
                if unique:
                    self.seed += 1
        elif items and not prefix:
            data.append(self._any(items))
        return data

    def _char(self) -> str:
        text = ''
        rest = self.seed + 1
        while rest > 0:
            rest, place = divmod(rest - 1, len(_CHARS))
            text = _CHARS[place] + text
        return text


def _whole_below(bound: float) -> int:
    whole = int(bound // 1)
    return whole - 1 if whole == bound else whole


def _whole_above(bound: float) -> int:
    return int(bound // 1) + 1


def _to_multiple(value: float, step: float, low: float | None, high: float | None) -> float:
    """Return a multiple of a step near a value, inside of bounds where there is one."""
    times = -(-value // step)
    found = times * step
    if high is not None and found > high:
        found = (high // step) * step
    if low is not None and found < low:
        found = -(-low // step) * step
    return found


def matching(pattern: str, low: int, high: int | None, fallback: str) -> str | None:
    """Return text that matches a regular expression, or `None` if it is beyond this simple search.

    The parsed expression is followed from left to right, taking the first way at every fork.
    """
    try:
        import re._parser as parser  # type: ignore[import-not-found]
    except ImportError:
        import sre_parse as parser  # type: ignore[no-redef]  # Python 3.10
    try:
        parsed = parser.parse(pattern)  # type: ignore[reportUnknownMemberType, reportUnknownVariableType]
    except Exception:
        return None
    for extra in range(max(low, 1) + 1):
        text = ''.join(_from(token, extra) for token in parsed)  # type: ignore[reportUnknownVariableType]
        if re.search(pattern, text) and len(text) >= low and (high is None or len(text) <= high):
            return text
    return fallback if re.search(pattern, fallback) else None


def _from(token: Any, extra: int) -> str:
    name, value = str(token[0]), token[1]
    if name == 'LITERAL':
        return chr(value)
    if name == 'NOT_LITERAL':
        return 'a' if chr(value) != 'a' else 'b'
    if name == 'ANY':
        return 'a'
    if name == 'IN':
        return _from_set(value)
    if name in ('MAX_REPEAT', 'MIN_REPEAT', 'POSSESSIVE_REPEAT'):
        low, high, inner = value
        count = min(int(low) + extra, int(high))
        return ''.join(_from(item, 0) for item in inner) * count
    if name == 'SUBPATTERN':
        return ''.join(_from(item, extra) for item in value[-1])
    if name == 'ATOMIC_GROUP':
        return ''.join(_from(item, extra) for item in value)
    if name == 'BRANCH':
        return ''.join(_from(item, extra) for item in value[1][0])
    return ''


_CATEGORIES = {'DIGIT': '0', 'SPACE': ' ', 'WORD': 'a', 'NOT_DIGIT': 'a', 'NOT_SPACE': 'a', 'NOT_WORD': '-'}


def _from_set(items: Any) -> str:
    if items and str(items[0][0]) == 'NEGATE':
        allowed = [char for char in 'a0 -_A' if not _in_set(char, items[1:])]
        return allowed[0] if allowed else '~'
    name, value = str(items[0][0]), items[0][1]
    if name == 'LITERAL':
        return chr(value)
    if name == 'RANGE':
        return chr(value[0])
    return _CATEGORIES.get(str(value).replace('CATEGORY_', ''), 'a')


def _in_set(char: str, items: Any) -> bool:
    for item in items:
        name, value = str(item[0]), item[1]
        if name == 'LITERAL' and chr(value) == char:
            return True
        if name == 'RANGE' and value[0] <= ord(char) <= value[1]:
            return True
        if name == 'CATEGORY':
            kind = str(value).replace('CATEGORY_', '')
            checks = {'DIGIT': char.isdigit(), 'SPACE': char.isspace(), 'WORD': char.isalnum() or char == '_'}
            if checks.get(kind, False):
                return True
    return False
