"""Facts of a run as the bodies of records, and back.

A body is JSON. What a record says is in no other record of the run: a request with the answers to calls names the answers that
stand in records of their own, and each record has the messages that were added since the one before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from operator import attrgetter
from typing import Any, NamedTuple, Optional, cast

from pydantic import ConfigDict, TypeAdapter
from pydantic_core import SchemaSerializer, to_json, to_jsonable_python

from .._kit.json_types import JsonObject
from .._kit.well_formed import well_formed_data
from ..messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserContent,
    UserPromptPart,
)
from ..tools import DeferredToolResults
from ..usage import RequestUsage, RunUsage

AnswerPlaces = Mapping[int, tuple[str, int]]
"""Where parts are recorded already: the id of the call, and the place among what it was answered with; by `id()` of the part."""

_BYTES = ConfigDict(ser_json_bytes='base64', val_json_bytes='base64')
_WRITTEN_ALONE = frozenset((TextPart, ToolCallPart, ToolReturnPart, RetryPromptPart, UserPromptPart))
_parts: TypeAdapter[list[ModelRequestPart]] = TypeAdapter(list[ModelRequestPart], config=_BYTES)


class _Fields(NamedTuple):
    """What writes messages or parts of a type, and which of their fields may be left out."""

    serializer: SchemaSerializer
    elsewhere: tuple[str, ...]
    """Fields that are written by other means."""
    optional: tuple[str, ...]
    """Fields that are `None` by default."""
    values: Callable[[object], tuple[object, ...]]
    """Returns the values of the optional fields."""
    left_out: dict[tuple[bool, ...], set[str]]
    """What is left out, by which of the optional fields are `None`: most items are of a few such patterns."""


_fields: dict[type, _Fields] = {}
_ELSEWHERE: dict[type, tuple[str, ...]] = {ModelRequest: ('parts',), ModelResponse: ('parts', 'usage')}
_prompt: TypeAdapter[Any] = TypeAdapter('str | Sequence[UserContent] | None')
_results: TypeAdapter[DeferredToolResults] = TypeAdapter(DeferredToolResults)
_usage: TypeAdapter[RunUsage] = TypeAdapter(RunUsage)
_request_usage: TypeAdapter[RequestUsage] = TypeAdapter(RequestUsage)


def as_json(value: object) -> bytes:
    """Return a value as JSON; what has no JSON form becomes its `repr`, and halves of surrogate pairs are mended."""
    try:
        return to_json(value, fallback=repr, inf_nan_mode='strings', bytes_mode='base64')
    except ValueError:
        plain: object = to_jsonable_python(value, fallback=repr, inf_nan_mode='strings', bytes_mode='base64')
        return to_json(well_formed_data(plain))


def messages_json(messages: Iterable[ModelMessage], recorded: AnswerPlaces) -> bytes:
    """Return messages as a JSON array.

    Args:
        messages: The messages.
        recorded: Parts that stand in other records, and are only named here.
    """
    return b'[' + b','.join([_message_json(message, recorded) for message in messages]) + b']'


def history_json(before: Iterable[ModelMessage], after: Iterable[ModelMessage], recorded: AnswerPlaces) -> bytes:
    """Return a changed history as a JSON array, in which numbers stand for messages of the history before.

    Args:
        before: The history that is recorded.
        after: What it was changed to.
        recorded: See `messages_json`.
    """
    places = {id(message): place for place, message in enumerate(before)}
    items = [
        b'%d' % places[id(message)] if id(message) in places else _message_json(message, recorded) for message in after
    ]
    return b'[' + b','.join(items) + b']'


def _message_json(message: ModelMessage, recorded: AnswerPlaces) -> bytes:
    kind = ModelRequest if isinstance(message, ModelRequest) else ModelResponse
    parts, named = message.parts, b''
    if recorded and kind is ModelRequest:
        places = [(index, *recorded[id(part)]) for index, part in enumerate(parts) if id(part) in recorded]
        if places:
            parts = [part for part in parts if id(part) not in recorded]
            named = b',"answers":' + to_json(places)
    try:
        rest = _written(message, kind)[1:]
        if isinstance(message, ModelResponse):
            rest = b'"usage":' + _request_usage.serializer.to_json(message.usage, exclude_defaults=True) + b',' + rest
    except ValueError:
        rest = ModelMessagesTypeAdapter.dump_json([replace(message, parts=[])])[len(b'[{"parts":[],') : -1]
    return (
        b'{"message":{"parts":[' + b','.join([_part_json(part, kind) for part in parts]) + b'],' + rest + named + b'}'
    )


def _part_json(part: object, kind: type[ModelRequest] | type[ModelResponse]) -> bytes:
    """Return a part of a message as JSON.

    Raises:
        PydanticSerializationError: There is no JSON for it; the error says what to do.
    """
    if type(part) in _WRITTEN_ALONE:
        try:
            return _written(part, type(part))
        except ValueError:
            pass  # below, halves of surrogate pairs are mended, and errors have words
    # What follows the parts is cut off by its length: older releases of pydantic warn if only one field is asked for.
    message: ModelMessage = kind(parts=[cast(Any, part)])
    begin, rest = len(b'[{"parts":['), len(ModelMessagesTypeAdapter.dump_json([replace(message, parts=[])]))
    return ModelMessagesTypeAdapter.dump_json([message])[begin : begin - rest]


def _written(item: object, kind: type) -> bytes:
    """Return a message without its parts, or a part, as JSON, without fields that are `None` as they are by default.

    This is several times as fast as the adapter of histories, which tries the members of unions for each part, and writes
    sequences by way of Python. `exclude_none` would also leave out what is `None` in the content of a part.
    """
    known = _fields.get(kind) or _fields_of(kind)
    pattern = tuple([value is None for value in known.values(item)])
    excluded = known.left_out.get(pattern)
    if excluded is None:
        excluded = {name for name, is_none in zip(known.optional, pattern) if is_none}
        excluded = known.left_out[pattern] = excluded.union(known.elsewhere)
    return known.serializer.to_json(item, exclude=excluded)


def _fields_of(kind: type) -> _Fields:
    optional = tuple(field.name for field in fields(kind) if field.default is None)
    elsewhere = _ELSEWHERE.get(kind, ())
    # The type is optional because classes have a configuration of their own.
    adapter = TypeAdapter(cast(Any, Optional)[kind], config=_BYTES)

    def one_by_one(item: object) -> tuple[object, ...]:
        return tuple([getattr(item, name) for name in optional])

    values: Callable[[object], tuple[object, ...]] = attrgetter(*optional) if len(optional) > 1 else one_by_one
    serializer = cast(SchemaSerializer, adapter.serializer)
    known = _fields[kind] = _Fields(serializer, elsewhere, optional, values, {})
    return known


def messages_from(items: Iterable[JsonObject], answers: Mapping[str, Sequence[ModelRequestPart]]) -> list[ModelMessage]:
    """Return messages from the data of `messages_json`.

    Args:
        items: The data.
        answers: What calls were answered with, by call id.

    Raises:
        ValueError: The data is not that of messages.
    """
    data = list(items)
    messages = ModelMessagesTypeAdapter.validate_json(to_json([item['message'] for item in data]))
    for message, item in zip(messages, data):
        for index, call_id, place in item.get('answers', ()):
            cast(ModelRequest, message).parts.insert(index, answers[call_id][place])  # type: ignore[attr-defined]
    return messages


def parts_json(parts: Sequence[ModelRequestPart]) -> bytes:
    """Return parts of a request as a JSON array."""
    return b'[' + b','.join([_part_json(part, ModelRequest) for part in parts]) + b']'


def parts_from(data: object) -> list[ModelRequestPart]:
    """Return parts from the data of `parts_json`.

    Raises:
        ValueError: The data is not that of parts.
    """
    return _parts.validate_json(to_json(data))


def prompt_json(prompt: str | Sequence[UserContent] | None) -> bytes:
    """Return the prompt of a run as JSON."""
    return _dumped(_prompt, prompt)


def _dumped(adapter: TypeAdapter[Any], value: object) -> bytes:
    try:
        return adapter.dump_json(value, fallback=repr)
    except ValueError:  # it has halves of surrogate pairs
        return to_json(well_formed_data(adapter.dump_python(value, mode='json', fallback=repr)))


def prompt_from(data: object) -> str | Sequence[UserContent] | None:
    """Return a prompt from its data."""
    return _prompt.validate_json(to_json(data))


def results_json(results: DeferredToolResults) -> bytes:
    """Return decisions about calls as JSON."""
    return _dumped(_results, results)


def results_from(data: object) -> DeferredToolResults:
    """Return decisions from their data."""
    return _results.validate_json(to_json(data))


def usage_json(usage: RunUsage) -> bytes:
    """Return usage as JSON, without what is zero."""
    return _usage.serializer.to_json(usage, exclude_defaults=True)


def usage_from(data: object) -> RunUsage:
    """Return usage from its data."""
    return _usage.validate_python(data)
