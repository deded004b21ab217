"""Tool calls, their results, and retry prompts."""

from __future__ import annotations

import json
import math
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from datetime import datetime
from typing import Annotated, Any, Generic, Literal, cast

import pydantic_core
from pydantic import BeforeValidator, ConfigDict, TypeAdapter, ValidationError, ValidationInfo
from typing_extensions import Self, TypeAlias, TypeVar

from .._kit.first_errors import not_listed
from .._kit.ids import generate_tool_call_id, now_utc
from .._kit.input_bounds import input_bounds
from .._kit.json_types import JsonObject
from .._kit.left_out import left_out
from .._kit.records import ShortRepr, is_dict, is_list
from .._kit.short import short
from .._kit.well_formed import finite_data, nearly_json_of, well_formed, well_formed_data
from . import _media as media, _otel as otel
from ._formats import Media
from ._open import OpenContent, OpenWord
from ._tool_kinds import OWN_KINDS, RetryInfo

INVALID_JSON_KEY = 'INVALID_JSON'
"""The key for arguments that are not a JSON object."""
RETURN_VALUE_KEY = 'return_value'
"""The key for a tool result that is not an object, for providers that require one."""
ToolPartKind: TypeAlias = Literal['tool-search', 'capability-load']
"""The kind of a tool of the framework whose call and return parts are typed."""
ToolOutcome: TypeAlias = Literal['success', 'failed', 'denied', 'interrupted', 'retried']
"""The outcome of a tool call."""

_NEVER_FILES = frozenset({str, int, float, bool, dict, type(None)})
_LISTS_IN_JSON = (tuple, set, frozenset, deque)
T = TypeVar('T')
ValueT = TypeVar('ValueT', default=Any)

tool_return_ta: TypeAdapter[Any] = TypeAdapter(
    Any, config=ConfigDict(defer_build=True, ser_json_bytes='base64', val_json_bytes='base64')
)
"""Converts any tool result to JSON."""
error_details_ta: TypeAdapter[list[pydantic_core.ErrorDetails]] = TypeAdapter(
    list[pydantic_core.ErrorDetails], config=ConfigDict(defer_build=True)
)
"""Converts validation errors to JSON."""


_MEDIA_KINDS = frozenset({'image-url', 'audio-url', 'document-url', 'video-url', 'binary', 'uploaded-file'})


TEXT_IS_BASE64 = True
"""Whether plain data may have base64 text where content has bytes, as JSON does: a history that `json.loads` read."""


def _revive(value: Any, stored: bool, context: Any) -> Any:
    """Return a copy with multi-modal content in place of the dicts that represent it, or the value if it has none."""
    if isinstance(value, dict):
        mapping = cast(dict[Any, Any], value)
        kind = mapping.get('kind')
        if isinstance(kind, str) and kind in _MEDIA_KINDS and (stored or not isinstance(mapping.get('data'), str)):
            try:
                return media.adapter().validate_python(mapping, context=context)
            except ValidationError:  # a dict of the tool that only looks like content
                return mapping
        items: Any = mapping.items()
    else:
        items = enumerate(cast(list[Any], value))
    changed: Any = None
    for key, item in items:
        if isinstance(item, (dict, list)):
            revived = _revive(item, stored, context)
            if revived is not item:
                if changed is None:
                    changed = cast(Any, value).copy()
                changed[key] = revived
    return cast(Any, value) if changed is None else changed


def _revive_if_needed(value: Any, info: ValidationInfo) -> Any:
    if not isinstance(value, (dict, list)):
        return value
    return _revive(value, TEXT_IS_BASE64 or info.mode == 'json', info.context)


ToolReturnContent: TypeAlias = Annotated[Any, BeforeValidator(_revive_if_needed)]
"""A return value of a tool: anything that can be converted to JSON, and multi-modal content."""


