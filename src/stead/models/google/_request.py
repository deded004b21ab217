"""Messages on the way out: as Google's SDK has them. No I/O."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..._contracts.model import ModelRequestParameters
from ..._kit.plain import as_dict
from ...exceptions import UserError
from ...messages import (
    MULTI_MODAL_CONTENT_TYPES,
    BinaryContent,
    CachePoint,
    FilePart,
    FileUrl,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    NativeToolCallPart,
    NativeToolReturnPart,
    RetryPromptPart,
    SystemPromptPart,
    TextContent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UploadedFile,
    UserPromptPart,
    VideoUrl,
)
from ...profiles.google import GoogleModelProfile
from .._base import instructions_of
from .._media import Downloads, Wish

FILES_API = 'https://generativelanguage.googleapis.com/'
"""Where files are that were uploaded to the Gemini API."""
TOOL_TYPES = {'web_search': 'GOOGLE_SEARCH_WEB', 'web_fetch': 'URL_CONTEXT', 'file_search': 'FILE_SEARCH'}
"""Native tools, and what Google calls those that it says the calls of."""
NO_SIGNATURE = b'skip_thought_signature_validator'
"""The signature of calls that Google did not make, without which it refuses them."""
_VIDEO = ('start_offset', 'end_offset', 'fps')


@dataclass
class MessageEncoder:
    """Turns messages into contents of Google's API."""

    names: frozenset[str]
    """The names that the provider has had; what comes from another one is not sent back as if it were its own."""
    profile: GoogleModelProfile
    is_cloud: bool
    """Whether the request goes to Google Cloud, which reads links, rather than to the Gemini API."""
    downloads: Downloads = field(default_factory=lambda: {})

    def encode(self, messages: Sequence[ModelMessage]) -> list[dict[str, Any]]:
        """Return messages without system prompts.

        Raises:
            UserError: A message has content that the model does not take.
        """
        made: list[dict[str, Any]] = []
        for message in messages:
            if isinstance(message, ModelRequest):
                made.extend({'role': 'user', 'parts': parts} for parts in self._request(message))
            elif parts := list(self._response(message)):
                made.append({'role': 'model', 'parts': parts})
        if not made or made[0]['role'] != 'user':  # it wants to be asked first
            made.insert(0, {'role': 'user', 'parts': [{'text': ''}]})
        return made

    @staticmethod
    def encode_system(messages: Sequence[ModelMessage], params: ModelRequestParameters) -> dict[str, Any] | None:
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

    def _request(self, message: ModelRequest) -> list[list[dict[str, Any]]]:
        """Return the contents of a request; what comes after the results of tools is one of its own."""
        first: list[dict[str, Any]] = []
        after: list[dict[str, Any]] = []
        has_results = False
        for part in message.parts:
            result, rest = self._request_part(part)
            if result is not None:
                has_results = True
                first.append(result)
            (after if has_results else first).extend(rest)
        return [parts for parts in (first, after) if parts]

    def _request_part(self, part: Any) -> tuple[dict[str, Any] | None, list[dict[str, Any]]]:
        """Return the result of a tool, if that is what a part is, and everything else in it."""
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

    def _tool_return(self, part: ToolReturnPart) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """Return the result of a tool; files that it cannot have go after it."""
        inside: list[dict[str, Any]] = []
        after: list[dict[str, Any]] = []
        references: list[str] = []
        for item in part.files:
            encoded = self._file(item)
            if item.media_type in self.profile.google_supported_mime_types_in_tool_returns:
                inside.append({name: encoded[name] for name in ('inline_data', 'file_data') if name in encoded})
                continue
            references.append(f'See file {item.identifier}.')
            after += ({'text': f'This is file {item.identifier}:'}, encoded)
        response: dict[str, Any] = part.model_response_object()
        if references:
            response = {'output': [response, *references]}
        made: dict[str, Any] = {'id': part.tool_call_id, 'name': part.tool_name, 'response': response}
        if inside:
            made['parts'] = inside
        return {'function_response': made}, after

    def _response(self, message: ModelResponse) -> Iterable[dict[str, Any]]:
        pending: str | None = None  # a signature of thinking is sent with what comes next
        unsigned = True
        for part in message.parts:
            made = self._response_part(part)
            own = part.provider_name in self.names or message.provider_name in self.names
            signature = as_dict(part.provider_details).get('thought_signature') if own else None
            signature, pending = pending or signature, None
            if isinstance(part, ThinkingPart) and part.signature and part.provider_name in self.names:
                pending = part.signature
            if made is None:
                continue
            if signature:
                made['thought_signature'] = _from_base64(signature)
            elif 'function_call' in made and unsigned:
                made['thought_signature'] = NO_SIGNATURE
            unsigned = unsigned and 'function_call' not in made
            yield made

    def _response_part(self, part: Any) -> dict[str, Any] | None:
        if isinstance(part, TextPart):
            return {'text': part.content}
        if isinstance(part, ThinkingPart):
            return {'text': part.content, 'thought': True} if part.content else None
        if isinstance(part, ToolCallPart):
            call = {'id': part.tool_call_id, 'name': part.tool_name, 'args': part.args_as_dict()}
            return {'function_call': call}
        if isinstance(part, FilePart):
            return {'inline_data': {'data': part.content.data, 'mime_type': part.content.media_type}}
        if isinstance(part, (NativeToolCallPart, NativeToolReturnPart)) and part.provider_name in self.names:
            return self._native(part)
        return None

    def _native(self, part: NativeToolCallPart | NativeToolReturnPart) -> dict[str, Any] | None:
        """Return what Google did itself; only some of its models take that back."""
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
        made: dict[str, Any] = {'id': part.tool_call_id, 'tool_type': kind}
        if is_call:
            return {'tool_call': {**made, 'args': part.args_as_dict()}}
        response: Any = part.content
        if response is not None and not isinstance(response, dict):
            response = {'result': response}
        return {'tool_response': {**made, 'response': response}}

    def _user(self, content: str | Sequence[Any]) -> Iterable[dict[str, Any]]:
        for item in [content] if isinstance(content, str) else content:
            if isinstance(item, str):
                yield {'text': item}
            elif isinstance(item, TextContent):
                yield {'text': item.content}
            elif isinstance(item, MULTI_MODAL_CONTENT_TYPES):
                yield self._file(item)
            elif not isinstance(item, CachePoint):  # it caches by itself
                raise UserError(f'Google takes no {type(item).__name__} in user prompts. Leave it out.')

    def _file(self, item: Any) -> dict[str, Any]:
        """Return a file as a part."""
        if isinstance(item, BinaryContent):
            made: dict[str, Any] = {'inline_data': {'data': item.data, 'mime_type': item.media_type}}
        elif isinstance(item, UploadedFile):
            made = {'file_data': {'file_uri': self._uploaded(item), 'mime_type': item.media_type}}
        elif (found := self.downloads.get(id(item))) is not None:
            made = {'inline_data': {'data': found['data'], 'mime_type': found['data_type']}}
        else:
            made = {'file_data': {'file_uri': item.url, 'mime_type': item.media_type}}
        metadata = as_dict(item.vendor_metadata)
        if isinstance(item, (BinaryContent, VideoUrl, UploadedFile)) and any(name in metadata for name in _VIDEO):
            made['video_metadata'] = {name: metadata[name] for name in _VIDEO if name in metadata}
        return made

    def _uploaded(self, item: UploadedFile) -> str:
        if item.provider_name not in self.names:
            raise UserError(
                f'The uploaded file {item.file_id!r} is one of {item.provider_name!r}, but the request goes to '
                f'{sorted(self.names)[0]!r}. Upload it there, or send its bytes as `BinaryContent`.'
            )
        if not self.is_cloud and not item.file_id.startswith(FILES_API):
            raise UserError(
                f'The uploaded file {item.file_id!r} is not named as the Gemini API wants it: pass its URI, which begins '
                f'with {FILES_API!r} (`uri` of the file that the SDK returned), as `file_id`.'
            )
        return item.file_id

    def wish(self, item: FileUrl) -> Wish:
        """Return the form that a link is downloaded in, if it is."""
        if isinstance(item, VideoUrl) and item.is_youtube:
            return None
        if not item.force_download and (self.is_cloud or item.url.startswith(FILES_API)):
            return None
        return ('bytes', 'mime')


def _from_base64(text: str) -> bytes:
    """Return the bytes of a signature; one that is broken is sent as far as it goes, for Google to judge."""
    try:
        return base64.b64decode(text)
    except (binascii.Error, ValueError):
        return text.encode()
