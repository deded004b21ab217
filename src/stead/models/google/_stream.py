"""Decodes streams of Google's API: each chunk becomes events of stead. `ContentFold` does no I/O."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from ..._kit.ids import now_utc
from ..._kit.json_types import JsonObject, as_dict, as_list
from ..._kit.sdk_types import HttpxResponse
from ...messages import (
    ModelResponseStreamEvent,
    NativeToolCallPart,
    NativeToolReturnPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
)
from ...native_tools import FileSearchTool
from .._streaming.fold import VendorFold, VendorStream
from ._errors import as_model_error
from ._response import (
    decode_part,
    details_of,
    fetch_parts_of,
    file_query_of,
    files_of,
    finish_reason_of,
    has_tool_parts,
    jsonable,
    parts_of,
    plain_response,
    usage_of,
)


@dataclass
class ContentFold(VendorFold):
    """The response so far, as the chunks of a stream have built it."""

    _last_call: str | None = None
    """The id of the latest native call, which its result does not repeat."""
    _has_tool_parts: bool = False
    """Whether the parts include native tools, so that the metadata about them is redundant."""
    _has_text: bool = False
    _searches_files: bool = False
    """Whether the request has file search, which streams show as code."""
    _search: str | None = None
    """The id of a search of files that has no result yet."""

    def feed(self, chunk: JsonObject) -> Iterator[ModelResponseStreamEvent]:
        """Add a chunk, and yield its events."""
        self._note(chunk)
        candidates = as_list(chunk.get('candidates'))
        candidate = as_dict(candidates[0]) if candidates else {}
        parts = parts_of(candidate)
        self._has_tool_parts = self._has_tool_parts or has_tool_parts(parts)
        if not self._has_tool_parts:
            yield from self._metadata(candidate)
        for part in parts:
            if not ('inline_data' in part and part.get('thought')):  # drafts of the final image
                yield from self._take_part(part)
        if self._search is not None:
            yield from self._found(as_dict(candidate.get('grounding_metadata')))

    def _found(self, grounding: JsonObject) -> Iterator[ModelResponseStreamEvent]:
        """Add the result of a search of files, which comes as metadata, after the text that it led to."""
        if files := files_of(grounding):
            yield self._result_of_search(files)

    def _result_of_search(self, content: object) -> ModelResponseStreamEvent:
        call_id, self._search = self._search or '', None
        result = NativeToolReturnPart('file_search', content, call_id, provider_name=self.provider_name)
        return self.manager.handle_part(vendor_part_id=None, part=result)

    def _metadata(self, candidate: JsonObject) -> Iterator[ModelResponseStreamEvent]:
        """Add what the metadata of a candidate reports about native tools.

        Once text has started, it becomes details rather than parts: a part would end the text part.
        """
        if grounding := as_dict(candidate.get('grounding_metadata')):
            self.details['grounding_metadata'] = jsonable(grounding)
        pages = fetch_parts_of(candidate, self.provider_name)
        if pages and self._has_text:
            self.details['url_context_metadata'] = jsonable(candidate['url_context_metadata'])
            return
        for part in pages:
            yield self.manager.handle_part(vendor_part_id=None, part=part)

    def _note(self, chunk: JsonObject) -> None:
        self.response_id = chunk.get('response_id') or self.response_id
        self.model_name = chunk.get('model_version') or self.model_name
        details = details_of(chunk)
        self.details.update(details)
        if 'finish_reason' in details or 'block_reason' in details:
            self.finish_reason = finish_reason_of(chunk)
            self.ended = True
        if usage := as_dict(chunk.get('usage_metadata')):
            self.usage = usage_of(self.count(usage))

    def _take_part(self, part: JsonObject) -> Iterator[ModelResponseStreamEvent]:
        decoded = decode_part(part, self.provider_name, self._last_call)
        if isinstance(decoded, TextPart):
            if decoded.content or decoded.provider_details:
                self._has_text = True
                yield from self.manager.handle_text_delta(
                    vendor_part_id=None,
                    content=decoded.content,
                    provider_name=decoded.provider_name,
                    provider_details=decoded.provider_details,
                )
        elif isinstance(decoded, ThinkingPart):
            yield from self.manager.handle_thinking_delta(
                vendor_part_id=None,
                content=decoded.content,
                provider_name=decoded.provider_name,
                provider_details=decoded.provider_details,
            )
        elif isinstance(decoded, ToolCallPart):
            yield self.manager.handle_tool_call_part(
                vendor_part_id=None,
                tool_name=decoded.tool_name,
                args=decoded.args,
                tool_call_id=decoded.tool_call_id,
                provider_name=decoded.provider_name,
                provider_details=decoded.provider_details,
            )
        elif self._search is not None and 'code_execution_result' in part:
            yield self._result_of_search(jsonable(part['code_execution_result']))
        elif decoded is not None:
            if self._searches_files and (query := file_query_of(part)) is not None:
                assert isinstance(decoded, NativeToolCallPart)
                decoded = replace(decoded, tool_name='file_search', args={'query': query})
                self._search = decoded.tool_call_id
            if isinstance(decoded, NativeToolCallPart):
                self._last_call = decoded.tool_call_id
            yield self.manager.handle_part(vendor_part_id=None, part=decoded)


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
    _connections: list[HttpxResponse] = field(default_factory=lambda: [])
    """The open HTTP responses that the stream reads from, as far as they are known."""
    _secret: str | None = None

    async def close_stream(self) -> None:
        """Close the connection."""
        for connection in self._connections:
            await connection.aclose()
        try:
            await self._response.aclose()
        except RuntimeError:  # the generator is running: its reader gets the error of the closed connection
            pass

    def _fold(self) -> ContentFold:
        searches = any(isinstance(tool, FileSearchTool) for tool in self.model_request_parameters.native_tools)
        return ContentFold(self._parts_manager, self._provider_name, self._model_name, _searches_files=searches)

    def _plain(self, event: object) -> object:
        return plain_response(event)
