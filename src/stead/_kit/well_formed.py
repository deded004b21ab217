"""Text that can be written as UTF-8.

A Python string can hold halves of surrogate pairs, which no encoding knows: JSON may spell them one by one, and
names of files that are not UTF-8 have them. A text with such a half can be neither stored nor sent.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any, Protocol, cast

import pydantic_core

from .json_types import JsonObject
from .records import is_dict, is_list


def well_formed(text: str) -> str:
    """Return a text in which two halves that belong together are one character, and lone halves are `U+FFFD`."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode('utf-16-le', 'surrogatepass').decode('utf-16-le', 'replace')
    return text


def well_formed_data(value: object) -> Any:
    """Return plain data whose texts and keys are well-formed; the value itself if they are."""
    return map_data(value, well_formed, None)


def finite_data(value: object) -> Any:
    """Return plain data that is well-formed and has `None` in place of NaN and the infinities, which JSON lacks."""
    return map_data(value, well_formed, _finite)


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def map_data(value: object, on_text: Callable[[str], str], on_float: Callable[[float], float | None] | None) -> Any:
    """Return plain data with functions applied to its texts, its keys and its numbers.

    Args:
        value: Dicts, lists, tuples and what they hold; other objects are left alone.
        on_text: Returns the text to put in place of one.
        on_float: Returns the number to put in place of one; `None` leaves them alone.

    Returns:
        A copy, or the value itself if nothing has changed.

    Raises:
        RecursionError: The data is nested too deep, or contains itself.
    """
    if isinstance(value, str):
        # Members of enums are texts too, and remain what they are.
        return on_text(value) if type(value) is str else value
    if isinstance(value, float):
        return value if on_float is None else on_float(value)
    if is_dict(value):
        copied = {map_data(key, on_text, None): map_data(item, on_text, on_float) for key, item in value.items()}
        same = len(copied) == len(value) and all(a is b and copied[a] is value[b] for a, b in zip(copied, value))
        return value if same else copied
    if is_list(value) or type(value) is tuple:
        items = cast('Sequence[Any]', value)
        replaced = [map_data(item, on_text, on_float) for item in items]
        if all(a is b for a, b in zip(replaced, items)):
            return items
        return replaced if isinstance(items, list) else tuple(replaced)
    return value


_IN_NUMBERS = '0123456789.eE+-'
_whole_strings = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"')


def without_half_number(text: str) -> str:
    """Return the beginning of a JSON text without a number at its end, to which further digits may come."""
    if not text or text[-1] not in _IN_NUMBERS:
        return text
    start = len(text.rstrip(_IN_NUMBERS))
    before = text[:start].rstrip()
    if before[-1:] not in (':', ',', '[') or '"' in _whole_strings.sub('', before):  # it is in a string
        return text
    return text[:start]


def nearly_json_of(text: str) -> tuple[str, tuple[str, ...]] | None:
    """Return the JSON that a text of arguments stands for, and what was changed; `None` if it is JSON, or is not read."""
    text = well_formed(text)
    try:
        if not isinstance(pydantic_core.from_json(text), str):  # a text may be JSON of an object
            return None
    except ValueError:
        pass
    from .nearly_json import nearly_json  # most runs never need its patterns

    return nearly_json(text)


class WithArguments(Protocol):
    """A call of a tool."""

    @property
    def tool_name(self) -> str: ...

    @property
    def args(self) -> object: ...

    def args_as_dict(self) -> JsonObject: ...


def arguments_that_run(call: WithArguments) -> JsonObject:
    """Return the arguments that a call is made with, also if the model wrote an object as a text."""
    meant = meant_arguments(call.args) if isinstance(call.args, str) else None
    return call.args_as_dict() if meant is None else pydantic_core.from_json(meant)


def meant_arguments(text: str) -> str | None:
    """Return the JSON object that a model means with another text: an object written as a text, null, or one that is nearly JSON.

    Returns:
        The object as JSON; `None` if there is none.
    """
    if (nearly := nearly_json_of(text)) is not None:
        return nearly[0]
    try:
        value = pydantic_core.from_json(well_formed(text))
        if value is None:
            return '{}'
        return value if isinstance(value, str) and isinstance(pydantic_core.from_json(value), dict) else None
    except ValueError:
        return None