@dataclass(repr=False, eq=False)
class ToolReturn(ShortRepr, Generic[ValueT]):
    """A return value of a tool, with additional content or metadata."""

    return_value: ToolReturnContent
    """The value that is sent to the model."""
    _: KW_ONLY
    content: str | Sequence[media.UserContent] | None = None
    """Content to add to the conversation as a user prompt."""
    metadata: Any = None
    """Data for the application; never sent to the model."""
    tools: Annotated[list[str] | None, left_out()] = None
    """The names of deferred tools that the model may call from now on."""
    kind: Literal['tool-return'] = 'tool-return'
    """Discriminator of the content."""


class _OfKind(ShortRepr):
    """A part that annotations may say the kind of a tool of, as in `ToolCallPart[Args]`; it is the same class."""

    @classmethod
    def __class_getitem__(cls, kind: object) -> type[Self]:
        return cls


@dataclass(repr=False, eq=False)
class BaseToolReturnPart(_OfKind):
    """The result of a tool call."""

    tool_name: str
    """The name of the tool."""
    content: ToolReturnContent
    """The return value of the tool."""
    tool_call_id: str = field(default_factory=generate_tool_call_id)
    """The id of the call."""
    _: KW_ONLY
    tool_kind: str | None = None
    """Discriminator of typed parts."""
    metadata: Any = None
    """Data for the application; never sent to the model."""
    timestamp: datetime = field(default_factory=now_utc)
    """When the tool returned."""
    outcome: Annotated[ToolOutcome, OpenWord('outcome')] = 'success'
    """Whether the call succeeded, failed, was denied or interrupted, or is to be made again."""

    def _error(self) -> Any:
        """Return what models read under the key `error`, or `None` if the result is not an error."""
        if self.outcome == 'retried' and self.content is not None:
            return self._converted(_jsonable, self._feedback())
        return self.model_response_str(wrap_if_error=False) if self.outcome in ('failed', 'retried') else None

    def _feedback(self) -> object:
        """Return the content of a call to make again, with validation errors as they are repeated to the model."""
        content = cast(object, self.content)
        if is_list(content) and content and all(is_dict(error) and 'loc' in error for error in content):
            return plain_errors(content)
        return content

    def content_items(
        self, *, mode: Literal['raw', 'str', 'jsonable'] = 'raw', wrap_if_error: bool = False
    ) -> list[Any]:
        """Return the items of the content; a value other than a list is a single item.

        Args:
            mode: How to convert items other than multi-modal content: `'raw'` not at all, `'str'` to JSON text
                (text stays text), `'jsonable'` to plain data.
            wrap_if_error: Whether a result that is an error is one item, with the key `error`; not in the mode `'raw'`.

        Raises:
            PydanticSerializationError: An item cannot be converted to JSON.
        """
        items: list[Any] = self.content if isinstance(self.content, list) else [self.content]  # type: ignore[reportUnknownMemberType, reportUnknownVariableType]
        if mode == 'raw':
            return items
        if wrap_if_error and (error := self._error()) is not None:
            return [json_text({'error': error}) if mode == 'str' else {'error': error}]
        if self.outcome == 'retried':  # its items are errors, and one result
            items = [self._feedback()]
        convert = json_text if mode == 'str' else _jsonable
        return [item if isinstance(item, (str, Media)) else self._converted(convert, item) for item in items]

    def _converted(self, convert: Callable[[object], T], value: object) -> T:
        try:
            return convert(value)
        except (ValueError, RecursionError) as error:
            raise pydantic_core.PydanticSerializationError(
                f'What tool {self.tool_name!r} returned (call {self.tool_call_id!r}) cannot be sent to the model, since '
                f'there is no JSON for it: {error}. Return text, numbers, lists, dicts, dataclasses or pydantic models; '
                'what only the program needs can go along as the `metadata` of a `ToolReturn`.'
            ) from error

    @property
    def typed_content(self) -> object:
        """The content, with the type that the kind of the tool says."""
        return self.content

    def structured_content(self) -> JsonObject | list[object] | None:
        """Return the content if it is an object or a list, or JSON of one; `None` otherwise."""
        content = cast(object, self.content)
        if isinstance(content, str):
            try:
                content = pydantic_core.from_json(content)
            except ValueError:
                return None
        return content if is_dict(content) or is_list(content) else None

    @property
    def files(self) -> list[media.MultiModalContent]:
        """The multi-modal content."""
        if type(self.content) in _NEVER_FILES:
            return []
        return [item for item in self.content_items() if isinstance(item, Media)]  # type: ignore[misc]

    def content_without_files(self) -> Any:
        """Return the content without its files: a list if several items are left, or `None`."""
        if type(self.content) in _NEVER_FILES:
            return self.content
        if not isinstance(self.content, list):
            return None if isinstance(self.content, Media) else self.content
        if self.outcome == 'retried':
            return self._feedback()
        content: list[Any] = self.content  # type: ignore[reportUnknownMemberType, reportUnknownVariableType]
        rest = [item for item in content if not isinstance(item, Media)]
        if len(rest) == 1 and len(content) > 1:
            return rest[0]
        return rest or None

    def model_response_str(self, *, wrap_if_error: bool = False) -> str:
        """Return the value without its files as text for the model: text as it is, anything else as JSON.

        Args:
            wrap_if_error: Whether an error is an object with the key `error`.

        Raises:
            PydanticSerializationError: It cannot be converted to JSON.
        """
        if wrap_if_error and (error := self._error()) is not None:
            return json_text({'error': error})
        value = self.content_without_files()
        if value is None:
            return ''
        if type(value) is int and -_SHORT < value < _SHORT:
            return str(value)
        if isinstance(value, str):
            return str.__str__(value)  # the value of an enum, and not its name
        text = self._converted(json_text, value)
        return '' if text == 'null' else text

    def model_response_object(self, *, wrap_if_error: bool = False) -> JsonObject:
        """Return the value without its files as an object for the model; other values are under the key `return_value`.

        Args:
            wrap_if_error: Whether an error is an object with the key `error`.

        Raises:
            PydanticSerializationError: It cannot be converted to JSON.
        """
        if wrap_if_error and (error := self._error()) is not None:
            return {'error': error}
        value = self.content_without_files()
        if value is None:
            return {}
        plain = self._converted(_jsonable, value)
        if plain is None or (isinstance(plain, float) and not math.isfinite(plain)):
            return {}
        return plain if isinstance(plain, dict) else {RETURN_VALUE_KEY: plain}  # type: ignore[reportUnknownVariableType]

    def model_response_str_and_user_content(
        self, *, wrap_if_error: bool = False
    ) -> tuple[str, list[media.UserContent]]:
        """Return text for the model that refers to files by their ids, and the files for a user prompt.

        Args:
            wrap_if_error: Whether an error is an object with the key `error`.

        Raises:
            PydanticSerializationError: The content cannot be converted to JSON.
        """
        if not self.files:
            return self.model_response_str(wrap_if_error=wrap_if_error), []
        files: list[Any] = []
        texts: list[str] = []
        for item in self.content_items(mode='str'):
            if isinstance(item, Media):
                identifier: str = item.identifier  # type: ignore[attr-defined]
                files += (f'This is file {identifier}:', item)
                item = f'See file {identifier}.'
            texts.append(item)
        return json_text(texts) if isinstance(self.content, list) else texts[0], files

    def has_content(self) -> bool:
        """Return whether there is anything in the content."""
        return self.content is not None

    def otel_event(self, settings: otel.ContentSettings) -> Any:
        """Return the OpenTelemetry log record of the part (instrumentation version 1)."""
        body: JsonObject = {'role': 'tool', 'id': self.tool_call_id, 'name': self.tool_name}
        if settings.include_content:
            body['content'] = otel.shown(self.content, settings)
        return otel.event('gen_ai.tool.message', body)

    def otel_message_parts(self, settings: otel.ContentSettings) -> list[JsonObject]:
        """Return the part as OpenTelemetry message parts."""
        part: JsonObject = {'type': 'tool_call_response', 'id': self.tool_call_id, 'name': self.tool_name}
        if settings.include_content and self.content is not None:
            part['result'] = otel.shown(self.content, settings)
        return [part]


