"""Messages that come in piece by piece: each chunk of Google becomes events of stead. No I/O in `ContentFold`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ..._kit.ids import now_utc
from ..._kit.plain import as_dict, as_list
from ...messages import (
    ModelResponseStreamEvent,
    NativeToolCallPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
)
from .._streaming.fold import VendorFold, VendorStream
from ._errors import as_model_error
from ._response import (
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
class ContentFold(VendorFold):
    """What the chunks of a stream come to."""

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

    _as_model_error = staticmethod(as_model_error)

    _model_name: str
    _response: Any
    _provider_name: str
    _provider_url: str
    _provider_timestamp: datetime | None = None
    _timestamp: datetime = field(default_factory=now_utc)
    _first: Any = None
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

    def _fold(self) -> ContentFold:
        return ContentFold(self._parts_manager, self._provider_name, self._model_name)

    def _plain(self, event: Any) -> Any:
        return plain_answer(event)
