"""Contents in the form that Google's API has them, for those whose form is plain. No I/O.

The SDK converts a content by building an object of each part and asking it for each field that a part may have, which takes
several times as long as the rest of a request. Nearly all parts are texts, calls of functions and their results, and those have the
same fields on all of Google's APIs and in all releases of the SDK: only the names are in another case. The SDK converts the others,
and those that it has to refuse.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping

from ..._kit.json_types import JsonObject
from ..._kit.sdk_types import SdkObject


class _OtherError(Exception):
    """A content is one that the SDK has to convert."""


def plain_content(content: JsonObject) -> JsonObject | None:
    """Return a content in the form of the API; `None` for one that the SDK has to convert.

    Args:
        content: The content as `GoogleMessageEncoder` returns it.
    """
    try:
        return {'parts': [_fields(part, _PART) for part in content['parts']], 'role': _text(content['role'])}
    except _OtherError:
        return None


def _fields(value: SdkObject, known: Mapping[str, tuple[str, Callable[[SdkObject], object]]]) -> JsonObject:
    fields: JsonObject = {}
    for name, item in value.items():
        if name not in known:
            raise _OtherError
        named, convert = known[name]
        fields[named] = convert(item)
    return fields


def _text(value: SdkObject) -> str:
    if type(value) is not str:
        raise _OtherError
    return value


def _flag(value: SdkObject) -> bool:
    if value is not True:
        raise _OtherError
    return value


def _signature(value: SdkObject) -> str:
    if type(value) is not bytes:
        raise _OtherError
    return base64.urlsafe_b64encode(value).decode('ascii')


def _json(value: SdkObject) -> SdkObject:
    """Return a JSON object, which has the same form on both sides."""
    if not isinstance(value, dict) or not _is_json(value):
        raise _OtherError
    return value


def _is_json(value: SdkObject) -> bool:
    kind: object = type(value)  # type: ignore[reportUnknownVariableType]
    if kind in _ATOMS:
        return True
    if kind is dict:
        return all(type(name) is str for name in value) and all(type(item) in _ATOMS or _is_json(item) for item in value.values())
    return kind is list and all(type(item) in _ATOMS or _is_json(item) for item in value)


_ATOMS = frozenset({str, int, float, bool, type(None)})
_CALL = {'id': ('id', _text), 'name': ('name', _text), 'args': ('args', _json)}
_RESULT = {'id': ('id', _text), 'name': ('name', _text), 'response': ('response', _json)}
_PART: dict[str, tuple[str, Callable[[SdkObject], object]]] = {
    'text': ('text', _text),
    'thought': ('thought', _flag),
    'thought_signature': ('thoughtSignature', _signature),
    'function_call': ('functionCall', lambda call: _fields(call, _CALL)),
    'function_response': ('functionResponse', lambda result: _fields(result, _RESULT)),
}