_SHORT = 10**18
"""Integers up to this need no serializer to become JSON."""


def sent_items(part: BaseToolReturnPart, mode: Literal['str', 'jsonable'] = 'str') -> list[Any]:
    """Return the items of a result as vendors get them: the same before and after it was stored. Else as `content_items`."""
    content = cast('Any', part.content)
    if isinstance(content, _LISTS_IN_JSON):  # which are lists in JSON
        part = replace(part, content=[*cast('Iterable[Any]', content)])
    return part.content_items(mode=mode)


def json_text(value: object) -> str:
    """Return a value as JSON; one that is a single text there, such as a date, is that text, as it is after it was stored."""
    try:
        text = tool_return_ta.dump_json(value, by_alias=True).decode()
    except ValueError:
        text = tool_return_ta.dump_json(without_halves(value), by_alias=True).decode()
    return pydantic_core.from_json(text) if text[0] == '"' else text


_LONGEST_INPUT = 1000
_LONGEST_REASON = 2000
_SHORTEST_REASON = 200
_LONGEST_FEEDBACK = 20_000
"""How many characters of inputs and reasons are repeated in all, before only the places of errors are, with short reasons."""


def plain_errors(errors: Sequence[Any]) -> list[JsonObject]:
    """Return validation errors as plain data, as they are repeated to the model.

    Long inputs, reasons and names are cut. Of very many errors the first are there, and how many there are more; a list that
    ends with such a number already is one longer.
    """
    most = input_bounds().answer_errors
    if len(errors) > most + 1:
        errors = [*errors[:most], not_listed(len(errors) - most)]
    plain: list[JsonObject] = pydantic_core.to_jsonable_python(errors, fallback=str, inf_nan_mode='null')
    left = _LONGEST_FEEDBACK
    for error in plain:
        if 'loc' in error:
            error['loc'] = [short(name) if isinstance(name, str) else name for name in error['loc']]
        for key, most in (('msg', _LONGEST_REASON), ('ctx', _LONGEST_REASON), ('input', _LONGEST_INPUT)):
            if key in error and left <= 0 and key != 'msg':
                del error[key]
            elif key in error:
                most = most if left > 0 else _SHORTEST_REASON
                value: object = error[key]
                text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
                error[key] = value if len(text) <= most else short(text, most)
                left -= min(len(text), most)
    return plain


