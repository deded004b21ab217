"""Facts of a run as the bodies of records, and back.

A body is JSON. The records of a run repeat nothing. A record has the messages that are new since the record before. Answers to
calls have their own records, and the next request names them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Annotated, Any, cast

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError, to_json, to_jsonable_python

from .._kit.first_errors import first_errors
from .._kit.json_types import JsonObject
from .._kit.records import replace_no_init
from .._kit.short import short
from .._kit.well_formed import well_formed_data
from ..conversation import Conversation, ConversationTypeAdapter
from ..exceptions import UserError
from ..messages import (
    UNREAD,
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    Open,
    OpenAdapter,
    RetryPromptPart,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserContent,
    UserPromptPart,
)
from ..tools import DeferredToolResults
from ..usage import RequestUsage, RunUsage

AnswerPlaces = Mapping[int, tuple[str, int]]
"""Where parts are recorded already: the id of the call, and the place among what it was answered with; by `id()` of the part."""

_NOWHERE: AnswerPlaces = {}
_BYTES = ConfigDict(ser_json_bytes='base64', val_json_bytes='base64')
_parts: TypeAdapter[list[ModelRequestPart]] = OpenAdapter(list[ModelRequestPart], config=_BYTES)
_prompt: TypeAdapter[Any] = TypeAdapter('str | Sequence[UserContent] | None')
_results: TypeAdapter[DeferredToolResults] = TypeAdapter(DeferredToolResults)
_usage: TypeAdapter[RunUsage] = TypeAdapter(Annotated[RunUsage, Open()])


_PLAIN: dict[type, tuple[str, ...]] = {
    kind: tuple(field.name for field in fields(kind))
    for kind in (
        ModelRequest,
        ModelResponse,
        TextPart,
        ThinkingPart,
        ToolCallPart,
        ToolReturnPart,
        RetryPromptPart,
        UserPromptPart,
        SystemPromptPart,
        RequestUsage,
        RunUsage,
    )
}
"""The fields of messages, and of parts that have nothing but text, times and what any JSON writer takes; see `_part_data`."""
_REQUEST, _RESPONSE = _PLAIN[ModelRequest], _PLAIN[ModelResponse]
_REQUEST_USAGE, _RUN_USAGE = dict.fromkeys(_PLAIN[RequestUsage]), dict.fromkeys(_PLAIN[RunUsage])


def as_json(value: object) -> bytes:
    """Return a value as JSON; what has no JSON form becomes its `repr`, and halves of surrogate pairs are repaired."""
    try:
        return to_json(value, fallback=repr, inf_nan_mode='strings', bytes_mode='base64')
    except ValueError:
        plain: object = to_jsonable_python(value, fallback=repr, inf_nan_mode='strings', bytes_mode='base64')
        return to_json(well_formed_data(plain))


def record_json(
    data: JsonObject,
    pieces: Sequence[bytes | memoryview] = (),
    *,
    messages: Sequence[ModelMessage] = (),
    recorded: AnswerPlaces = _NOWHERE,
    parts: Sequence[ModelRequestPart] = (),
) -> bytes:
    """Return the body of a record.

    Args:
        data: What is JSON data already; the messages and the parts are added to it.
        pieces: Names with values that are written already.
        messages: The messages of the record, if it has some.
        recorded: See `messages_json`.
        parts: The parts of the record, if it has some.

    Raises:
        PydanticSerializationError: There is no JSON for a part; the error says what to do.
    """
    try:
        # All at once: a call for each message, part and usage takes several times as long.
        if messages:
            data['messages'] = [_message_data(message, recorded) for message in messages]
        if parts:
            data['parts'] = [_part_data(part) for part in parts]
        body = to_json(data, inf_nan_mode='null', bytes_mode='base64')
    except ValueError:
        data.pop('messages', None)
        data.pop('parts', None)
        pieces = list(pieces)
        if messages:
            pieces.append(b'"messages":' + messages_json(messages, recorded))
        if parts:
            pieces.append(b'"parts":' + parts_json(parts))
        body = as_json(data)
    if not pieces:
        return body
    comma = b',' if len(body) > len(b'{}') else b''
    # At once, since a piece may be large: each `+` would make another copy of it.
    return b''.join((memoryview(body)[:-1], comma, *_between_commas(pieces), b'}'))


def _between_commas(pieces: Sequence[bytes | memoryview]) -> Iterator[bytes | memoryview]:
    for place, piece in enumerate(pieces):
        if place:
            yield b','
        yield piece


def messages_json(messages: Iterable[ModelMessage], recorded: AnswerPlaces) -> bytes:
    """Return messages as a JSON array.

    Args:
        messages: The messages.
        recorded: Parts that stand in other records, and are only named here.
    """
    return b'[' + b','.join([_message_json(message, recorded) for message in messages]) + b']'


def history_json(before: Iterable[ModelMessage], after: Iterable[ModelMessage], recorded: AnswerPlaces) -> bytes:
    """Return a changed history as a JSON array; numbers stand for messages of the history before.

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


def _plain_json(value: object) -> bytes:
    """Return data as the adapter of histories writes it.

    Raises:
        ValueError: It has something that is not JSON, or halves of surrogate pairs.
    """
    return to_json(value, inf_nan_mode='null', bytes_mode='base64')


def _data_of(item: object, names: tuple[str, ...]) -> JsonObject:
    """Return the fields of a message or a part, without those that are `None`."""
    values = vars(item)
    if len(values) != len(names):  # it has something of its own as well
        values = {**{name: getattr(item, name) for name in names}, **values.get(UNREAD, {})}
    return {name: value for name, value in values.items() if value is not None}


