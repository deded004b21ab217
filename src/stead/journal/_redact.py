"""Redaction: a function changes the data of records before the store sees it.

A changed record has a list of paths in `redacted`, each a list of keys and places. A resumed run continues with the changed data,
so the model reads redacted texts. A call is never made with redacted arguments, since it would do something else. It waits for a
person who knows the arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from pydantic_core import from_json, to_json
from typing_extensions import TypeAlias

from .._kit.json_types import JsonObject
from ._digest import shortened
from ._encode import as_json
from ._errors import RedactionError
from ._store import Record

Redact: TypeAlias = Callable[[str, JsonObject], JsonObject]
"""Returns what to store of a record, from its kind and its data, which may be changed in place."""

Path: TypeAlias = Sequence['str | int']
"""Where something stands in JSON data: the keys and places on the way to it."""


def redact_texts(replace: Callable[[str], str]) -> Redact:
    """Return a function for `Journal(redact=...)` that replaces texts, wherever they are in a record.

    Args:
        replace: Returns what to store of a text. It gets every text and key of the data, those inside of JSON that stands in
            a text too, and has to leave alone what it does not know: a record also has the names and ids that a run needs.
    """

    def redact(kind: str, body: JsonObject) -> JsonObject:
        return cast('JsonObject', _replaced(body, replace))

    return redact


def _replaced(value: object, replace: Callable[[str], str]) -> object:
    if isinstance(value, str):
        return _replaced_text(value, replace)
    if isinstance(value, list):
        return [_replaced(item, replace) for item in cast('list[object]', value)]
    if isinstance(value, dict):
        items = cast('dict[str, object]', value).items()
        return {replace(key): _replaced(item, replace) for key, item in items}
    return value


def _replaced_text(text: str, replace: Callable[[str], str]) -> str:
    if text[:1] in ('{', '['):  # arguments are often JSON in a text, where quotes and other characters are escaped
        try:
            data = from_json(text)
        except ValueError:
            pass
        else:
            after = _replaced(data, replace)
            if after != data:
                text = to_json(after).decode()
    return replace(text)


def redacted(run_id: str, record: Record, redact: Redact) -> Record:
    """Return a record as it may be stored.

    Raises:
        RedactionError: The function failed, or did not return data.
    """
    before = record.data()
    where = f'record {record.seq} ({record.kind!r}) of run {run_id!r}'
    try:
        after: object = redact(record.kind, record.data())
        if not isinstance(after, dict):
            raise TypeError(f'it returned {type(after).__name__}, not the data to store')
        after = record._replace(body=as_json(cast('object', after))).data()
    except BaseException as error:  # the thread that writes has to continue, whatever the function raises
        # The text of the error may hold what must not be stored, and the end of a run is recorded with its error.
        raise RedactionError(
            f'`redact` of the journal failed for {where} with {type(error).__name__}, so it was not stored, and the run '
            'cannot continue.'
        ) from error
    known = after.pop('redacted', None) if 'redacted' in before else None
    paths = [*(known or ()), *_differences({name: item for name, item in before.items() if name != 'redacted'}, after)]
    if isinstance(found := after.get('agent'), dict) and (short := _short(cast('JsonObject', found))) != found:
        after['agent'] = short
    elif not paths:
        return record
    return record._replace(body=to_json({**after, 'redacted': paths} if paths else after))


def redacted_digest(run_id: str, digest: JsonObject, redact: Redact) -> JsonObject:
    """Return what would be stored of a digest of an agent; without texts, if a record has to be whole to be redacted."""
    try:
        return redacted(run_id, Record(0, 'begun', 0.0, as_json({'agent': digest})), redact).data()['agent']
    except (RedactionError, KeyError):
        return {name: value for name, value in digest.items() if name not in ('instructions', 'tools')}


def _short(digest: JsonObject) -> JsonObject:
    try:
        return shortened(digest)
    except (TypeError, AttributeError):  # it was replaced by something else
        return {}


def _differences(before: object, after: object, depth: int = 0) -> list[Path]:
    """Return where two values differ: as deep inside as both have the same shape."""
    if before == after and type(before) is type(after):
        return []
    if isinstance(before, dict) and isinstance(after, dict):
        first, second = cast('dict[str, object]', before), cast('dict[str, object]', after)
        if first.keys() == second.keys():
            return [[key, *path] for key, item in first.items() for path in _differences(item, second[key], depth + 1)]
        # What was taken out of the record itself is named. A key deeper inside is data that was removed, and is not kept in a
        # list of what was removed.
        if depth and not first.keys() <= second.keys():
            return [[]]
        missing: list[Path] = [[key] for key in first if key not in second]
        shared = [[key, *path] for key in first if key in second for path in _differences(first[key], second[key])]
        return [*missing, *shared] or [[]]
    if isinstance(before, list) and isinstance(after, list):
        items, others = cast('list[object]', before), cast('list[object]', after)
        if len(items) == len(others):
            pairs = enumerate(zip(items, others))
            return [[place, *path] for place, (item, other) in pairs for path in _differences(item, other, depth + 1)]
    return [[]]


def touches(paths: Sequence[Path], place: Path) -> bool:
    """Return whether something was redacted at a place, inside of it, or around it."""
    return any(all(step == other for step, other in zip(path, place)) for path in paths)