def shown_errors(errors: Sequence[Any]) -> str:
    return json.dumps(plain_errors(errors), indent=2, ensure_ascii=False)


def _jsonable(value: object) -> object:
    try:
        plain: object = tool_return_ta.dump_python(value, mode='json', by_alias=True)
    except ValueError:
        plain = tool_return_ta.dump_python(without_halves(value), mode='json', by_alias=True)
    return finite_data(plain)  # models of pydantic keep NaN


def without_halves(value: object) -> object:
    """Return data without halves of surrogate pairs in its texts and keys, for a value that cannot be written because of them.

    Raises:
        ValueError: There is no JSON for the value for another reason.
        RecursionError: It is nested too deep, or contains itself.
    """
    repaired: object = well_formed_data(value)
    if repaired is value:  # the text is inside of an object
        repaired = well_formed_data(tool_return_ta.dump_python(value, mode='json', by_alias=True))
    return repaired


# The typed class of a part, by its class and kind, and the adapter of its payload. `_typed_parts` fills the table.
TYPED_PARTS: dict[tuple[type, str], tuple[type, TypeAdapter[Any]]] = {}


def _narrow(part: Any, tool_kind: str | None = None) -> Any:
    kind = tool_kind or part.tool_kind
    if kind is None or (type(part), kind) not in TYPED_PARTS:
        return part if kind in (None, part.tool_kind) or kind in OWN_KINDS else replace(part, tool_kind=kind)
    cls, adapter = TYPED_PARTS[type(part), kind]
    # Not constructed: the fields are known, and a default must not replace them.
    typed = cast(Any, object.__new__(cls))
    typed.__dict__.update(part.__dict__)
    typed.tool_kind = kind
    if isinstance(part, BaseToolReturnPart):
        typed.content = adapter.validate_python(part.content)
    elif part.args is not None:
        typed.args = adapter.validate_python(part.args)
    return typed


