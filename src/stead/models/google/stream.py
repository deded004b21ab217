"""Messages that come in piece by piece: each chunk of Google becomes events of stead. No I/O in `ContentFold`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ..._contracts.parts import ModelResponsePartsManager
from ..._kit.ids import now_utc
from ..._kit.plain import as_dict, as_list
from ...exceptions import ModelAPIError
from ...messages import (
    FinishReason,
    ModelResponseStreamEvent,
    NativeToolCallPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
)
from ...usage import RequestUsage
from .._vendor import VendorStream
from .errors import as_model_error
from .response import (
    decode_part,
    details_of,
    fetch_parts_of,
    finish_reason_of,
    jsonable,
    parts_of,
    plain_answer,
    tells_of_tools,
    usage_of,
)


@dataclass
class ContentFold:
    """What the chunks of a stream come to."""

    manager: ModelResponsePartsManager
    provider_name: str
    model_name: str
    response_id: str | None = None
    details: dict[str, Any] = field(default_factory=lambda: {})
    usage: RequestUsage | None = None
    finish_reason: FinishReason | None = None
    ended: bool = False
    _last_call: str | None = None
    _tells_of_tools: bool = False
    _has_text: bool = False

    def take(self, chunk: Mapping[str, Any]) -> Iterator[ModelResponseStreamEvent]:
        """Take a chunk, and yield the events of stead."""
        self._note(chunk)
        candidates = as_list(chunk.get('candidates'))
        candidate = as_dict(candidates[0]) if candidates else {}
        parts = parts_of(candidate)
        self._tells_of_tools = self._tells_of_tools or tells_of_tools(parts)
        if not self._tells_of_tools:
            yield from self._beside(candidate)
        for part in parts:
            if not ('inline_data' in part and part.get('thought')):  # sketches of the image that is to come
                yield from self._take_part(part)

    def _beside(self, candidate: Mapping[str, Any]) -> Iterator[ModelResponseStreamEvent]:
        """Take what a chunk says of native tools beside its parts. After text it becomes no parts: they would end it."""
        if grounding := as_dict(candidate.get('grounding_metadata')):
            self.details['grounding_metadata'] = jsonable(grounding)
        pages = fetch_parts_of(candidate, self.provider_name)
        if pages and self._has_text:
            self.details['url_context_metadata'] = jsonable(candidate['url_context_metadata'])
            return
        for part in pages:
            yield self.manager.handle_part(vendor_part_id=None, part=part)

    def _note(self, chunk: Mapping[str, Any]) -> None:
        self.response_id = chunk.get('response_id') or self.response_id
        self.model_name = chunk.get('model_version') or self.model_name
        details = details_of(chunk)
        self.details.update(details)
        if 'finish_reason' in details or 'block_reason' in details:
            self.finish_reason = finish_reason_of(chunk)
            self.ended = True
        if usage := as_dict(chunk.get('usage_metadata')):
            self.usage = usage_of(usage)

    def _take_part(self, part: Mapping[str, Any]) -> Iterator[ModelResponseStreamEvent]:
        made = decode_part(part, self.provider_name, self._last_call)
        if isinstance(made, TextPart):
            if made.content or made.provider_details:
                self._has_text = True
                yield from self.manager.handle_text_delta(
                    vendor_part_id=None,
                    content=made.content,
                    provider_name=made.provider_name,
                    provider_details=made.provider_details,
                )
        elif isinstance(made, ThinkingPart):
            yield from self.manager.handle_thinking_delta(
                vendor_part_id=None,
                content=made.content,
                provider_name=made.provider_name,
                provider_details=made.provider_details,
            )
        elif isinstance(made, ToolCallPart):
            yield self.manager.handle_tool_call_part(
                vendor_part_id=None,
                tool_name=made.tool_name,
                args=made.args,
                tool_call_id=made.tool_call_id,
                provider_name=made.provider_name,
                provider_details=made.provider_details,
            )
        elif made is not None:
            if isinstance(made, NativeToolCallPart):
                self._last_call = made.tool_call_id
            yield self.manager.handle_part(vendor_part_id=None, part=made)


@dataclass
class GeminiStreamedResponse(VendorStream):
    """The streamed response of a `GoogleModel`."""

    _model_name: str
    _response: Any
    """The stream of the SDK."""
    _provider_name: str
    _provider_url: str
    _provider_timestamp: datetime | None = None
    _timestamp: datetime = field(default_factory=now_utc)
    _first: Any = None
    """Its first chunk, which was read to know that there is an answer."""
    _connections: list[Any] = field(default_factory=lambda: [])
    """The connections under the stream, as far as they are known."""
    _secret: str | None = None

    async def close_stream(self) -> None:
        """Close the connection."""
        for connection in self._connections:
            await connection.aclose()
        try:
            await self._response.aclose()
        except RuntimeError:  # somebody is reading, and learns it from the connection
            pass

    async def _get_event_iterator(self) -> AsyncIterator[ModelResponseStreamEvent]:
        fold = ContentFold(self._parts_manager, self._provider_name, self._model_name)
        try:
            async for chunk in self._chunks():
                for made in fold.take(chunk):
                    yield made
                self._note(fold)
        except Exception as error:
            raise as_model_error(error, self._model_name, self._secret) from error
        if not fold.ended:
            raise ModelAPIError(
                self._model_name,
                f'The stream of {self._model_name!r} ended before the response was complete: it did not say why.',
            )

    async def _chunks(self) -> AsyncIterator[dict[str, Any]]:
        if self._first is not None:
            yield plain_answer(self._first)
        async for chunk in self._response:
            yield plain_answer(chunk)

    def _note(self, fold: ContentFold) -> None:
        """Keep what the chunks have said so far."""
        self._model_name = fold.model_name
        self.provider_response_id = fold.response_id
        self.provider_details = fold.details or None
        self.finish_reason = fold.finish_reason
        self._provider_timestamp = fold.details.get('timestamp', self._provider_timestamp)
        if fold.usage is not None:
            self._usage = fold.usage
