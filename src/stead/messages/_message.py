"""`ModelRequest` and `ModelResponse`: the two kinds of message."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from datetime import datetime, timedelta
from functools import cache
from typing import Annotated, Any, Literal, Union

import pydantic
from pydantic import AfterValidator, AliasChoices
from typing_extensions import TypeAlias, deprecated

from .._kit.ids import now_utc
from .._kit.json_types import JsonObject
from .._kit.left_out import COMPLETE, left_out
from .._kit.marks import Discriminator
from .._kit.records import ShortRepr
from .._kit.sdk_types import PriceCalculation
from ..exceptions import PydanticAIDeprecationWarning, UserError
from ..usage import RequestUsage
from . import _media as media, _otel as otel
from ._changes import (
    CapabilityLoadDeltaPart,
    InstructionBaselinePart,
    InstructionDeltaPart,
    InstructionPart,
    ModelSettingsDeltaPart,
    ToolAvailabilityDeltaPart,
)
from ._feedback import RetryFeedbackPart, RetryPromptPart, shown_retry
from ._open import Open, OpenContent, OpenMessage, OpenWord, UnknownPart, kinds_of
from ._parts import CompactionPart, FilePart, SystemPromptPart, TextPart, ThinkingPart, UserPromptPart
from ._tool_parts import (
    BaseToolCallPart,
    BaseToolReturnPart,
    NativeToolCallPart,
    NativeToolReturnPart,
    ToolCallPart,
    ToolReturnPart,
    narrow_stored,
)

FinishReason: TypeAlias = Literal['stop', 'length', 'content_filter', 'tool_call', 'error']
"""The reason why a model stopped."""
ModelResponseState: TypeAlias = Literal['complete', 'incomplete', 'suspended', 'interrupted']
"""Whether a response is complete."""
ModelRequestState: TypeAlias = Literal['complete', 'interrupted']
"""Whether a request is complete."""


@cache
def _part_kinds() -> frozenset[str]:
    return kinds_of(Union[_KnownRequestPart, _KnownResponsePart, InstructionPart], 'part_kind')


# Typed parts share the discriminator of their base class, so a stored part is read as the base class and then narrowed.
_KnownRequestPart = Annotated[
    Union[
        SystemPromptPart,
        UserPromptPart,
        Annotated[ToolReturnPart, AfterValidator(narrow_stored)],
        Annotated[RetryPromptPart, AfterValidator(shown_retry)],
        RetryFeedbackPart,
        ToolAvailabilityDeltaPart,
        CapabilityLoadDeltaPart,
        ModelSettingsDeltaPart,
        InstructionBaselinePart,
        InstructionDeltaPart,
        CompactionPart,
    ],
    Discriminator('part_kind'),
]
ModelRequestPart = Annotated[Union[_KnownRequestPart, UnknownPart], Open(UnknownPart, _KnownRequestPart, _part_kinds)]
"""A part of a request."""
_KnownResponsePart = Annotated[
    Union[
        TextPart,
        Annotated[ToolCallPart, AfterValidator(narrow_stored)],
        Annotated[NativeToolCallPart, AfterValidator(narrow_stored)],
        Annotated[NativeToolReturnPart, AfterValidator(narrow_stored)],
        ThinkingPart,
        CompactionPart,
        FilePart,
    ],
    Discriminator('part_kind'),
]
ModelResponsePart = Annotated[
    Union[_KnownResponsePart, UnknownPart], Open(UnknownPart, _KnownResponsePart, _part_kinds)
]
"""A part of a response."""


@dataclass(frozen=True, kw_only=True)
class WorkspaceRef:
    """What a workspace is found by again."""

    provider: str
    """What kind of place it is, such as `'local'`."""
    id: str
    """Which one of those."""


@dataclass(repr=False, eq=False)
class ModelRequest(ShortRepr):
    """A message to the model."""

    parts: Sequence[ModelRequestPart]
    """The parts of the message."""
    _: KW_ONLY
    timestamp: datetime | None = None
    """When it was sent."""
    instructions: str | None = None
    """Instructions that were sent along; they are not repeated from the history."""
    kind: Literal['request'] = 'request'
    """Discriminator of the message."""
    run_id: str | None = None
    """The run it belongs to."""
    conversation_id: str | None = None
    """The conversation it belongs to."""
    metadata: JsonObject | None = None
    """Data for the application; never sent to the model."""
    state: Annotated[ModelRequestState, OpenWord('state'), left_out(COMPLETE)] = 'complete'
    """Whether it is complete; `'interrupted'` if the run was cancelled before all of its tools had returned."""

    @classmethod
    def user_text_prompt(cls, user_prompt: str, *, instructions: str | None = None) -> ModelRequest:
        """Return a request with one text prompt."""
        return cls(parts=[UserPromptPart(user_prompt)], instructions=instructions)


@dataclass(frozen=True, kw_only=True, repr=False)
class ModelRequestAttempt(ShortRepr):
    """A request to a model that led to no response: another one was made in its place."""

    model_name: str
    """The name of the model."""
    provider_name: str | None = None
    """Its provider."""
    outcome: Annotated[Literal['error', 'rejected'], OpenWord('outcome')]
    """Whether it failed, or its response was not accepted."""
    error: str | None = None
    """Why."""
    timestamp: datetime
    """When it was made."""
    duration: timedelta
    """How long it took."""
    usage: Annotated[RequestUsage, OpenContent()] | None = None
    """What it used, if that is known."""


@dataclass(repr=False, eq=False)
class ModelResponse(ShortRepr):
    """A message from the model."""

    parts: Sequence[ModelResponsePart]
    """The parts of the message."""
    _: KW_ONLY
    usage: Annotated[RequestUsage, Open()] = field(default_factory=RequestUsage)
    """Usage of the request."""
    model_name: str | None = None
    """The name of the model that responded, according to the provider."""
    model_id: Annotated[str | None, left_out()] = None
    """What the model was asked for as, with its provider, such as `'openai:gpt-5'`."""
    timestamp: datetime = field(default_factory=now_utc)
    """When it was received."""
    kind: Literal['response'] = 'response'
    """Discriminator of the message."""
    provider_name: str | None = None
    """The provider that sent it."""
    provider_url: str | None = None
    """The URL it was sent from."""
    canonical_system: Annotated[str | None, left_out()] = None
    """The system that the model belongs to, whatever provider serves it."""
    provider_details: Annotated[
        JsonObject | None, pydantic.Field(validation_alias=AliasChoices('provider_details', 'vendor_details'))
    ] = None
    """Further details from the provider."""
    provider_response_id: Annotated[
        str | None, pydantic.Field(validation_alias=AliasChoices('provider_response_id', 'vendor_id'))
    ] = None
    """Its id at the provider."""
    finish_reason: Annotated[FinishReason, OpenWord('finish_reason')] | None = None
    """The reason why the model stopped."""
    run_id: str | None = None
    """The run it belongs to."""
    conversation_id: str | None = None
    """The conversation it belongs to."""
    metadata: JsonObject | None = None
    """Data for the application; never sent to the model."""
    workspace_ref: Annotated[Annotated[WorkspaceRef, OpenContent()] | None, left_out()] = None
    """The workspace that the run had."""
    history_digest: Annotated[str | None, left_out()] = None
    """A digest of the history that it answers."""
    failed_attempts: Annotated[list[Annotated[ModelRequestAttempt, OpenContent()]] | None, left_out()] = None
    """Requests that were made before, to this model or to others, and failed."""
    state: Annotated[ModelResponseState, OpenWord('state')] = 'complete'
    """Whether it is complete; `'interrupted'` if its stream broke off."""

    @property
    def text(self) -> str | None:
        """The text, or `None`; adjacent text parts are concatenated, others are separated by an empty line."""
        pieces: list[str] = []
        previous: Any = None
        for part in self.parts:
            if isinstance(part, TextPart):
                if isinstance(previous, TextPart):
                    pieces[-1] += part.content
                else:
                    pieces.append(part.content)
            previous = part
        return '\n\n'.join(pieces) if pieces else None

    @property
    def thinking(self) -> str | None:
        """The thinking, or `None`."""
        pieces = [part.content for part in self.parts if isinstance(part, ThinkingPart)]
        return '\n\n'.join(pieces) if pieces else None

    @property
    def files(self) -> list[media.BinaryContent]:
        """The files."""
        return [part.content for part in self.parts if isinstance(part, FilePart)]

    @property
    def images(self) -> list[media.BinaryImage]:
        """The images among the files."""
        return [content for content in self.files if isinstance(content, media.BinaryImage)]

    @property
    def tool_calls(self) -> list[ToolCallPart]:
        """The calls of tools that stead runs."""
        return [part for part in self.parts if isinstance(part, ToolCallPart)]

    @property
    def native_tool_calls(self) -> list[tuple[NativeToolCallPart, NativeToolReturnPart]]:
        """The calls of tools that the provider ran, each with its result."""
        returns = {part.tool_call_id: part for part in self.parts if isinstance(part, NativeToolReturnPart)}
        return [
            (part, returns[part.tool_call_id])
            for part in self.parts
            if isinstance(part, NativeToolCallPart) and part.tool_call_id in returns
        ]

    @property
    @deprecated('`builtin_tool_calls` is an old name; use `native_tool_calls`.', category=PydanticAIDeprecationWarning)
    def builtin_tool_calls(self) -> list[tuple[NativeToolCallPart, NativeToolReturnPart]]:
        """The old name of `native_tool_calls`."""
        return self.native_tool_calls

    def cost(self) -> PriceCalculation:
        """Return the price of the request, according to the package genai-prices.

        Returns:
            A `genai_prices.types.PriceCalculation`, with `total_price` in US dollars.

        Raises:
            ImportError: The package genai-prices is not installed; `pip install "stead[prices]"`.
            LookupError: The package does not know the model.
        """
        try:
            from genai_prices import calc_price
        except ImportError as error:
            raise ImportError(
                'Prices need the package genai-prices. Install it with `pip install "stead[prices]"`.'
            ) from error
        if not self.model_name:
            raise LookupError('The price is unknown, because the response has no `model_name`.')
        # The URL of a gateway does not tell which provider sets the price, so the name of the provider is tried next.
        attempts: list[JsonObject] = [{'provider_api_url': self.provider_url}] if self.provider_url else []
        attempts.append({'provider_id': self.provider_name})
        for attempt in attempts[:-1]:
            try:
                return calc_price(self.usage, self.model_name, genai_request_timestamp=self.timestamp, **attempt)
            except LookupError:
                continue
        return calc_price(self.usage, self.model_name, genai_request_timestamp=self.timestamp, **attempts[-1])

    @deprecated('`price` is an old name; use `cost`.')
    def price(self) -> PriceCalculation:
        """Return the price; the old name of `cost`."""
        return self.cost()

    @property
    @deprecated('`vendor_details` is an old name; use `provider_details`.')
    def vendor_details(self) -> JsonObject | None:
        """The old name of `provider_details`."""
        return self.provider_details

    @property
    @deprecated('`vendor_id` is an old name; use `provider_response_id`.')
    def vendor_id(self) -> str | None:
        """The old name of `provider_response_id`."""
        return self.provider_response_id

    @property
    @deprecated('`provider_request_id` is an old name; use `provider_response_id`.')
    def provider_request_id(self) -> str | None:
        """The old name of `provider_response_id`."""
        return self.provider_response_id

    def otel_events(self, settings: otel.ContentSettings) -> list[Any]:
        """Return the OpenTelemetry log records of the response (instrumentation version 1)."""
        body: JsonObject = {'role': 'assistant'}
        for part in self.parts:
            if isinstance(part, ToolCallPart):
                function: JsonObject = {'name': part.tool_name}
                if settings.include_content:
                    function['arguments'] = part.args
                call = {'id': part.tool_call_id, 'type': 'function', 'function': function}
                body.setdefault('tool_calls', []).append(call)
            elif isinstance(part, (TextPart, ThinkingPart)):
                text = {'text': part.content} if settings.include_content else {}
                body.setdefault('content', []).append({'kind': part.part_kind, **text})
            elif isinstance(part, FilePart):
                body.setdefault('content', []).append(otel.user_content_event(part.content, settings))
        match body.get('content'):
            case [{'kind': 'text', 'text': text}]:
                body['content'] = text
            case _:
                pass
        return [otel.event('gen_ai.assistant.message', body)]

    def otel_message_parts(self, settings: otel.ContentSettings) -> list[JsonObject]:
        """Return the response as OpenTelemetry message parts."""
        parts: list[JsonObject] = []
        for part in self.parts:
            if isinstance(part, (TextPart, ThinkingPart)):
                content = {'content': part.content} if settings.include_content else {}
                parts.append({'type': part.part_kind, **content})
            elif isinstance(part, FilePart):
                parts.append(otel.user_content_part(part.content, settings) or {})
            elif isinstance(part, BaseToolCallPart):
                call: JsonObject = {'type': 'tool_call', 'id': part.tool_call_id, 'name': part.tool_name}
                if isinstance(part, NativeToolCallPart):
                    call['builtin'] = True
                if part.otel_metadata is not None:
                    call.update(otel.code_argument(part.otel_metadata))
                if settings.include_content and part.args is not None:
                    call['arguments'] = otel.plain_args(part.args)
                parts.append(call)
            elif isinstance(part, BaseToolReturnPart):
                response = {
                    'type': 'tool_call_response',
                    'id': part.tool_call_id,
                    'name': part.tool_name,
                    'builtin': True,
                }
                if settings.include_content and part.content is not None:
                    response['result'] = otel.shown(part.content, settings)
                parts.append(response)
        return parts


ModelMessage = Annotated[Union[ModelRequest, ModelResponse], Discriminator('kind'), OpenMessage()]
"""A message of a conversation."""


_REQUEST_PARTS = (SystemPromptPart, UserPromptPart, ToolReturnPart, RetryPromptPart)


def messages_from_content(*content: Any) -> list[ModelMessage]:
    """Return messages made of prompt content, request parts and whole messages.

    Args:
        content: Adjacent prompt content becomes one user prompt; adjacent parts become one request; whole messages
            are kept as they are.

    Raises:
        UserError: The sequence does not end in a request, so the model would have nothing to answer.
    """
    messages: list[ModelMessage] = []
    parts: list[Any] = []
    prompt: list[Any] = []

    def close_prompt() -> None:
        if prompt:
            single = prompt[0] if len(prompt) == 1 and isinstance(prompt[0], str) else None
            parts.append(UserPromptPart(content=single if single is not None else list(prompt)))
            prompt.clear()

    def close_request() -> None:
        close_prompt()
        if parts:
            messages.append(ModelRequest(parts=list(parts)))
            parts.clear()

    for item in content:
        if isinstance(item, (ModelRequest, ModelResponse)):
            close_request()
            messages.append(item)
        elif isinstance(item, _REQUEST_PARTS):
            close_prompt()
            parts.append(item)
        else:
            prompt.append(item)
    close_request()
    if not messages or not isinstance(messages[-1], ModelRequest):
        raise UserError(
            'Enqueued content must end in a request (prompt content, a request part or a `ModelRequest`), '
            'because the model answers the last message. Add one, or leave out the trailing `ModelResponse`.'
        )
    return messages
