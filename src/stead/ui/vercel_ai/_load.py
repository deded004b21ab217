"""Messages of the Vercel AI SDK as messages of an agent."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Union

from pydantic import TypeAdapter, ValidationError
from pydantic_core import from_json, to_json
from typing_extensions import TypeAlias

from ..._kit.json_types import as_dict
from ..._kit.records import is_str_dict
from ...messages import (
    AudioUrl,
    BinaryContent,
    DocumentUrl,
    FilePart,
    ImageUrl,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    NativeToolCallPart,
    NativeToolReturnPart,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UploadedFile,
    UserContent,
    UserPromptPart,
    VideoUrl,
)
from .._messages_builder import MessagesBuilder
from ._models import OWN, fields_of
from .request_types import (
    DataUIPart,
    DynamicToolApprovalRequestedPart,
    DynamicToolApprovalRespondedPart,
    DynamicToolInputAvailablePart,
    DynamicToolInputStreamingPart,
    DynamicToolOutputAvailablePart,
    DynamicToolOutputDeniedPart,
    DynamicToolOutputErrorPart,
    FileUIPart,
    ReasoningUIPart,
    TextUIPart,
    ToolApprovalRequestedPart,
    ToolApprovalResponded,
    ToolApprovalRespondedPart,
    ToolInputAvailablePart,
    ToolInputStreamingPart,
    ToolOutputAvailablePart,
    ToolOutputDeniedPart,
    ToolOutputErrorPart,
    UIMessage,
)

DENIED = 'The tool call was denied.'
"""What a model is told about a call that was denied without a reason."""
DYNAMIC_PARTS = (
    DynamicToolInputStreamingPart,
    DynamicToolInputAvailablePart,
    DynamicToolOutputAvailablePart,
    DynamicToolOutputErrorPart,
    DynamicToolApprovalRequestedPart,
    DynamicToolApprovalRespondedPart,
    DynamicToolOutputDeniedPart,
)
TOOL_PARTS = (
    ToolInputStreamingPart,
    ToolInputAvailablePart,
    ToolOutputAvailablePart,
    ToolOutputErrorPart,
    ToolApprovalRequestedPart,
    ToolApprovalRespondedPart,
    ToolOutputDeniedPart,
)
ToolPart: TypeAlias = Union[
    DynamicToolInputStreamingPart,
    DynamicToolInputAvailablePart,
    DynamicToolOutputAvailablePart,
    DynamicToolOutputErrorPart,
    DynamicToolApprovalRequestedPart,
    DynamicToolApprovalRespondedPart,
    DynamicToolOutputDeniedPart,
    ToolInputStreamingPart,
    ToolInputAvailablePart,
    ToolOutputAvailablePart,
    ToolOutputErrorPart,
    ToolApprovalRequestedPart,
    ToolApprovalRespondedPart,
    ToolOutputDeniedPart,
]
_TIME: TypeAdapter[datetime] = TypeAdapter(datetime)


def load_messages(messages: Sequence[UIMessage]) -> list[ModelMessage]:
    """Return messages of the SDK as messages of an agent; see `VercelAIAdapter.load_messages`."""
    builder = MessagesBuilder()
    for message in messages:
        before = builder.checkpoint()
        if message.role == 'system':
            for part in message.parts:
                if not isinstance(part, TextUIPart):
                    raise ValueError(f'A system message has a part of the type {part.type!r}; it can only have text.')
                builder.add(SystemPromptPart(part.text))
        elif message.role == 'user':
            content = [_user_content(part) for part in message.parts if not isinstance(part, DataUIPart)]
            if content:
                text = content[0] if len(content) == 1 and isinstance(content[0], str) else content
                builder.add(UserPromptPart(text))
        else:
            for part in message.parts:
                _add_assistant_part(builder, part)
        kind = ModelResponse if message.role == 'assistant' else ModelRequest
        target = builder.last_modified(before, of_type=kind)
        if target is not None and is_str_dict(message.metadata):
            _add_metadata(target, message.metadata)
    return builder.messages


def _add_metadata(message: ModelMessage, metadata: dict[str, Any]) -> None:
    own = as_dict(metadata.get(OWN))
    # That a person has edited calls (`edited`) is what a journal says, and not the front end.
    rest = {key: value for key, value in metadata.items() if key not in (OWN, 'edited')}
    if rest:
        message.metadata = rest
    if 'timestamp' in own:
        try:
            message.timestamp = _TIME.validate_python(own['timestamp'])
        except ValidationError:  # anyone can write one by hand
            pass


def _user_content(part: object) -> UserContent:
    if isinstance(part, TextUIPart):
        return part.text
    if not isinstance(part, FileUIPart):
        raise ValueError(f'A user message has a part of the type {_type_of(part)!r}; it can only have text and files.')
    metadata = as_dict((part.provider_metadata or {}).get(OWN))
    file_id, provider = metadata.get('file_id'), metadata.get('provider_name')
    if isinstance(file_id, str) and isinstance(provider, str):
        name: Any = provider
        identifier, vendor = metadata.get('identifier'), metadata.get('vendor_metadata')
        return UploadedFile(
            file_id,
            provider_name=name,
            media_type=part.media_type,
            vendor_metadata=vendor if is_str_dict(vendor) else None,
            identifier=identifier if isinstance(identifier, str) else None,
        )
    try:
        return BinaryContent.from_data_uri(part.url)
    except ValueError:
        kinds = {'image': ImageUrl, 'audio': AudioUrl, 'video': VideoUrl}
        kind = kinds.get(part.media_type.partition('/')[0], DocumentUrl)
        return kind(part.url, media_type=part.media_type)


def _type_of(part: object) -> str:
    return str(getattr(part, 'type', type(part).__name__))


def _add_assistant_part(builder: MessagesBuilder, part: object) -> None:
    if isinstance(part, TextUIPart):
        builder.add(TextPart(part.text, **fields_of(part.provider_metadata, 'id')))
    elif isinstance(part, ReasoningUIPart):
        # The signature is one for all of the thinking: of thinking that broke off, no provider accepts it.
        signed = () if part.state == 'streaming' else ('signature',)
        builder.add(ThinkingPart(part.text, **fields_of(part.provider_metadata, 'id', *signed)))
    elif isinstance(part, FileUIPart):
        if not part.url.startswith('data:'):
            raise ValueError('A message of the assistant has a link to a file; models only make files with data URIs.')
        file = BinaryContent.from_data_uri(part.url)
        builder.add(FilePart(file, **fields_of(part.provider_metadata, 'id')))
    elif isinstance(part, (*DYNAMIC_PARTS, *TOOL_PARTS)):
        if part.provider_executed:
            _add_native(builder, part)
        else:
            call = call_of(part)
            builder.add(call)
            if (result := _result_of(part)) is not None:
                content, fields = result
                builder.add(ToolReturnPart(call.tool_name, content, tool_call_id=call.tool_call_id, **fields))


def call_of(part: ToolPart) -> ToolCallPart:
    """Return the call in a part."""
    fields = fields_of(part.call_provider_metadata, 'id')
    return ToolCallPart(_name_of(part), _args(part.input), tool_call_id=part.tool_call_id, **fields)


def _name_of(part: ToolPart) -> str:
    return part.tool_name if isinstance(part, DYNAMIC_PARTS) else part.type.removeprefix('tool-')


def _args(value: Any) -> str | dict[str, Any] | None:
    """Return arguments; text that is a JSON object is one, and what cannot be arguments is text."""
    if isinstance(value, str):
        try:
            data = from_json(value)
        except ValueError:
            return value
        return data if is_str_dict(data) else value
    if value is None:
        return None
    return value if is_str_dict(value) else to_json(value).decode()


def _add_native(builder: MessagesBuilder, part: ToolPart) -> None:
    name, id = _name_of(part), part.tool_call_id
    metadata = part.call_provider_metadata
    call = fields_of(metadata, 'id', under='call_meta')
    builder.add(NativeToolCallPart(name, _args(part.input), tool_call_id=id, **call))
    if (result := _result_of(part)) is not None:
        content, fields = result
        back = fields_of(metadata, under='return_meta')
        builder.add(NativeToolReturnPart(name, content, tool_call_id=id, **fields, **back))


def _result_of(part: ToolPart) -> tuple[object, dict[str, Any]] | None:
    """Return the result of a call, and the fields of its outcome; `None` if there is none yet."""
    if isinstance(part, (ToolOutputAvailablePart, DynamicToolOutputAvailablePart)):
        return part.output, {}
    if isinstance(part, (ToolOutputErrorPart, DynamicToolOutputErrorPart)):
        return part.error_text, {'outcome': 'failed'}
    if isinstance(part, (ToolOutputDeniedPart, DynamicToolOutputDeniedPart)):
        approval = part.approval
        reason = approval.reason if isinstance(approval, ToolApprovalResponded) else None
        return reason or DENIED, {'outcome': 'denied'}
    return None