def narrow_stored(part: Any) -> Any:
    """Return the typed part for a part that was read from JSON, or the part itself if its tool or payload is another one."""
    if part.tool_kind is None:
        return part
    typed: Any = TYPED_PARTS.get((cast(type, type(part)), part.tool_kind))
    if typed is None or part.tool_name != typed[0].tool_name:
        return part
    try:
        return _narrow(part)
    except ValidationError:
        return part


@dataclass(repr=False, eq=False)
class ToolReturnPart(BaseToolReturnPart):
    """The result of a tool that stead called."""

    _: KW_ONLY
    retry: Annotated[Annotated[RetryInfo[str], OpenContent()] | None, left_out()] = None
    """Why the call is to be made again, if its outcome is `'retried'`."""
    part_kind: Literal['tool-return'] = 'tool-return'
    """Discriminator of the part."""

    @staticmethod
    def narrow_type(part: ToolReturnPart, *, tool_kind: str | None = None) -> ToolReturnPart:
        """Return the part as the typed part for its kind, or the part itself if there is none.

        Args:
            part: The part.
            tool_kind: The kind; by default that of the part.

        Raises:
            ValidationError: The content does not match the typed part.
        """
        return _narrow(part, tool_kind)


@dataclass(repr=False, eq=False)
class NativeToolReturnPart(BaseToolReturnPart):
    """The result of a tool that the provider ran."""

    _: KW_ONLY
    provider_name: str | None = None
    """The provider that ran it."""
    provider_details: JsonObject | None = None
    """Further details from the provider."""
    part_kind: Literal['builtin-tool-return'] = 'builtin-tool-return'
    """Discriminator of the part."""

    @staticmethod
    def narrow_type(part: NativeToolReturnPart, *, tool_kind: str | None = None) -> NativeToolReturnPart:
        """Return the part as the typed part for its kind; see `ToolReturnPart.narrow_type`."""
        return _narrow(part, tool_kind)


