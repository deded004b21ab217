"""Contents in the format of Google's API, for the kinds with a plain format. No I/O.

The SDK converts a content by building an object of each part and asking it for each field that a part may have, which takes as
long as the rest of a request. Nearly all parts are texts, calls of functions and their results, and those have the same fields
on all of Google's APIs and in all releases of the SDK: only the names are in another case. The SDK converts the others, and
those that it has to refuse.
"""

from __future__ import annotations

import base64
import json

from ..._kit.json_types import JsonObject
from ..._kit.sdk_types import SdkObject

_NAMED = {'function_call': 'functionCall', 'function_response': 'functionResponse'}
_KNOWN = {
    'function_call': ({'id', 'name', 'args'}, 'args'),
    'function_response': ({'id', 'name', 'response'}, 'response'),
}
"""The fields of calls and results that are plain, and the one of them that is an object; the others are texts."""
_TEXTS = {str}
_encoder = json.JSONEncoder(ensure_ascii=False, separators=(',', ':'), allow_nan=False)


def write_content(content: JsonObject) -> bytes | None:
    """Return a content as JSON of the API; `None` for one that the SDK has to convert.

    Args:
        content: The content as `GoogleMessageEncoder` returns it.
    """
    parts: list[JsonObject] = []
    for part in content['parts']:
        fields: JsonObject = {}
        for name, value in part.items():
            if name in _KNOWN and _is_plain(value, *_KNOWN[name]):
                fields[_NAMED[name]] = value
            elif (name == 'text' and type(value) is str) or (name == 'thought' and value is True):
                fields[name] = value
            elif name == 'thought_signature' and type(value) is bytes:
                fields['thoughtSignature'] = base64.urlsafe_b64encode(value).decode('ascii')
            else:
                return None
        parts.append(fields)
    try:
        return _encoder.encode({'parts': parts, 'role': content['role']}).encode()
    except (
        TypeError,
        ValueError,
        RecursionError,
    ):  # bytes, times, objects, half characters, numbers without a JSON form
        return None


def _is_plain(value: SdkObject, names: set[str], an_object: str) -> bool:
    if value.keys() != names:
        return False
    fields: SdkObject = value[an_object]
    if type(fields) is not dict or not _TEXTS.issuperset(map(type, fields)):  # type: ignore[reportUnknownArgumentType]
        return False
    return all(name == an_object or type(value[name]) is str for name in names)
