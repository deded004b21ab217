"""Messages of an agent as messages of AG-UI."""

from __future__ import annotations

import warnings
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from ag_ui.core import (
    ActivityMessage,
    AssistantMessage,
    AudioInputContent,
    BinaryInputContent,
    DocumentInputContent,
    FunctionCall,
    ImageInputContent,
    InputContentDataSource,
    InputContentUrlSource,
    Message,
    ReasoningMessage,
    SystemMessage,
    TextInputContent,
    ToolCall,
    ToolMessage,
    UserMessage,
    VideoInputContent,
)

from ..._kit.json_types import JsonObject
from ...messages import (
    BinaryContent,
    FilePart,
    FileUrl,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    NativeToolCallPart,
    NativeToolReturnPart,
    RetryFeedbackPart,
    RetryPromptPart,
    SystemPromptPart,
    TextContent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UploadedFile,
    UserContent,
    UserPromptPart,
    is_retry,
    retry_text,
)
from ._event_stream import native_call_id, sealed_thinking
from ._version import FILE_ACTIVITY, MEDIA_PARTS, REASONING, UPLOAD_ACTIVITY

_MEDIA = {'image': ImageInputContent, 'audio': AudioInputContent, 'video': VideoInputContent}


class _OldUserMessage(UserMessage):
    """A message with parts of an older version, which are not in the classes of later ones."""

    content: Any


def dump_messages(
    messages: Sequence[ModelMessage], version: tuple[int, ...], *, preserve_file_data: bool
) -> list[Message]:
    """Return messages of an agent as messages of AG-UI; see `AGUIAdapter.dump_messages`."""
    dumped: list[Message] = []
    for message in messages:
        if isinstance(message, ModelRequest):
            dumped += _request(message, version, preserve_file_data)
        else:
            dumped += _ResponseCutter(version, preserve_file_data).dump(message)
    return dumped


def _id() -> str:
    return str(uuid4())


def _request(request: ModelRequest, version: tuple[int, ...], preserve_file_data: bool) -> list[Message]:
    dumped: list[Message] = []
    for part in request.parts:
        if isinstance(part, SystemPromptPart):
            dumped.append(SystemMessage(id=_id(), content=part.content))
        elif isinstance(part, UserPromptPart):
            dumped += _user(part, version, preserve_file_data)
        elif isinstance(part, RetryFeedbackPart) or (isinstance(part, RetryPromptPart) and part.tool_name is None):
            dumped.append(UserMessage(id=_id(), content=part.model_response()))
        elif is_retry(part):
            dumped.append(_retry(part))
        elif isinstance(part, ToolReturnPart):
            dumped.append(
                ToolMessage(
                    id=_id(), content=part.model_response_str(wrap_if_error=False), tool_call_id=part.tool_call_id
                )
            )
    return dumped


def _retry(part: RetryPromptPart | ToolReturnPart) -> Message:
    text = retry_text(part)
    return ToolMessage(id=_id(), content=text, tool_call_id=part.tool_call_id, error=text)


def _user(part: UserPromptPart, version: tuple[int, ...], preserve_file_data: bool) -> list[Message]:
    if isinstance(part.content, str):
        return [UserMessage(id=_id(), content=part.content)]
    content: list[Any] = []
    uploads: list[Message] = []
    for item in part.content:
        if isinstance(item, UploadedFile):
            if preserve_file_data:
                uploads.append(_upload(item))
        elif (dumped := _content(item, version)) is not None:
            content.append(dumped)
    if not content:
        return uploads
    only = content[0].text if len(content) == 1 and isinstance(content[0], TextInputContent) else None
    kind = _OldUserMessage if version < MEDIA_PARTS else UserMessage
    return [kind(id=_id(), content=content if only is None else only), *uploads]


