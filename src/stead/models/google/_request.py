"""Encodes messages for Google's SDK. No I/O."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from ..._contracts.model import ModelRequestParameters
from ..._kit.json_types import JsonObject, as_dict
from ...exceptions import UserError
from ...messages import (
    MULTI_MODAL_CONTENT_TYPES,
    BinaryContent,
    CachePoint,
    FilePart,
    FileUrl,
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    MultiModalContent,
    NativeToolCallPart,
    NativeToolReturnPart,
    RetryPromptPart,
    SystemPromptPart,
    TextContent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UnknownPart,
    UploadedFile,
    UserContent,
    UserPromptPart,
    VideoUrl,
)
from ...profiles.google import GoogleModelProfile
from .._base import instructions_of
from .._media import DownloadFormat, Downloads, is_text
from .._wire.call_ids import without_half_calls

FILES_API = 'https://generativelanguage.googleapis.com/'
"""The beginning of the URIs of files that were uploaded to the Gemini API."""
TOOL_TYPES = {'web_search': 'GOOGLE_SEARCH_WEB', 'web_fetch': 'URL_CONTEXT', 'file_search': 'FILE_SEARCH'}
"""Google's types of the native tools whose calls it reports, by stead's names."""
NO_SIGNATURE = b'skip_thought_signature_validator'
"""The signature for calls that did not come from Google, which rejects unsigned ones."""
_VIDEO = ('start_offset', 'end_offset', 'fps')


@dataclass
class GoogleMessageEncoder:
    """Encodes messages as the contents of a request to Google's API."""

    names: frozenset[str]
    """The current and former names of the provider. Parts that only their provider understands are sent to no other."""
    profile: GoogleModelProfile
    is_cloud: bool
    """Whether the request goes to Google Cloud, which fetches URLs itself, rather than to the Gemini API."""
    downloads: Downloads = field(default_factory=lambda: {})
    """The files that were downloaded for the request."""

    def encode(self, messages: Sequence[ModelMessage]) -> list[JsonObject]:
        """Return the contents for messages, without system prompts.

        Raises:
            UserError: A message has content that Google does not accept.
        """
        contents = [item for message in messages for item in self.encode_message(message)]
        if not contents or contents[0]['role'] != 'user':  # the API requires that the user begins
            contents.insert(0, {'role': 'user', 'parts': [{'text': ''}]})
        return contents

    def encode_message(self, message: ModelMessage) -> list[JsonObject]:
        """Return the contents that a message becomes; errors as `encode`."""
        if isinstance(message, ModelRequest):
            return [{'role': 'user', 'parts': parts} for parts in self._request(message)]
        parts = list(self._response(message))
        return [{'role': 'model', 'parts': parts}] if parts else []

    @staticmethod
    def encode_system(messages: Sequence[ModelMessage], params: ModelRequestParameters) -> JsonObject | None:
        """Return the system prompt, if there is one."""
        texts = [
            part.content
            for message in messages
            if isinstance(message, ModelRequest)
            for part in message.parts
            if isinstance(part, SystemPromptPart)
        ]
        if params.instruction_parts:
            texts.extend(part.content for part in params.instruction_parts)
        elif text := instructions_of(messages, params):
            texts.append(text)
        return {'role': 'user', 'parts': [{'text': text} for text in texts]} if texts else None

    def _request(self, message: ModelRequest) -> list[list[JsonObject]]:
        """Return the parts of a request, in one list or two: what follows tool results must be a message of its own."""
        first: list[JsonObject] = []
        after: list[JsonObject] = []
        has_results = False
        for part in message.parts:
            result, rest = self._request_part(part)
            if result is not None:
                has_results = True
                first.append(result)
            (after if has_results else first).extend(rest)
        return [parts for parts in (first, after) if parts]

    def _request_part(self, part: ModelRequestPart) -> tuple[JsonObject | None, list[JsonObject]]:
        """Return the tool result in a part, if it has one, and the rest of its content."""
        if isinstance(part, UserPromptPart):
            return None, list(self._user(part.content))
        if isinstance(part, ToolReturnPart):
            return self._tool_return(part)
        if isinstance(part, RetryPromptPart):
            text = part.model_response()
            if part.tool_name is None:
                return None, [{'text': text}]
            response = {'id': part.tool_call_id, 'name': part.tool_name, 'response': {'error': text}}
            return {'function_response': response}, []
        return None, []

    def _tool_return(self, part: ToolReturnPart) -> tuple[JsonObject, list[JsonObject]]:
        """Return a tool result, and the parts that follow it: files that cannot be inside of it."""
        inside: list[JsonObject] = []
        after: list[JsonObject] = []
        references: list[str] = []
        for item in part.files:
            encoded = self._file(item)
            if item.media_type in self.profile.google_supported_mime_types_in_tool_returns:
                inside.append({name: encoded[name] for name in ('inline_data', 'file_data') if name in encoded})
                continue
            references.append(f'See file {item.identifier}.')
            after += ({'text': f'This is file {item.identifier}:'}, encoded)
        response: JsonObject = part.model_response_object()
        if references:
            response = {'output': [response, *references]}
        result: JsonObject = {'id': part.tool_call_id, 'name': part.tool_name, 'response': response}
        if inside:
            result['parts'] = inside
        return {'function_response': result}, after

    def _response(self, message: ModelResponse) -> Iterable[JsonObject]:
        pending: str | None = None  # the API expects the signature of thinking on the part that follows it
        unsigned = True
        for part in without_half_calls(message):
            if isinstance(part, UnknownPart):
                continue
            encoded = self._response_part(part)
            own = part.provider_name in self.names or message.provider_name in self.names
            signature = as_dict(part.provider_details).get('thought_signature') if own else None
            signature, pending = pending or signature, None
            if isinstance(part, ThinkingPart) and part.signature and part.provider_name in self.names:
                pending = part.signature
            if encoded is None:
                continue
            if signature:
                encoded['thought_signature'] = _from_base64(signature)
            elif 'function_call' in encoded and unsigned:
                encoded['thought_signature'] = NO_SIGNATURE
            unsigned = unsigned and 'function_call' not in encoded
            yield encoded

    def _response_part(self, part: ModelResponsePart) -> JsonObject | None:
        if isinstance(part, TextPart):
            return {'text': part.content} if part.content else None
        if isinstance(part, ThinkingPart):
            return {'text': part.content, 'thought': True} if part.content else None
        if isinstance(part, ToolCallPart):
            call = {'id': part.tool_call_id, 'args': part.args_as_dict(), 'name': part.tool_name}
            return {'function_call': call}
        if isinstance(part, FilePart):
            return {'inline_data': {'data': part.content.data, 'mime_type': part.content.media_type}}
        if isinstance(part, (NativeToolCallPart, NativeToolReturnPart)) and part.provider_name in self.names:
            return self._native(part)
        return None

    def _native(self, part: NativeToolCallPart | NativeToolReturnPart) -> JsonObject | None:
        """Return a call or a result of a native tool, or `None` if the model does not accept it back."""
        is_call = isinstance(part, NativeToolCallPart)
        if part.tool_name == 'code_execution':
            return (
                {'executable_code': part.args_as_dict()}
                if is_call
                else {'code_execution_result': as_dict(part.content)}
            )
        kind = TOOL_TYPES.get(part.tool_name)
        if kind is None or self.is_cloud or not self.profile.google_supports_server_side_tool_invocations:
            return None
        fields: JsonObject = {'id': part.tool_call_id, 'tool_type': kind}
        if is_call:
            return {'tool_call': {**fields, 'args': part.args_as_dict()}}
        response: Any = part.content
        if response is not None and not isinstance(response, dict):
            response = {'result': response}
        return {'tool_response': {**fields, 'response': response}}

    def _user(self, content: str | Sequence[UserContent]) -> Iterable[JsonObject]:
        for item in [content] if isinstance(content, str) else content:
            if isinstance(item, (str, TextContent)):
                if text := item if isinstance(item, str) else item.content:
                    yield {'text': text}
            elif isinstance(item, CachePoint):  # Google caches on its own
                continue
            elif isinstance(item, MULTI_MODAL_CONTENT_TYPES):
                yield self._file(cast(MultiModalContent, item))
            else:
                raise UserError(f'Google does not support {type(item).__name__} in user prompts. Leave it out.')

    def _file(self, item: MultiModalContent) -> JsonObject:
        """Return the part for a file."""
        if isinstance(item, BinaryContent):
            if not item.media_type.partition('/')[2] or '*' in item.media_type:
                raise UserError(
                    f'Gemini takes no {item.media_type!r}. Say the media type of the file, or leave it out.'
                )
            # Of files of text, the API knows those that begin with `text/`.
            is_known = item.media_type.startswith('text/') or not is_text(item.media_type)
            kind = item.media_type if is_known else 'text/plain'
            part: JsonObject = {'inline_data': {'data': item.data, 'mime_type': kind}}
        elif isinstance(item, UploadedFile):
            part = {'file_data': {'file_uri': self._uploaded(item), 'mime_type': item.media_type}}
        elif (download := self.downloads.get(id(item))) is not None:
            part = {'inline_data': {'data': download['data'], 'mime_type': download['data_type']}}
        else:
            part = {'file_data': {'file_uri': item.url, 'mime_type': item.media_type}}
        metadata = as_dict(item.vendor_metadata)
        if isinstance(item, (BinaryContent, VideoUrl, UploadedFile)) and any(name in metadata for name in _VIDEO):
            part['video_metadata'] = {name: metadata[name] for name in _VIDEO if name in metadata}
        return part

    def _uploaded(self, item: UploadedFile) -> str:
        if item.provider_name not in self.names:
            raise UserError(
                f'The file {item.file_id!r} was uploaded to {item.provider_name!r}, but the request goes to '
                f'{sorted(self.names)[0]!r}. Upload it there, or send its bytes as `BinaryContent`.'
            )
        if not self.is_cloud and not item.file_id.startswith(FILES_API):
            raise UserError(
                f'The `file_id` {item.file_id!r} of an uploaded file is not a URI of the Gemini API. Pass the `uri` of the '
                f'file that the SDK returned, which begins with {FILES_API!r}.'
            )
        return item.file_id

    def download_format(self, item: FileUrl) -> DownloadFormat | None:
        """Return the format to download a URL in, or `None` to send the URL."""
        if isinstance(item, VideoUrl) and item.is_youtube:
            return None
        if not item.force_download and (self.is_cloud or item.url.startswith(FILES_API)):
            return None
        return ('bytes', 'mime')


def _from_base64(text: str) -> bytes:
    """Return the bytes of a signature. An invalid one is sent as it is, so that Google reports the error."""
    try:
        return base64.b64decode(text)
    except (binascii.Error, ValueError):
        return text.encode()
