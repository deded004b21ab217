"""Chunks of answers for the Vercel AI SDK."""

from __future__ import annotations

from abc import ABC
from typing import Annotated, Any, Literal, Union

from pydantic import Field
from pydantic_core import to_json
from typing_extensions import TypeAlias

from ..._kit.well_formed import well_formed_data
from ._models import CamelBaseModel, ProviderMetadata, SourceDocument, SourceUrl

FinishReason: TypeAlias = Union[Literal['stop', 'length', 'content-filter', 'tool-calls', 'error', 'other'], None]
"""Why an answer ended."""


class BaseChunk(CamelBaseModel, ABC):
    """A chunk of an answer."""

    def encode(self, sdk_version: int) -> str:
        """Return the chunk as JSON, as a version of the SDK understands it."""
        return self._encode(None)

    def _encode(self, exclude: set[str] | None) -> str:
        try:
            return self.model_dump_json(by_alias=True, exclude_none=True, exclude=exclude)
        except ValueError:  # halves of surrogate pairs, which cannot be written as UTF-8
            data = self.model_dump(by_alias=True, exclude_none=True, exclude=exclude)
            return to_json(well_formed_data(data), fallback=repr).decode()


class _BoundaryChunk(BaseChunk):
    type: Any
    id: str
    provider_metadata: Union[ProviderMetadata, None] = None


class TextStartChunk(_BoundaryChunk):
    """The start of text."""

    type: Literal['text-start'] = 'text-start'


class TextDeltaChunk(BaseChunk):
    """More text."""

    type: Literal['text-delta'] = 'text-delta'
    delta: str
    id: str
    provider_metadata: Union[ProviderMetadata, None] = None


class TextEndChunk(_BoundaryChunk):
    """The end of text."""

    type: Literal['text-end'] = 'text-end'


class ReasoningStartChunk(_BoundaryChunk):
    """The start of thinking."""

    type: Literal['reasoning-start'] = 'reasoning-start'


class ReasoningDeltaChunk(BaseChunk):
    """More thinking."""

    type: Literal['reasoning-delta'] = 'reasoning-delta'
    id: str
    delta: str
    provider_metadata: Union[ProviderMetadata, None] = None


class ReasoningEndChunk(_BoundaryChunk):
    """The end of thinking."""

    type: Literal['reasoning-end'] = 'reasoning-end'


class ErrorChunk(BaseChunk):
    """An error."""

    type: Literal['error'] = 'error'
    error_text: str


class ToolInputStartChunk(BaseChunk):
    """The start of a tool call."""

    type: Literal['tool-input-start'] = 'tool-input-start'
    tool_call_id: str
    tool_name: str
    provider_executed: Union[bool, None] = None
    provider_metadata: Union[ProviderMetadata, None] = None
    dynamic: Union[bool, None] = None

    def encode(self, sdk_version: int) -> str:
        """Return the chunk as JSON; before version 6 without metadata of the provider, which the SDK refuses there."""
        return self._encode({'provider_metadata'} if sdk_version < 6 else None)


class ToolInputDeltaChunk(BaseChunk):
    """More arguments of a tool call."""

    type: Literal['tool-input-delta'] = 'tool-input-delta'
    tool_call_id: str
    input_text_delta: str


class ToolOutputAvailableChunk(BaseChunk):
    """The result of a tool call."""

    type: Literal['tool-output-available'] = 'tool-output-available'
    tool_call_id: str
    output: Any
    provider_executed: Union[bool, None] = None
    dynamic: Union[bool, None] = None
    preliminary: Union[bool, None] = None


class _WholeInputChunk(BaseChunk):
    type: Any
    tool_call_id: str
    tool_name: str
    input: Any
    provider_executed: Union[bool, None] = None
    provider_metadata: Union[ProviderMetadata, None] = None
    dynamic: Union[bool, None] = None


class ToolInputAvailableChunk(_WholeInputChunk):
    """A tool call with all of its arguments."""

    type: Literal['tool-input-available'] = 'tool-input-available'


class ToolInputErrorChunk(_WholeInputChunk):
    """A tool call whose arguments are invalid."""

    type: Literal['tool-input-error'] = 'tool-input-error'
    error_text: str


class ToolOutputErrorChunk(BaseChunk):
    """The error of a tool call."""

    type: Literal['tool-output-error'] = 'tool-output-error'
    tool_call_id: str
    error_text: str
    provider_executed: Union[bool, None] = None
    dynamic: Union[bool, None] = None


class ToolApprovalRequestChunk(BaseChunk):
    """The question whether a call may be made."""

    type: Literal['tool-approval-request'] = 'tool-approval-request'
    approval_id: str
    tool_call_id: str


class ToolOutputDeniedChunk(BaseChunk):
    """The news that a call was denied."""

    type: Literal['tool-output-denied'] = 'tool-output-denied'
    tool_call_id: str


class SourceUrlChunk(SourceUrl, BaseChunk):
    """A link that the model refers to."""


class SourceDocumentChunk(SourceDocument, BaseChunk):
    """A document that the model refers to."""


class FileChunk(BaseChunk):
    """A file."""

    type: Literal['file'] = 'file'
    url: str
    media_type: str


class DataChunk(BaseChunk):
    """Data of the application; its type is `data-` and a name."""

    type: Annotated[str, Field(pattern=r'^data-')]
    id: Union[str, None] = None
    data: Any
    transient: Union[bool, None] = None


class StartStepChunk(BaseChunk):
    """The start of a step."""

    type: Literal['start-step'] = 'start-step'


class FinishStepChunk(BaseChunk):
    """The end of a step."""

    type: Literal['finish-step'] = 'finish-step'


class StartChunk(BaseChunk):
    """The start of an answer."""

    type: Literal['start'] = 'start'
    message_id: Union[str, None] = None
    message_metadata: Any = None


class FinishChunk(BaseChunk):
    """The end of an answer."""

    type: Literal['finish'] = 'finish'
    finish_reason: FinishReason = None
    message_metadata: Any = None


class AbortChunk(BaseChunk):
    """The news that an answer was broken off."""

    type: Literal['abort'] = 'abort'
    reason: Union[str, None] = None


class MessageMetadataChunk(BaseChunk):
    """Metadata of the message."""

    type: Literal['message-metadata'] = 'message-metadata'
    message_metadata: Any


class DoneChunk(BaseChunk):
    """The end of the stream."""

    type: Literal['done'] = 'done'

    def encode(self, sdk_version: int) -> str:
        """Return the word that ends the stream, which is not JSON."""
        return '[DONE]'


__all__ = (
    'AbortChunk',
    'BaseChunk',
    'DataChunk',
    'DoneChunk',
    'ErrorChunk',
    'FileChunk',
    'FinishChunk',
    'FinishReason',
    'FinishStepChunk',
    'MessageMetadataChunk',
    'ProviderMetadata',
    'ReasoningDeltaChunk',
    'ReasoningEndChunk',
    'ReasoningStartChunk',
    'SourceDocumentChunk',
    'SourceUrlChunk',
    'StartChunk',
    'StartStepChunk',
    'TextDeltaChunk',
    'TextEndChunk',
    'TextStartChunk',
    'ToolApprovalRequestChunk',
    'ToolInputAvailableChunk',
    'ToolInputDeltaChunk',
    'ToolInputErrorChunk',
    'ToolInputStartChunk',
    'ToolOutputAvailableChunk',
    'ToolOutputDeniedChunk',
    'ToolOutputErrorChunk',
)
