"""The storage of histories. Every stored history can be read; what others wrote and this version does not know is kept.

pydantic reads and writes, at no extra cost. If it fails, the history is read again with open types, see `_open`, and at last it
is repaired: halves of surrogate pairs become `U+FFFD`. Data that is not a history is refused.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Optional, TypeVar, cast

import pydantic_core
from pydantic import ConfigDict, TypeAdapter, ValidationError

from .._kit.json_types import JsonObject
from .._kit.records import is_list
from .._kit.well_formed import well_formed_data
from ..exceptions import ContentFilterError, RunCancelled
from ._message import ModelMessage, ModelRequest, ModelRequestPart, ModelResponse, ModelResponsePart
from ._open import UNREAD, OpenAdapter, UnknownPart, closed_adapter, members
from ._well_formed import well_formed_messages

T = TypeVar('T')
_MOST_DIGITS = 4300
_ERRORS = (ValueError, RecursionError)
_BY_ALIAS: JsonObject = {'by_alias': True}
"""As models are sent results of tools, so that the text is the same after a history was stored."""


class HistoryAdapter(OpenAdapter[list[ModelMessage]]):
    """Converts histories to and from JSON."""

    def dump_json(self, instance: list[ModelMessage], /, **options: Any) -> bytes:
        """Return a history as JSON; arguments as for `TypeAdapter.dump_json`, but results of tools have their aliases.

        Raises:
            PydanticSerializationError: A message holds something without a JSON form; the error says which.
        """
        more = _has_more(instance)
        dump = super().dump_json if more else self.closed.dump_json
        try:
            written = None if more or options or type(instance) is not list else _history_json(instance)
            return dump(instance, **{**_BY_ALIAS, **options}) if written is None else written
        except _ERRORS as error:
            return self._dumped(dump, instance, {**_BY_ALIAS, **options}, error)

    def dump_python(self, instance: list[ModelMessage], /, **options: Any) -> Any:
        """Return a history as plain data; arguments and errors as for `dump_json`."""
        dump = super().dump_python if _has_more(instance) else self.closed.dump_python
        options = {**_BY_ALIAS, **options}
        try:
            return dump(instance, **options)
        except _ERRORS as error:
            return self._dumped(dump, instance, options, error)

    def _dumped(self, dump: Callable[..., T], messages: list[ModelMessage], options: JsonObject, error: Exception) -> T:
        clean = well_formed_messages(messages)
        try:
            return dump(clean, **options)
        except _ERRORS as still:
            error = still
        for index, message in enumerate(clean):
            try:
                dump([message], **options)
            except _ERRORS as reason:
                raise pydantic_core.PydanticSerializationError(
                    f'Message {index} of the history cannot be stored: {_culprit(message, dump, options)}there is no JSON '
                    f'for it: {str(reason)[:300].rstrip(".")}. Take it out, or put text, numbers, lists and dicts in its place.'
                ) from error
        raise error

    def validate_json(self, data: str | bytes | bytearray, /, **options: Any) -> list[ModelMessage]:
        """Return the history in JSON; arguments as for `TypeAdapter.validate_json`.

        Raises:
            ValidationError: It is not a history.
        """
        try:
            return super().validate_json(data, **options)
        except ValidationError as error:
            text = _readable(data)
            if text is None:
                raise
            try:
                return super().validate_json(text, **options)
            except ValidationError:
                raise error from None


def _has_more(messages: Sequence[Any]) -> bool:
    """Return whether messages have parts or fields that this version does not know."""
    for message in messages:
        if not isinstance(message, (ModelRequest, ModelResponse)):
            continue
        if UNREAD in message.__dict__ or (message.kind == 'response' and UNREAD in message.usage.__dict__):
            return True
        for part in message.parts or ():
            if type(part) is UnknownPart or UNREAD in getattr(part, '__dict__', ()):
                return True
    return False


def _culprit(message: ModelMessage, dump: Callable[..., object], options: JsonObject) -> str:
    """Return which part of a message cannot be written."""
    for part in message.parts:
        try:
            dump([type(message)(parts=[cast(Any, part)])], **options)
        except _ERRORS:
            tool = getattr(part, 'tool_name', None)
            return f'in its part {part.part_kind!r}{f" of the tool {tool!r}" if tool else ""}, '
    return ''


def _readable(text: str | bytes | bytearray) -> str | None:
    """Return a JSON text that pydantic refused with well-formed texts and short integers, or `None` if it is not JSON."""
    try:
        return json.dumps(well_formed_data(json.loads(text, parse_int=_int_or_digits)))
    except _ERRORS:
        return None


def _int_or_digits(digits: str) -> int | str:
    # Python reads no longer integers, since that takes quadratic time.
    return int(digits) if len(digits) <= _MOST_DIGITS else digits


# Writing. For a union, pydantic converts each message and part to plain data before it writes them. The functions below look up
# the serializer of each class and call it: the same JSON in half the time.

_WITHOUT_PARTS = {'parts'}
_writers: dict[type, Callable[..., bytes]] = {}
"""The serializers of the classes that have been written so far."""


@cache
def _parts_of(kind: type) -> frozenset[type]:
    """Return the classes of parts that the adapter knows in a class of messages: none for one that it does not know."""
    union = {ModelRequest: ModelRequestPart, ModelResponse: ModelResponsePart}.get(kind)
    return frozenset() if union is None else members(union) - {UnknownPart}


def _writer(kind: type) -> Callable[..., bytes]:
    """Return the serializer of a class."""
    # The type is optional because `config` would not apply to a class with a configuration of its own.
    adapter = closed_adapter(cast(Any, Optional)[kind], ConfigDict(ser_json_bytes='base64'))
    writer = _writers[kind] = adapter.serializer.to_json
    return writer


def _history_json(messages: Sequence[ModelMessage]) -> bytes | None:
    """Return messages as a JSON array; `None` if one of them, or a part, is not of a known type.

    Raises:
        ValueError: A message holds something without a JSON form.
    """
    written: list[bytes] = []
    for message in messages:
        known = _parts_of(type(message))
        items: object = message.parts if known else None
        if not is_list(items):
            return None
        write_message = _writers.get(type(message)) or _writer(type(message))
        parts: list[bytes] = []
        for part in items:
            kind: type[Any] = type(part)  # pyright: ignore[reportUnknownVariableType]
            if kind not in known:
                return None
            parts.append((_writers.get(kind) or _writer(kind))(part, by_alias=True))
        rest = write_message(message, exclude=_WITHOUT_PARTS)
        written.append(b'{"parts":[' + b','.join(parts) + b'],' + rest[1:])
    return b'[' + b','.join(written) + b']'


ModelMessagesTypeAdapter: TypeAdapter[list[ModelMessage]] = HistoryAdapter(
    list[ModelMessage], config=ConfigDict(ser_json_bytes='base64', val_json_bytes='base64')
)
"""Converts histories to and from JSON, also those of earlier versions, and of later ones; what these have more is kept."""
RunCancelled.write_messages.append(ModelMessagesTypeAdapter.dump_json)


def not_storable(part: ModelRequestPart) -> str | None:
    """Return why a part of a history cannot be written as JSON, or `None` if it can."""
    try:
        ModelMessagesTypeAdapter.dump_json([ModelRequest(parts=[part])])
    except (ValueError, RecursionError) as error:
        return str(error).partition(', there is no JSON for it: ')[2] or str(error)
    return None


def content_filter_error(response: ModelResponse) -> ContentFilterError:
    """Return the error for a response that the content filter of the provider stopped; `body` has the response."""
    details = response.provider_details or {}
    known = {'Finish reason': 'finish_reason', 'Block reason': 'block_reason', 'Refusal': 'refusal'}
    reason = next((f' {name}: {details[key]!r}' for name, key in known.items() if details.get(key)), '')
    return ContentFilterError(
        f'Content filter triggered.{reason}', body=ModelMessagesTypeAdapter.dump_json([response]).decode()
    )
