"""Facts of a run as the bodies of records, and back.

A body is JSON. What a record says is in no other record of the run: a request with the answers to calls names the answers that
stand in records of their own, and each record has the messages that were added since the one before.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from pydantic import TypeAdapter
from pydantic_core import to_json

from .._kit.json_types import JsonObject
from ..messages import ModelMessage, ModelMessagesTypeAdapter, ModelRequest, ModelRequestPart, UserContent
from ..tools import DeferredToolResults
from ..usage import RunUsage

AnswerPlaces = Mapping[int, tuple[str, int]]
"""Where parts are recorded already: the id of the call, and the place among what it was answered with; by `id()` of the part."""

_requests: TypeAdapter[list[ModelRequest]] = TypeAdapter(list[ModelRequest])
_prompt: TypeAdapter[Any] = TypeAdapter('str | Sequence[UserContent] | None')
_results: TypeAdapter[DeferredToolResults] = TypeAdapter(DeferredToolResults)
_usage: TypeAdapter[RunUsage] = TypeAdapter(RunUsage)


def as_json(value: object) -> bytes:
    """Return a value as JSON; what has no JSON form becomes its `repr`."""
    return to_json(value, fallback=repr, inf_nan_mode='strings', bytes_mode='base64')


def messages_json(messages: Iterable[ModelMessage], recorded: AnswerPlaces) -> bytes:
    """Return messages as a JSON array.

    Args:
        messages: The messages.
        recorded: Parts that stand in other records, and are only named here.
    """
    return b'[' + b','.join(_message_json(message, recorded) for message in messages) + b']'


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
    if recorded and isinstance(message, ModelRequest):
        places = [(index, *recorded[id(part)]) for index, part in enumerate(message.parts) if id(part) in recorded]
        if places:
            rest = [part for part in message.parts if id(part) not in recorded]
            body = ModelMessagesTypeAdapter.dump_json([replace(message, parts=rest)])[1:-1]
            return b'{"message":' + body + b',"answers":' + to_json(places) + b'}'
    return b'{"message":' + ModelMessagesTypeAdapter.dump_json([message])[1:-1] + b'}'


def messages_from(items: Iterable[JsonObject], answers: Mapping[str, Sequence[ModelRequestPart]]) -> list[ModelMessage]:
    """Return messages from the data of `messages_json`.

    Args:
        items: The data.
        answers: What calls were answered with, by call id.

    Raises:
        ValueError: The data is not that of messages.
    """
    data = list(items)
    messages = ModelMessagesTypeAdapter.validate_json(json.dumps([item['message'] for item in data]))
    for message, item in zip(messages, data):
        for index, call_id, place in item.get('answers', ()):
            cast(ModelRequest, message).parts.insert(index, answers[call_id][place])  # type: ignore[attr-defined]
    return messages


def parts_json(parts: Sequence[ModelRequestPart]) -> bytes:
    """Return parts of a request as a JSON array."""
    return _requests.dump_json([ModelRequest(parts=parts)], include={0: {'parts'}})[len(b'[{"parts":') : -2]


def parts_from(data: object) -> list[ModelRequestPart]:
    """Return parts from the data of `parts_json`.

    Raises:
        ValueError: The data is not that of parts.
    """
    return [*_requests.validate_json(json.dumps([{'parts': data, 'kind': 'request'}]))[0].parts]


def prompt_json(prompt: str | Sequence[UserContent] | None) -> bytes:
    """Return the prompt of a run as JSON."""
    return _prompt.dump_json(prompt)


def prompt_from(data: object) -> str | Sequence[UserContent] | None:
    """Return a prompt from its data."""
    return _prompt.validate_json(json.dumps(data))


def results_json(results: DeferredToolResults) -> bytes:
    """Return decisions about calls as JSON."""
    return _results.dump_json(results, fallback=repr)


def results_from(data: object) -> DeferredToolResults:
    """Return decisions from their data."""
    return _results.validate_json(json.dumps(data))


def usage_json(usage: RunUsage) -> bytes:
    """Return usage as JSON, without what is zero."""
    return _usage.dump_json(usage, exclude_defaults=True)


def usage_from(data: object) -> RunUsage:
    """Return usage from its data."""
    return _usage.validate_json(json.dumps(data))
