"""Numbers for JSON schemas."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import islice
from math import ceil, floor, isfinite

from ..json_schema import JsonSchema

_MOST = 50  # attempts at a number that meets conditions other than bounds


def integers(schema: JsonSchema, seed: int) -> Iterator[int]:
    """Yield integers for a schema; the first is plain, the others are within its bounds.

    Args:
        schema: The schema.
        seed: Different seeds begin with different numbers.
    """
    schema = _finite(schema)
    yield int(_plain(schema, seed))
    for value in _within(schema, Fraction(1), seed):
        yield int(value)


def numbers(schema: JsonSchema, seed: int) -> Iterator[float]:
    """Yield numbers for a schema; the first is plain, the others are within its bounds.

    Args:
        schema: The schema.
        seed: Different seeds begin with different numbers.
    """
    schema = _finite(schema)
    yield float(_plain(schema, seed))
    low, high = _bounds(schema)
    step = Fraction(0)
    if not schema.get('multipleOf') and low is not None and high is not None:
        step = (high - low) / _MOST  # there may be no whole number between them
    for value in _within(schema, step, seed):
        yield float(value)


def _finite(schema: JsonSchema) -> JsonSchema:
    """Return a schema without infinite bounds."""
    return {key: value for key, value in schema.items() if not (isinstance(value, float) and not isfinite(value))}


def _plain(schema: JsonSchema, seed: int) -> float:
    """Return a number within the bounds, which are taken as whole numbers; other keywords are ignored."""
    low, high = schema.get('minimum'), schema.get('maximum')
    if low is None and (bound := schema.get('exclusiveMinimum')) is not None:
        low = bound + 1
    if high is None and (bound := schema.get('exclusiveMaximum')) is not None:
        high = bound - 1
    if low is not None and high is not None:
        return low + seed % (high - low) if high > low else low
    if low is not None:
        return low + seed
    return seed if high is None else high - seed


def _bounds(schema: JsonSchema) -> tuple[Fraction | None, Fraction | None]:
    lows = [_exact(schema[key]) for key in ('minimum', 'exclusiveMinimum') if schema.get(key) is not None]
    highs = [_exact(schema[key]) for key in ('maximum', 'exclusiveMaximum') if schema.get(key) is not None]
    return max(lows, default=None), min(highs, default=None)


def _within(schema: JsonSchema, step: Fraction, seed: int) -> Iterator[Fraction]:
    """Yield numbers within the bounds, a step apart; with `multipleOf`, its multiples."""
    low, high = _bounds(schema)
    if schema.get('multipleOf'):
        multiple = _exact(schema['multipleOf'])
        # A whole multiple of a fraction is a multiple of its numerator.
        step = Fraction(multiple.numerator) if step == 1 else multiple
    step = step or Fraction(1)
    first = ceil(low / step) if low is not None else floor(high / step) if high is not None else seed
    if low is not None and high is not None:
        count = floor(high / step) - first + 1
        start = seed % count if count > 0 else 0
        places = [first + (start + place) % count for place in range(min(count, _MOST))] if count > 0 else []
        yield from (place * step for place in places)
        if count > _MOST:
            yield from (place * step for place in range(first, first + _MOST))
        return
    direction = -1 if low is None and high is not None else 1
    yield from islice((step * (first + direction * (seed + place)) for place in range(_MOST)), _MOST)


def _exact(number: float) -> Fraction:
    """Return a number as it is written: 0.1 is a tenth, not the nearest binary fraction."""
    return Fraction(str(number)) if isinstance(number, float) else Fraction(number)
