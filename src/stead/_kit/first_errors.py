"""The first errors of a validation: pydantic makes a dict for each, of which very many take longer than the validation."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, cast

from pydantic import ValidationError
from pydantic_core import ErrorDetails

MOST_WHOLE = 1_000
"""Errors that are made whole. Beyond that the first ones are read from JSON, which takes a fifth of the time."""
NOT_SHOWN = 'not shown, because there are too many errors'
"""Stands for the input of an error that was read from JSON."""
TOO_MANY = 'too_many_errors'
"""The type of the last error of a list, which says how many there are more."""
_decode = cast(Callable[[str, int], 'tuple[Any, int]'], json.JSONDecoder().raw_decode)


def first_errors(error: ValidationError, most: int) -> list[ErrorDetails]:
    """Return the first errors of a validation, in order; where there are very many, without their inputs.

    Args:
        error: The error of the validation.
        most: How many errors to return at most.
    """
    if error.error_count() <= MOST_WHOLE:
        return error.errors(include_url=False, include_context=False)[:most]
    text = error.json(include_url=False, include_context=False, include_input=False)
    found: list[ErrorDetails] = []
    place = 1
    while len(found) < most and text[place - 1] in '[,':
        item, place = _decode(text, place)
        found.append(ErrorDetails(type=item['type'], loc=tuple(item['loc']), msg=item['msg'], input=NOT_SHOWN))
        place += 1
    return found


def not_listed(more: int) -> ErrorDetails:
    """Return what stands for errors that are not listed."""
    words = 'is 1 more error, which is' if more == 1 else f'are {more} more errors, which are'
    return ErrorDetails(type=TOO_MANY, loc=(), msg=f'There {words} not listed', input=None)