def _content(item: UserContent, version: tuple[int, ...]) -> object:
    """Return the part for an item of a prompt; `None` for one that interfaces have no part for."""
    if isinstance(item, (str, TextContent)):
        return TextInputContent(text=item if isinstance(item, str) else item.content)
    if not isinstance(item, (FileUrl, BinaryContent)):
        return None
    media = item.media_type
    if version < MEDIA_PARTS:
        url = item.url if isinstance(item, FileUrl) else None
        data = b64encode(item.data).decode() if isinstance(item, BinaryContent) else None
        with warnings.catch_warnings():
            warnings.simplefilter('ignore', DeprecationWarning)  # the interface asked for it
            return BinaryInputContent(mime_type=media, url=url, data=data)
    if isinstance(item, FileUrl):
        kind = item.kind.removesuffix('-url')
        return _MEDIA.get(kind, DocumentInputContent)(source=InputContentUrlSource(value=item.url, mime_type=media))
    source = InputContentDataSource(value=b64encode(item.data).decode(), mime_type=media)
    return _MEDIA.get(media.partition('/')[0], DocumentInputContent)(source=source)


def _upload(file: UploadedFile) -> Message:
    values = {
        'file_id': file.file_id,
        'provider_name': file.provider_name,
        'vendor_metadata': file.vendor_metadata,
        'media_type': file.media_type,
        'identifier': file.identifier,
    }
    return _activity(UPLOAD_ACTIVITY, values)


def _activity(kind: str, values: JsonObject) -> Message:
    kept = {key: value for key, value in values.items() if value is not None}
    return ActivityMessage(id=_id(), activity_type=kind, content=kept)


@dataclass
class _ResponseCutter:
    """Cuts a response into messages: text and the calls after it are one, thinking and files are messages of their own."""

    version: tuple[int, ...]
    preserve_file_data: bool
    dumped: list[Message] = field(default_factory=list[Message])
    texts: list[str] = field(default_factory=list[str])
    calls: list[ToolCall] = field(default_factory=list[ToolCall])
    results: dict[str, Message] = field(default_factory=dict[str, Message])

    def dump(self, response: ModelResponse) -> list[Message]:
        """Return the messages of a response."""
        for part in response.parts:
            if isinstance(part, NativeToolReturnPart):
                id = native_call_id(part.provider_name, part.tool_call_id)
                self.results[id] = ToolMessage(
                    id=_id(), content=part.model_response_str(wrap_if_error=False), tool_call_id=id
                )
        for part in response.parts:
            if isinstance(part, TextPart):
                if self.calls:
                    self.flush()
                self.texts.append(part.content)
            elif isinstance(part, ToolCallPart):
                self.call(part, part.tool_call_id)
            elif isinstance(part, NativeToolCallPart):
                self.call(part, native_call_id(part.provider_name, part.tool_call_id))
            elif isinstance(part, ThinkingPart):
                if self.version >= REASONING:
                    self.flush()
                    sealed = sealed_thinking(part)
                    self.dumped.append(ReasoningMessage(id=_id(), content=part.content, encrypted_value=sealed))
            elif isinstance(part, FilePart) and self.preserve_file_data:
                self.flush()
                self.dumped.append(_file(part))
        self.flush()
        return self.dumped

    def call(self, part: ToolCallPart | NativeToolCallPart, id: str) -> None:
        function = FunctionCall(name=part.tool_name, arguments=part.args_as_json_str())
        self.calls.append(ToolCall(id=id, function=function))

    def flush(self) -> None:
        """Write the message with the text and the calls so far, and the results that the provider has for them."""
        if self.texts or self.calls:
            text = '\n'.join(self.texts) if self.texts else None
            self.dumped.append(AssistantMessage(id=_id(), content=text, tool_calls=self.calls or None))
        self.dumped += [self.results.pop(call.id) for call in self.calls if call.id in self.results]
        self.texts, self.calls = [], []


def _file(part: FilePart) -> Message:
    values = {
        'url': part.content.data_uri,
        'media_type': part.content.media_type,
        'id': part.id,
        'provider_name': part.provider_name,
        'provider_details': part.provider_details,
    }
    return _activity(FILE_ACTIVITY, values)
