"""Bounded schemas: every schema becomes one under which each value has an end, so that a decoder can be held to it.

The result is itself a JSON schema, with few keywords (`grammar.py` has one function for each kind of node). All that is
valid under it is valid under the original schema. The reverse does not hold: open texts, numbers, arrays and mappings
get bounds, recursion gets a depth, and formats get an expression that every validator accepts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Any

from ..json_data.fits import Checker, resolved
from ..json_data.matching import matching
from ..json_schema import JsonSchema
from ..json_types import as_dict
from ..short import short_repr
from .merging import kinds_of, merged
from .patterns import FORMATS, Expression, UnsupportedPattern, bounded_pattern, some_matching

Node = dict[str, Any]
_DEPTHS = (2, 3, 5, 9)
_TEXT: Node = {'type': 'string'}
_KEY = '[A-Za-z_][A-Za-z0-9_]{0,23}'
_MOST_INTEGER = 10**15
_MOST_EXACT = 10**6
_MOST_LISTED = 64
_MOST_NODES = 5_000
_MOST_LEAST = 1_000
"""The most characters, items or properties that a schema may ask for at least."""


@dataclass(frozen=True)
class Bounds:
    """The greatest lengths, where a schema sets none."""

    string: int = 512
    """The most characters of a string."""
    items: int = 8
    """The most items of an array; fewer for arrays within arrays."""


class UnsatisfiableSchema(ValueError):
    """No value that ends is valid under a schema."""


def bounded(schema: JsonSchema, bounds: Bounds) -> Node:
    """Return a schema of bounded values, with its definitions under `$defs`.

    Raises:
        UnsatisfiableSchema: No value that ends is valid under it.
    """
    for depth in _DEPTHS:
        bounder = _Bounder(schema, bounds, depth)
        try:
            node = bounder.node(schema, 0, 0)
        except RecursionError:
            raise UnsatisfiableSchema('The schema is nested too deeply.') from None
        if node is not None:
            return {**node, '$defs': bounder.definitions} if bounder.definitions else node
    raise UnsatisfiableSchema('No value is valid under the schema, or only values that never end.')


class _Bounder:
    def __init__(self, root: JsonSchema, bounds: Bounds, deepest: int) -> None:
        self.root = root
        self.bounds = bounds
        self.deepest = deepest
        self.definitions: dict[str, Node] = {}
        self._names: dict[tuple[str, int, int], str | None] = {}
        self._recursive: dict[str, bool] = {}
        self._nodes = 0

    def node(self, schema: Any, depth: int, level: int) -> Node | None:
        """Return the bounded schema; `None` if no value is valid under it.

        Args:
            schema: The schema.
            depth: The number of recursive definitions around it.
            level: The number of arrays and mappings around it.
        """
        self._count(1)
        if schema is False:
            return None
        if schema is True or not schema:
            return self._anything(level)
        if '$ref' in schema:
            return self._reference(schema, depth, level)
        if 'allOf' in schema:
            rest = {key: value for key, value in schema.items() if key != 'allOf'}
            self._count(len(schema['allOf']))
            for part in schema['allOf']:
                rest = merged(rest, self._followed(part))
            return None if rest is False else self.node(rest, depth, level)
        for key in ('anyOf', 'oneOf'):
            if key in schema:
                return self._any_of(schema, key, depth, level)
        if 'const' in schema or 'enum' in schema:
            return self._listed(schema)
        kinds = kinds_of(schema)
        if len(kinds) != 1:
            return _either([self._kind(kind, schema, depth, level) for kind in kinds])
        return self._kind(kinds[0], schema, depth, level)

    def _count(self, parts: int) -> None:
        self._nodes += parts
        if self._nodes > _MOST_NODES:
            raise UnsatisfiableSchema(f'The schema has more than {_MOST_NODES} parts, with those that it repeats.')

    def _kind(self, kind: str, schema: JsonSchema, depth: int, level: int) -> Node | None:
        if kind == 'object':
            return self._object(schema, depth, level)
        if kind == 'array':
            return self._array(schema, depth, level)
        if kind == 'string':
            return self._string(schema)
        if kind in ('integer', 'number'):
            return _number(schema, whole=kind == 'integer')
        return {'type': kind} if kind in ('null', 'boolean') else None

    def _anything(self, level: int) -> Node:
        scalars: list[Node] = [
            {'type': 'string', 'minLength': 0, 'maxLength': self.bounds.string},
            {'type': 'integer', 'minimum': -_MOST_INTEGER, 'maximum': _MOST_INTEGER},
            {'type': 'boolean'},
            {'type': 'null'},
        ]
        if level:
            return {'anyOf': scalars}
        inner: Node = {'anyOf': scalars}
        most = self._most_items(level)
        return {
            'anyOf': [
                *scalars,
                {'type': 'array', 'items': inner, 'minItems': 0, 'maxItems': most},
                _mapping([], {'type': 'string', 'pattern': _KEY}, inner, 0, most),
            ]
        }

    def _most_items(self, level: int) -> int:
        return max(self.bounds.items >> level, 1)

    # References

    def _followed(self, schema: Any) -> Any:
        """Return a schema with the reference at its top resolved, for merging."""
        seen: set[str] = set()
        target: Any = schema
        while '$ref' in as_dict(target) and target['$ref'] not in seen:
            seen.add(target['$ref'])
            rest = {key: value for key, value in as_dict(target).items() if key != '$ref'}
            try:
                target = merged(resolved(self.root, str(target['$ref'])), rest)
            except LookupError:
                return rest
        return target

    def _reference(self, schema: JsonSchema, depth: int, level: int) -> Node | None:
        pointer = str(schema['$ref'])
        try:
            target = resolved(self.root, pointer)
        except LookupError:
            return self._anything(level)
        rest = {key: value for key, value in schema.items() if key not in _NOTES and key != '$ref'}
        if pointer not in self._recursive:
            self._recursive[pointer] = pointer in self._reachable(target)
        if self._recursive[pointer]:
            depth += 1
            if depth > self.deepest:
                return None
        if rest:
            return self.node(merged(target, rest), depth, level)
        key = (pointer, depth, min(level, 8))
        if key not in self._names:
            node = self.node(target, depth, level)
            name = f'{pointer.rpartition("/")[2]}.{len(self.definitions)}' if node is not None else None
            if node is not None and name is not None:
                self.definitions[name] = node
            self._names[key] = name
        name = self._names[key]
        return None if name is None else {'$ref': f'#/$defs/{name}'}

    def _reachable(self, schema: Any) -> set[str]:
        found: set[str] = set()
        waiting = [schema]
        while waiting:
            for pointer in _references(waiting.pop()):
                if pointer not in found:
                    found.add(pointer)
                    try:
                        waiting.append(resolved(self.root, pointer))
                    except LookupError:
                        continue
        return found

    # Choices

    def _any_of(self, schema: JsonSchema, key: str, depth: int, level: int) -> Node | None:
        rest = {name: value for name, value in schema.items() if name != key and name not in _NOTES}
        options: list[JsonSchema | bool] = schema[key]
        if _TEXT in options and any('number' in kinds_of(option) for option in options if isinstance(option, dict)):
            # This is how pydantic writes `Decimal`, for which most texts will not do.
            options = [option for option in options if option != _TEXT]
        nodes: list[Node | None] = []
        for option in options:
            whole = merged(rest, self._followed(option)) if rest else option
            nodes.append(self.node(whole, depth, level))
        return _either(nodes)

    def _listed(self, schema: JsonSchema) -> Node | None:
        values: list[Any] = [schema['const']] if 'const' in schema else schema['enum']
        checker = Checker(self.root)
        plain = schema.keys() <= {'const', 'enum', *_NOTES}
        kept = [value for value in values if plain or checker.fits(value, schema)]
        return {'enum': kept} if kept else None

    # Kinds

    def _string(self, schema: JsonSchema) -> Node | None:
        least = _least(schema, 'minLength')
        most = int(schema.get('maxLength', max(self.bounds.string, least)))
        most = min(most, max(self.bounds.string, least))
        if least > most:
            return None
        form = schema.get('pattern')
        if isinstance(form, str):
            try:
                expression = bounded_pattern(form, self.bounds.string)
            except UnsupportedPattern:
                # Offer some texts that match. Without any, the string is unrestricted: it is validated later in any case.
                if some := some_matching(form, least, most, _MOST_LISTED):
                    return {'enum': some}
            else:
                return _patterned(expression, least, most, bool({'minLength', 'maxLength'} & schema.keys()))
        form = FORMATS.get(str(schema.get('format')))
        if form is not None and not {'minLength', 'maxLength'} & schema.keys():
            return {'type': 'string', 'pattern': form}
        return {'type': 'string', 'minLength': least, 'maxLength': most}

    def _array(self, schema: JsonSchema, depth: int, level: int) -> Node | None:
        least = _least(schema, 'minItems')
        most = int(schema.get('maxItems', max(self._most_items(level), least)))
        first: list[Node] = []
        rest_schema: Any = schema.get('items', True)
        prefix: list[Any] = list(schema.get('prefixItems', ()))
        if 'contains' in schema:
            wanted = merged(rest_schema, self._followed(schema['contains']))
            prefix += [wanted] * max(_least(schema, 'minContains', 1) - len(prefix), 0)
            least = max(least, len(prefix))
        for item in prefix[:most]:
            node = self.node(item, depth, level + 1)
            if node is None:
                break
            first.append(node)
        rest = None
        if most > len(prefix) and len(first) == len(prefix):
            rest = self.node(rest_schema, depth, level + 1)
        if rest is None:
            most = min(most, len(first))
        else:
            most = min(most, max(self._most_items(level), least, len(first)))
        if schema.get('uniqueItems') and least > 1 and rest is not None and not first:
            first = _apart(rest, least)
        if least > most:
            return None
        array: Node = {'type': 'array', 'minItems': least, 'maxItems': most}
        if first:
            array['prefixItems'] = first
        array['items'] = rest if rest is not None else False
        return array

    def _object(self, schema: JsonSchema, depth: int, level: int) -> Node | None:
        properties: dict[str, Any] = schema.get('properties') or {}
        required: list[str] = [*schema.get('required', ())]
        extra: Any = schema.get('additionalProperties', True)
        patterns: dict[str, Any] = schema.get('patternProperties') or {}
        members: dict[str, Node] = {}
        for name in dict.fromkeys((*properties, *required)):
            node = self.node(properties.get(name, extra), depth, level)
            if node is not None:
                members[name] = node
            elif name in required:
                return None
        least = _least(schema, 'minProperties') - len(required)
        most = schema.get('maxProperties')
        optional = [name for name in members if name not in required]
        required += optional[: max(least, 0)]
        least -= len(optional)
        if most is not None:
            for name in [name for name in members if name not in required][max(int(most) - len(required), 0) :]:
                del members[name]
        if members and least <= 0:
            return _record(members, required)
        form = next(iter(patterns), None)
        value = self.node(patterns[form] if form is not None else extra, depth, level + 1)
        most = (
            max(self._most_items(level), least) if most is None else min(int(most), max(self._most_items(level), least))
        )
        if value is None or most <= 0:
            return _record(members, required) if least <= 0 else None
        names = merged(schema.get('propertyNames', {}), {'type': 'string', **({'pattern': form} if form else {})})
        key = (
            self._string(names)
            if names is not False and not {'enum', 'const'} & names.keys()
            else self.node(names, 0, 0)
        )
        if names == {'type': 'string'}:
            key = {'type': 'string', 'pattern': _KEY}
        if key is None:
            return _record(members, required) if least <= 0 else None
        first_names = _apart(key, least) if least > 1 else []
        return {
            **_mapping(first_names, key, value, max(least, 0), most),
            **({'properties': members, 'required': required} if members else {}),
        }


_NOTES = frozenset(
    {'title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly', '$defs', 'definitions'}
    | {'discriminator', '$comment', '$schema', '$id'}
)
"""Keywords that do not affect validity."""


def _least(schema: JsonSchema, key: str, default: int = 0) -> int:
    least = int(schema.get(key, default))
    if least > _MOST_LEAST:
        raise UnsatisfiableSchema(f'It asks for `{key}` {short_repr(least)}, where the limit is {_MOST_LEAST}.')
    return least


def _record(properties: dict[str, Node], required: list[str]) -> Node:
    return {'type': 'object', 'properties': properties, 'required': required, 'additionalProperties': False}


def _mapping(first_names: list[Node], key: Node, value: Node, least: int, most: int) -> Node:
    """Return an object of pairs; `fixedNames` are the names of the first ones."""
    node: Node = {'type': 'object', 'propertyNames': key, 'additionalProperties': value}
    node.update(minProperties=least, maxProperties=most)
    if first_names:
        node['fixedNames'] = first_names
    return node


def _either(nodes: list[Node | None]) -> Node | None:
    left = [node for node in nodes if node is not None]
    if not left:
        return None
    return left[0] if len(left) == 1 else {'anyOf': left}


def _references(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        for key, value in schema.items():  # type: ignore[reportUnknownVariableType]
            if key == '$ref' and isinstance(value, str):
                yield value
            elif key not in ('$defs', 'definitions', 'const', 'enum', 'default', 'examples', 'discriminator'):
                yield from _references(value)
    elif isinstance(schema, list):
        for item in schema:  # type: ignore[reportUnknownVariableType]
            yield from _references(item)


def _patterned(expression: Expression, least: int, most: int, limited: bool) -> Node | None:
    if not limited or (expression.shortest >= least and expression.longest <= most):
        return {'type': 'string', 'pattern': expression.text}
    if expression.shortest > most:
        return None
    text = expression.text
    if expression.longest < least:
        if not expression.open_end:
            return None
        text += f'[A-Za-z0-9]{{{least - expression.shortest}}}'
    return {'type': 'string', 'pattern': text, 'minLength': least, 'maxLength': most}


def _number(schema: JsonSchema, *, whole: bool) -> Node | None:
    step = schema.get('multipleOf')
    low, high = _fraction(schema.get('minimum')), _fraction(schema.get('maximum'))
    above, below = _fraction(schema.get('exclusiveMinimum')), _fraction(schema.get('exclusiveMaximum'))
    places = 0 if whole else max(2, *(_places(bound) for bound in (low, high, above, below) if bound is not None), 0)
    if not whole and None not in (bottom := _first(low, above), top := _first(high, below)):
        while places < 12 and (top - bottom) * 10**places < 20:  # type: ignore[operator]
            places += 1
    unit = Fraction(1, 10**places)
    if above is not None:
        over = above + unit if whole is False or above.denominator == 1 else Fraction(above.__ceil__())
        low = over if low is None else max(low, over)
    if below is not None:
        under = below - unit if whole is False or below.denominator == 1 else Fraction(below.__floor__())
        high = under if high is None else min(high, under)
    if low is None:
        low = min(Fraction(-_MOST_INTEGER), high - _MOST_INTEGER) if high is not None else Fraction(-_MOST_INTEGER)
    if high is None:
        high = max(Fraction(_MOST_INTEGER), low + _MOST_INTEGER)
    if low > high:
        return None
    if step:
        return _stepped(low, high, Fraction(str(step)), whole)
    if low.__ceil__() > high.__floor__() and whole:
        return None
    return {'type': 'integer' if whole else 'number', 'minimum': low, 'maximum': high, 'places': places}


def _stepped(low: Fraction, high: Fraction, step: Fraction, whole: bool) -> Node | None:
    """Return the multiples of a number in a range: those near to zero, if there are many."""
    if whole and step.denominator != 1:
        step = Fraction(step.numerator)
    places = _places(step)
    if not whole and step == Fraction(1, 10**places):
        # Not too far from zero, where floating point numbers are exact enough to be multiples of anything.
        zero = Fraction(0)
        low, high = max(low, min(high, zero) - _MOST_EXACT), min(high, max(low, zero) + _MOST_EXACT)
        return {'type': 'number', 'minimum': low, 'maximum': high, 'places': places}
    if whole and step == 1:
        return {'type': 'integer', 'minimum': low, 'maximum': high, 'places': 0}
    first, last = (low / step).__ceil__(), (high / step).__floor__()
    if first > last:
        return None
    begin = min(max(first, 0), max(last - _MOST_LISTED + 1, first))
    values = [step * count for count in range(begin, min(last, begin + _MOST_LISTED - 1) + 1)]
    return {'enum': [int(value) if value.denominator == 1 else float(value) for value in values]}


def _fraction(value: Any) -> Fraction | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value in (float('inf'), float('-inf')):
        return None
    return Fraction(repr(value))


def _places(value: Fraction) -> int:
    places = 0
    while places < 12 and (value * 10**places).denominator != 1:
        places += 1
    return places


def _first(one: Fraction | None, other: Fraction | None) -> Fraction | None:
    return one if one is not None else other


def _apart(node: Node, count: int) -> list[Node]:
    """Return nodes whose values differ from each other, as far as possible."""
    if 'anyOf' in node:
        found = (_apart(option, count) for option in node['anyOf'])
        return next((nodes for nodes in found if nodes[0] is not nodes[-1]), [node] * count)
    kind = node.get('type')
    if kind in ('integer', 'number'):
        return _ranges(node, count)
    values: list[Any] = node.get('enum', [False, True] if kind == 'boolean' else [])
    if kind == 'string':
        if node.get('pattern', _KEY) == _KEY and count <= len(_INITIALS):
            return _initials(node, count)
        form = f'^({node["pattern"]})$' if 'pattern' in node else '.'
        low, high = int(node.get('minLength', 0)), node.get('maxLength')
        texts = (json.loads(f'"{text}"') for text in matching(form, low, high))
        values = list(dict.fromkeys(islice(texts, _MOST_LISTED)))
    shares = [values[place::count] for place in range(count)]
    return [{'enum': share} for share in shares] if all(shares) else [node] * count


_INITIALS = 'abcdefghijklmnopqrst'


def _initials(node: Node, count: int) -> list[Node]:
    """Return nodes of texts that begin with different letters."""
    most = int(node.get('maxLength', 20))
    if most < 1:
        return [node] * count
    least = max(int(node.get('minLength', 1)), 1)
    shares = [_INITIALS[place::count] for place in range(count)]
    return [{'type': 'string', 'pattern': f'[{share}][a-z0-9]{{{least - 1},{most - 1}}}'} for share in shares]


def _ranges(node: Node, count: int) -> list[Node]:
    """Return nodes of numbers of different ranges."""
    unit = 10 ** node['places']
    low, high = (node['minimum'] * unit).__ceil__(), (node['maximum'] * unit).__floor__()
    size = (high - low + 1) // count
    if size < 1:
        return [node] * count
    begins = [low + size * place for place in range(count)]
    return [{**node, 'minimum': Fraction(begin, unit), 'maximum': Fraction(begin + size - 1, unit)} for begin in begins]
