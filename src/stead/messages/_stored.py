"""The storage of histories. Every stored history can be read; histories of other versions are read as far as possible.

pydantic reads and writes, at no extra cost. Only if it fails is the history repaired: halves of surrogate pairs become
`U+FFFD`, and parts of unknown kinds are set aside. Data that is not a history is refused.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Optional, TypeVar, cast, get_args

import pydantic_core
from pydantic import ConfigDict, TypeAdapter, ValidationError

from .._kit.json_types import JsonObject
from .._kit.plain import as_dict, as_list
from .._kit.records import is_dict, is_list
from .._kit.well_formed import well_formed_data
from ._media import UserContent
from ._message import ModelMessage, ModelRequest, ModelRequestPart, ModelResponse, ModelResponsePart
from ._parts import InstructionPart
from ._well_formed import well_formed_messages

T = TypeVar('T')
UNKNOWN_PARTS = 'unknown_parts'
"""The key in the metadata of a message for parts of unknown kinds."""
_MOST_DIGITS = 4300
_ERRORS = (ValueError, RecursionError)


def _members(union: Any) -> frozenset[type]:
    """Return the classes in a union, and in nested unions."""
    if isinstance(union, type):
        return frozenset((union,))
    return frozenset(member for option in get_args(union) for member in _members(option))


def _kinds_of(union: Any, field: str) -> frozenset[str]:
    """Return the values of the discriminator of a union."""
    return frozenset(kind for member in _members(union) if isinstance(kind := getattr(member, field, None), str))


_PART_KINDS = (
    _kinds_of(ModelRequestPart, 'part_kind') | _kinds_of(ModelResponsePart, 'part_kind') | {InstructionPart.part_kind}
)
_CONTENT_KINDS = _kinds_of(UserContent, 'kind')


class HistoryAdapter(TypeAdapter[list[ModelMessage]]):  # type: ignore[reportGeneralTypeIssues]  # final to checkers only
    """Converts histories to and from JSON."""

    def dump_json(self, instance: list[ModelMessage], /, **options: Any) -> bytes:
        """Return a history as JSON; arguments as for `TypeAdapter.dump_json`.

        Raises:
            PydanticSerializationError: A message holds something without a JSON form; the error says which.
        """
        try:
            written = None if options or type(instance) is not list else _history_json(instance)
            return super().dump_json(instance, **options) if written is None else written
        except _ERRORS as error:
            return self._dumped(super().dump_json, instance, options, error)

    def dump_python(self, instance: list[ModelMessage], /, **options: Any) -> Any:
        """Return a history as plain data; arguments and errors as for `dump_json`."""
        try:
            return super().dump_python(instance, **options)
        except _ERRORS as error:
            return self._dumped(super().dump_python, instance, options, error)

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
            known = _readable(data)
            if known is None:
                raise
            try:
                messages = super().validate_json(known.text, **options)
            except ValidationError:
                raise error from None
            known.warn()
            return messages

    def validate_python(self, object: object, /, **options: Any) -> list[ModelMessage]:
        """Return the history in plain data; arguments and errors as for `validate_json`."""
        try:
            return super().validate_python(object, **options)
        except ValidationError as error:
            known = _Known(object)
            if not known.unknown:
                raise
            try:
                messages = super().validate_python(known.data, **options)
            except ValidationError:
                raise error from None
            known.warn()
            return messages


def _culprit(message: ModelMessage, dump: Callable[..., object], options: JsonObject) -> str:
    """Return which part of a message cannot be written."""
    for part in message.parts:
        try:
            dump([type(message)(parts=[cast(Any, part)])], **options)
        except _ERRORS:
            tool = getattr(part, 'tool_name', None)
            return f'in its part {part.part_kind!r}{f" of the tool {tool!r}" if tool else ""}, '
    return ''


class _Known:
    """A history in plain data, without parts and content of unknown kinds."""

    def __init__(self, data: object) -> None:
        self.unknown: dict[str, int] = {}
        """The unknown kinds, each with the index of the first message that has it."""
        self.data = [self._message(item, index) for index, item in enumerate(data)] if is_list(data) else data

    @property
    def text(self) -> str:
        return json.dumps(self.data)

    def warn(self) -> None:
        if self.unknown:
            kinds = ', '.join(f'{kind!r:.60} in message {index}' for kind, index in list(self.unknown.items())[:10])
            warnings.warn(
                f'The history has parts of kinds that this version of stead does not know ({kinds}). No model sees them; '
                f'they are kept under {UNKNOWN_PARTS!r} in the `metadata` of their messages.',
                stacklevel=4,
            )

    def _message(self, message: object, index: int) -> object:
        if not is_dict(message) or message.get('kind') not in ('request', 'response'):
            return message
        if not is_list(parts := message.get('parts')):
            return message
        aside: list[object] = []
        kept = [part for part in (self._part(part, index, aside) for part in parts) if part is not None]
        if not aside:
            return message
        metadata = as_dict(message.get('metadata'))
        aside = [*as_list(metadata.get(UNKNOWN_PARTS)), *aside]
        return {**message, 'parts': kept, 'metadata': {**metadata, UNKNOWN_PARTS: aside}}

    def _part(self, part: object, index: int, aside: list[object]) -> object:
        """Return a part without content of unknown kinds, or `None` if the kind of the part is unknown."""
        if not is_dict(part):
            return part
        if self._is_unknown(part, 'part_kind', _PART_KINDS, index):
            aside.append(part)
            return None
        if part.get('part_kind') == 'user-prompt' and is_list(content := part.get('content')):
            unknown = [
                item for item in content if is_dict(item) and self._is_unknown(item, 'kind', _CONTENT_KINDS, index)
            ]
            if unknown:
                aside += unknown
                return {**part, 'content': [item for item in content if item not in unknown]}
        return part

    def _is_unknown(self, item: JsonObject, field: str, kinds: frozenset[str], index: int) -> bool:
        kind = item.get(field)
        if not isinstance(kind, str) or kind in kinds:
            return False
        self.unknown.setdefault(kind, index)
        return True


def _readable(text: str | bytes | bytearray) -> _Known | None:
    """Return the repaired data of a JSON text that pydantic refused, or `None` if the text is not JSON."""
    try:
        data = json.loads(text, parse_int=_int_or_digits)
        return _Known(well_formed_data(data))
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
def _named() -> frozenset[type]:
    """Return the classes that the adapter of histories knows."""
    return _members(ModelRequestPart) | _members(ModelResponsePart) | {ModelRequest, ModelResponse}


def _writer(kind: type) -> Callable[..., bytes] | None:
    """Return the serializer of a class; `None` for a class that the adapter of histories does not know, such as a subclass."""
    if kind not in _named():
        return None
    # The type is optional because `config` would not apply to a class with a configuration of its own.
    adapter = TypeAdapter[Any](cast(Any, Optional)[kind], config=ConfigDict(ser_json_bytes='base64'))
    writer = _writers[kind] = adapter.serializer.to_json
    return writer


def _history_json(messages: Sequence[ModelMessage]) -> bytes | None:
    """Return messages as a JSON array; `None` if one of them, or a part, is not of a known type.

    Raises:
        ValueError: A message holds something without a JSON form.
    """
    written: list[bytes] = []
    for message in messages:
        write_message = _writers.get(type(message)) or _writer(type(message))
        items: object = message.parts if write_message else None
        if write_message is None or not is_list(items):
            return None
        parts: list[bytes] = []
        for part in items:
            kind: type[Any] = type(part)  # pyright: ignore[reportUnknownVariableType]
            write = _writers.get(kind) or _writer(kind)
            if write is None:
                return None
            parts.append(write(part))
        rest = write_message(message, exclude=_WITHOUT_PARTS)
        written.append(b'{"parts":[' + b','.join(parts) + b'],' + rest[1:])
    return b'[' + b','.join(written) + b']'


ModelMessagesTypeAdapter: TypeAdapter[list[ModelMessage]] = HistoryAdapter(
    list[ModelMessage], config=ConfigDict(defer_build=True, ser_json_bytes='base64', val_json_bytes='base64')
)
"""Converts histories to and from JSON. It also reads histories of earlier versions, and sets aside parts of later ones."""


def not_storable(part: ModelRequestPart) -> str | None:
    """Return why a part of a history cannot be written as JSON, or `None` if it can."""
    try:
        ModelMessagesTypeAdapter.dump_json([ModelRequest(parts=[part])])
    except (ValueError, RecursionError) as error:
        return str(error).partition(', there is no JSON for it: ')[2] or str(error)
    return None