@dataclass(repr=False, eq=False)
class BaseToolCallPart(_OfKind):
    """A tool call from the model."""

    tool_name: str
    """The name of the tool."""
    args: str | JsonObject | None = None
    """The arguments: JSON text, an object, or nothing."""
    tool_call_id: str = field(default_factory=generate_tool_call_id)
    """The id of the call."""
    _: KW_ONLY
    tool_kind: str | None = None
    """Discriminator of typed parts."""
    id: str | None = None
    """The id of the part at the provider, if it differs from the id of the call."""
    provider_name: str | None = None
    """The provider that sent it."""
    provider_details: JsonObject | None = None
    """Further details from the provider."""

    @property
    def otel_metadata(self) -> JsonObject | None:
        """What traces say about the arguments: `code_arg_name`, which of them is code, and `code_arg_language`.

        Toolsets and hooks set it on a call. It is not a field: it is neither stored nor compared.
        """
        return self.__dict__.get('_otel_metadata')

    @otel_metadata.setter
    def otel_metadata(self, value: JsonObject | None) -> None:
        self.__dict__['_otel_metadata'] = value

    def args_as_dict(self, *, raise_if_invalid: bool = False) -> JsonObject:
        """Return the arguments as an object.

        Args:
            raise_if_invalid: Whether to raise an error for arguments that are not a JSON object; otherwise they are returned as
                text under the key `INVALID_JSON`, so that any stored call can be sent to a provider again. A text that is
                nearly JSON is read as a call with it is; see `args_repairs`.

        Raises:
            ValueError: The arguments are not JSON.
            AssertionError: They are JSON, but not an object.
        """
        if not self.args:
            return {}
        known = self._known_reading() if '_reading' in self.__dict__ else None
        if isinstance(self.args, dict):
            return self.args if known is None else pydantic_core.from_json(known[0])
        try:
            try:
                args = pydantic_core.from_json(well_formed(self.args) if known is None else known[0])
            except ValueError:
                args = None
            if not isinstance(args, dict) and (nearly := nearly_json_of(self.args)) is not None:
                args = pydantic_core.from_json(nearly[0])
            elif args is None:
                pydantic_core.from_json(well_formed(self.args))
            if not isinstance(args, dict):
                raise AssertionError(
                    f'The arguments of {self.tool_name!r} are JSON, but not an object: {self.args[:100]}'
                )
        except (ValueError, AssertionError):
            if raise_if_invalid:
                raise
            return {INVALID_JSON_KEY: self.args}
        return args  # type: ignore[reportUnknownVariableType]

    @property
    def args_repairs(self) -> tuple[str, ...]:
        """What had to be changed so that the arguments are JSON, such as `'trailing comma'`; `args` has what the model wrote."""
        nearly = self._known_reading() if '_reading' in self.__dict__ else None
        if nearly is None and isinstance(self.args, str):
            nearly = nearly_json_of(self.args)
        return nearly[1] if nearly is not None else ()

    def note_reading(self, text: str, changes: tuple[str, ...]) -> None:
        """Note as what JSON the arguments are read by the schema of their tool, and what was changed; it is not a field."""
        self.__dict__['_reading'] = self.args, text, changes

    def _known_reading(self) -> tuple[str, tuple[str, ...]] | None:
        args, text, changes = self.__dict__['_reading']
        return (text, changes) if args is self.args else None

    def args_as_json_str(self) -> str:
        """Return the arguments as JSON text."""
        if not self.args:
            return '{}'
        if isinstance(self.args, str):
            return self.args
        try:
            return pydantic_core.to_json(self.args).decode()
        except ValueError:  # bytes, or halves of surrogate pairs
            return json_text(well_formed_data(self.args))

    @property
    def typed_args(self) -> Any | None:
        """The arguments, with the type that the kind of the tool says; `None` if they are not a JSON object."""
        try:
            return self.args_as_dict(raise_if_invalid=True)
        except (ValueError, AssertionError):
            return None

    def has_content(self) -> bool:
        """Return whether there are any arguments."""
        return bool(self.args)


@dataclass(repr=False, eq=False)
class ToolCallPart(BaseToolCallPart):
    """A call of a tool that stead runs."""

    _: KW_ONLY
    part_kind: Literal['tool-call'] = 'tool-call'
    """Discriminator of the part."""

    @staticmethod
    def narrow_type(part: ToolCallPart, *, tool_kind: str | None = None) -> ToolCallPart:
        """Return the part as the typed part for its kind; see `ToolReturnPart.narrow_type`."""
        return _narrow(part, tool_kind)


@dataclass(repr=False, eq=False)
class NativeToolCallPart(BaseToolCallPart):
    """A call of a tool that the provider runs."""

    _: KW_ONLY
    part_kind: Literal['builtin-tool-call'] = 'builtin-tool-call'
    """Discriminator of the part."""

    @staticmethod
    def narrow_type(part: NativeToolCallPart, *, tool_kind: str | None = None) -> NativeToolCallPart:
        """Return the part as the typed part for its kind; see `ToolReturnPart.narrow_type`."""
        return _narrow(part, tool_kind)
