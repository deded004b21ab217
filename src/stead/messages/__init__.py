"""Messages to and from models: their parts, deltas and events, and their storage."""

from __future__ import annotations

from typing import Any

from .._kit.lazy import old_names
from .._kit.warnings import PydanticAIDeprecationWarning, SteadDeprecationWarning
from ..usage import RequestUsage as RequestUsage
from ._deltas import (
    ModelResponsePartDelta,
    ProviderDetailsDelta,
    TextPartDelta,
    ThinkingPartDelta,
    ToolCallPartDelta,
)
from ._enqueued import messages_from_content as messages_from_content
from ._events import (
    AgentStreamEvent,
    BuiltinToolCallEvent,
    BuiltinToolResultEvent,
    FinalResultEvent,
    FunctionToolCallEvent,
    FunctionToolProgressEvent,
    FunctionToolResultEvent,
    HandleResponseEvent,
    ModelResponseStreamEvent,
    OutputToolCallEvent,
    OutputToolResultEvent,
    PartDeltaEvent,
    PartEndEvent,
    PartStartEvent,
    ResponseRestartEvent,
    StreamAttemptEvent,
    ToolCallEvent,
    ToolResultEvent,
)
from ._feedback import RetryFeedbackPart, RetryInfo
from ._formats import (
    AudioFormat,
    AudioMediaType,
    DocumentFormat,
    DocumentMediaType,
    ImageFormat,
    ImageMediaType,
    VideoFormat,
    VideoMediaType,
)
from ._media import (
    MULTI_MODAL_CONTENT_TYPES,
    AudioUrl,
    BinaryContent,
    BinaryImage,
    CachePoint,
    DocumentUrl,
    FileUrl,
    ForceDownloadMode,
    ImageUrl,
    MultiModalContent,
    TextContent,
    UploadedFile,
    UploadedFileProviderName,
    UserContent,
    VideoUrl,
    is_multi_modal_content,
)
from ._message import (
    FinishReason,
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    ModelResponseState,
)
from ._open import (
    UNREAD as UNREAD,
    Open as Open,
    OpenAdapter as OpenAdapter,
    UnknownContent,
    UnknownEvent,
    UnknownPart,
)
from ._parts import (
    CompactionPart,
    FilePart,
    InstructionPart,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    UserPromptPart,
)
from ._stored import ModelMessagesTypeAdapter, not_storable as not_storable
from ._tool_parts import (
    INVALID_JSON_KEY,
    RETURN_VALUE_KEY,
    BaseToolCallPart,
    BaseToolReturnPart,
    NativeToolCallPart,
    NativeToolReturnPart,
    RetryPromptPart,
    ToolCallPart,
    ToolPartKind,
    ToolReturn,
    ToolReturnContent,
    ToolReturnPart,
    error_details_ta,
    tool_return_ta,
)
from ._typed_parts import (
    LOAD_CAPABILITY as LOAD_CAPABILITY,
    NATIVE_TOOL_SEARCH as NATIVE_TOOL_SEARCH,
    SEARCH_TOOLS as SEARCH_TOOLS,
    LoadCapabilityArgs as LoadCapabilityArgs,
    LoadCapabilityCallPart,
    LoadCapabilityReturnContent as LoadCapabilityReturnContent,
    LoadCapabilityReturnPart,
    NativeToolSearchCallPart,
    NativeToolSearchReturnPart,
    ToolSearchArgs,
    ToolSearchCallPart,
    ToolSearchMatch,
    ToolSearchReturnContent,
    ToolSearchReturnPart,
)
from ._well_formed import (
    CheckedHistory as CheckedHistory,
    known_part as known_part,
    well_formed_part as well_formed_part,
    well_formed_response as well_formed_response,
    without_json as without_json,
)

__all__ = (
    'INVALID_JSON_KEY',
    'MULTI_MODAL_CONTENT_TYPES',
    'RETURN_VALUE_KEY',
    'AgentStreamEvent',
    'AudioFormat',
    'AudioMediaType',
    'AudioUrl',
    'BaseToolCallPart',
    'BaseToolReturnPart',
    'BinaryContent',
    'BinaryImage',
    'BuiltinToolCallEvent',
    'BuiltinToolResultEvent',
    'CachePoint',
    'CompactionPart',
    'DocumentFormat',
    'DocumentMediaType',
    'DocumentUrl',
    'FilePart',
    'FileUrl',
    'FinalResultEvent',
    'FinishReason',
    'ForceDownloadMode',
    'FunctionToolCallEvent',
    'FunctionToolProgressEvent',
    'FunctionToolResultEvent',
    'HandleResponseEvent',
    'ImageFormat',
    'ImageMediaType',
    'ImageUrl',
    'InstructionPart',
    'LoadCapabilityCallPart',
    'LoadCapabilityReturnPart',
    'ModelMessage',
    'ModelMessagesTypeAdapter',
    'ModelRequest',
    'ModelRequestPart',
    'ModelResponse',
    'ModelResponsePart',
    'ModelResponsePartDelta',
    'ModelResponseState',
    'ModelResponseStreamEvent',
    'MultiModalContent',
    'NativeToolCallPart',
    'NativeToolReturnPart',
    'NativeToolSearchCallPart',
    'NativeToolSearchReturnPart',
    'OutputToolCallEvent',
    'OutputToolResultEvent',
    'PartDeltaEvent',
    'PartEndEvent',
    'PartStartEvent',
    'ProviderDetailsDelta',
    'PydanticAIDeprecationWarning',
    'ResponseRestartEvent',
    'RetryFeedbackPart',
    'RetryInfo',
    'RetryPromptPart',
    'SteadDeprecationWarning',
    'StreamAttemptEvent',
    'SystemPromptPart',
    'TextContent',
    'TextPart',
    'TextPartDelta',
    'ThinkingPart',
    'ThinkingPartDelta',
    'ToolCallEvent',
    'ToolCallPart',
    'ToolCallPartDelta',
    'ToolPartKind',
    'ToolResultEvent',
    'ToolReturn',
    'ToolReturnContent',
    'ToolReturnPart',
    'ToolSearchArgs',
    'ToolSearchCallPart',
    'ToolSearchMatch',
    'ToolSearchReturnContent',
    'ToolSearchReturnPart',
    'UnknownContent',
    'UnknownEvent',
    'UnknownPart',
    'UploadedFile',
    'UploadedFileProviderName',
    'UserContent',
    'UserPromptPart',
    'VideoFormat',
    'VideoMediaType',
    'VideoUrl',
    'error_details_ta',
    'is_multi_modal_content',
    'tool_return_ta',
)


_old_name = old_names(
    __name__,
    {
        'BuiltinToolCallPart': (__name__, 'NativeToolCallPart'),
        'BuiltinToolReturnPart': (__name__, 'NativeToolReturnPart'),
    },
)


def __getattr__(name: str) -> Any:
    if name == 'LogRecord':  # OpenTelemetry is only imported if its class is asked for
        from opentelemetry._logs import LogRecord

        return LogRecord
    return _old_name(name)