def _part_data(part: object) -> JsonObject:
    """Return a part of a message as data, without what is `None` by default; what is `None` in its content stays.

    Raises:
        ValueError: It is a part that only the adapter of histories can write.
    """
    kind = type(part)
    names = _PLAIN.get(kind)
    if names is None or (kind is UserPromptPart and type(cast(UserPromptPart, part).content) is not str):
        raise ValueError
    data = _data_of(part, names)
    if kind is ToolReturnPart and 'content' not in data:
        data['content'] = None
    elif kind is SystemPromptPart and data['scope'] == 'conversation':
        del data['scope']  # fields that histories leave out
    return data


def _message_data(message: ModelMessage, recorded: AnswerPlaces) -> JsonObject:
    """Return a message as data, see `_part_data`."""
    parts = message.parts
    if isinstance(message, ModelResponse):
        data = _data_of(message, _RESPONSE)
        data['parts'] = [_part_data(part) for part in parts]
        data['usage'] = _counts_of(message.usage, _REQUEST_USAGE)
        return {'message': data}
    places = _places_of(message, recorded) if recorded else None
    if places:
        parts = [part for part in parts if id(part) not in recorded]
    data = _data_of(message, _REQUEST)
    if data['state'] == 'complete':
        del data['state']
    data['parts'] = [_part_data(part) for part in parts]
    return {'message': data, 'answers': places} if places else {'message': data}


def _places_of(message: ModelMessage, recorded: AnswerPlaces) -> list[tuple[int, str, int]]:
    """Return the parts of a message that stand in other records: where they are in the message, and there."""
    if isinstance(message, ModelResponse):
        return []
    return [(index, *recorded[id(part)]) for index, part in enumerate(message.parts) if id(part) in recorded]


def _message_json(message: ModelMessage, recorded: AnswerPlaces) -> bytes:
    try:
        return _plain_json(_message_data(message, recorded))
    except ValueError:
        pass  # below, halves of surrogate pairs are repaired, and errors have words
    kind = ModelResponse if isinstance(message, ModelResponse) else ModelRequest
    places = _places_of(message, recorded)
    elsewhere = {index for index, _, _ in places}
    parts = [_part_json(part, kind) for index, part in enumerate(message.parts) if index not in elsewhere]
    # The parts are put in by hand, as each of them is written in its own way.
    head = ModelMessagesTypeAdapter.dump_json([replace_no_init(message, parts=[])])[len(b'[{"parts":[') : -1]
    named = b',"answers":' + to_json(places) if places else b''
    return b'{"message":{"parts":[' + b','.join(parts) + head + named + b'}'


def _part_json(part: object, kind: type[ModelRequest] | type[ModelResponse]) -> bytes:
    """Return a part of a message as JSON.

    Raises:
        PydanticSerializationError: There is no JSON for it; the error says what to do.
    """
    try:
        return _plain_json(_part_data(part))
    except ValueError:
        pass  # as for messages
    # What follows the parts is cut off by its length: older releases of pydantic warn if only one field is asked for.
    message: ModelMessage = kind(parts=[cast(Any, part)])
    begin, rest = len(b'[{"parts":['), len(ModelMessagesTypeAdapter.dump_json([replace_no_init(message, parts=[])]))
    return ModelMessagesTypeAdapter.dump_json([message])[begin : begin - rest]


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
        return adapter.dump_json(value, fallback=repr, warnings=False)
    except ValueError:  # it has halves of surrogate pairs
        return to_json(well_formed_data(adapter.dump_python(value, mode='json', fallback=repr, warnings=False)))


def prompt_from(data: object) -> str | Sequence[UserContent] | None:
    """Return a prompt from its data."""
    return _prompt.validate_json(to_json(data))


def results_json(results: DeferredToolResults) -> bytes:
    """Return decisions about calls as JSON.

    Raises:
        UserError: They have no form that could be read again, so that no run could continue from its record.
    """
    try:
        data = _dumped(_results, results)
        _results.validate_json(data)
    except (ValueError, PydanticSerializationError) as error:
        why = first_errors(error, 1)[0] if isinstance(error, ValidationError) else None
        at = f'{".".join(map(str, why["loc"]))}: {why["msg"]}' if why is not None else str(error)
        raise UserError(
            f'Decisions cannot be recorded, because they could not be read again: {short(at, 300)}'
        ) from error
    return data


def results_from(data: object) -> DeferredToolResults:
    """Return decisions from their data."""
    return _results.validate_json(to_json(data))


def conversation_json(conversation: Conversation) -> bytes:
    """Return a conversation as JSON."""
    return ConversationTypeAdapter.dump_json(conversation)


def conversation_from(data: object) -> Conversation | None:
    """Return a conversation from its data; `None` if there are none."""
    return ConversationTypeAdapter.validate_json(to_json(data)) if data is not None else None


def usage_data(usage: RunUsage) -> JsonObject:
    """Return usage as data, without what is zero."""
    return _counts_of(usage, _RUN_USAGE)


def _counts_of(usage: RunUsage | RequestUsage, names: dict[str, None]) -> JsonObject:
    values = vars(usage)  # counts that nothing set are not among them; what is under way is, but is not a count
    counts = {name: count for name, count in values.items() if count and name in names}
    return {**counts, **values[UNREAD]} if UNREAD in values else counts


def usage_json(usage: RunUsage) -> bytes:
    """Return usage as JSON, without what is zero."""
    return to_json(usage_data(usage))


def usage_from(data: object) -> RunUsage:
    """Return usage from its data."""
    return _usage.validate_python(data)
