"""Requests of the Vercel AI SDK: messages of its interface, and what comes with them."""

from __future__ import annotations

from abc import ABC
from typing import Annotated, Any, Literal, Union

from pydantic import Discriminator, Field, StrictBool
from typing_extensions import TypeAlias

from ._models import CamelBaseModel, ProviderMetadata, RequestModel


class BaseUIPart(RequestModel, ABC):
    """A part of a message."""


class TextUIPart(BaseUIPart):
    """Text."""

    type: Literal['text'] = 'text'
    text: str
    state: Union[Literal['streaming', 'done'], None] = None
    provider_metadata: Union[ProviderMetadata, None] = None


class ReasoningUIPart(BaseUIPart):
    """Thinking of the model."""

    type: Literal['reasoning'] = 'reasoning'
    text: str
    state: Union[Literal['streaming', 'done'], None] = None
    provider_metadata: Union[ProviderMetadata, None] = None


class SourceUrlUIPart(BaseUIPart):
    """A link that the model refers to."""

    type: Literal['source-url'] = 'source-url'
    source_id: str
    url: str
    title: Union[str, None] = None
    provider_metadata: Union[ProviderMetadata, None] = None


class SourceDocumentUIPart(BaseUIPart):
    """A document that the model refers to."""

    type: Literal['source-document'] = 'source-document'
    source_id: str
    media_type: str
    title: str
    filename: Union[str, None] = None
    provider_metadata: Union[ProviderMetadata, None] = None


class FileUIPart(BaseUIPart):
    """A file."""

    type: Literal['file'] = 'file'
    media_type: str
    """Its media type."""
    filename: Union[str, None] = None
    url: str
    """Its link, or its content as a data URI."""
    provider_metadata: Union[ProviderMetadata, None] = None


class StepStartUIPart(BaseUIPart):
    """The start of a step."""

    type: Literal['step-start'] = 'step-start'


class DataUIPart(BaseUIPart):
    """Data of the application; its type is `data-` and a name."""

    type: Annotated[str, Field(pattern=r'^data-')]
    id: Union[str, None] = None
    data: Any


class ToolApprovalRequested(RequestModel):
    """The question whether a call may be made."""

    id: str


class ToolApprovalResponded(RequestModel):
    """The answer to the question whether a call may be made."""

    id: str
    approved: StrictBool
    reason: Union[str, None] = None


ToolApproval: TypeAlias = Union[ToolApprovalResponded, ToolApprovalRequested]
"""A question whether a call may be made, or the answer."""


class ToolInputStreamingPart(BaseUIPart):
    """A call whose arguments come in."""

    type: Annotated[str, Field(pattern=r'^tool-')]
    tool_call_id: str
    title: Union[str, None] = None
    state: Literal['input-streaming'] = 'input-streaming'
    input: Any = None
    provider_executed: Union[bool, None] = None
    call_provider_metadata: Union[ProviderMetadata, None] = None
    approval: Union[ToolApproval, None] = None


class ToolInputAvailablePart(BaseUIPart):
    """A call."""

    type: Annotated[str, Field(pattern=r'^tool-')]
    tool_call_id: str
    title: Union[str, None] = None
    state: Literal['input-available'] = 'input-available'
    input: Any = None
    provider_executed: Union[bool, None] = None
    call_provider_metadata: Union[ProviderMetadata, None] = None
    approval: Union[ToolApproval, None] = None


class ToolOutputAvailablePart(BaseUIPart):
    """A call and its result."""

    type: Annotated[str, Field(pattern=r'^tool-')]
    tool_call_id: str
    title: Union[str, None] = None
    state: Literal['output-available'] = 'output-available'
    input: Any = None
    output: Any = None
    provider_executed: Union[bool, None] = None
    call_provider_metadata: Union[ProviderMetadata, None] = None
    preliminary: Union[bool, None] = None
    approval: Union[ToolApproval, None] = None


class ToolOutputErrorPart(BaseUIPart):
    """A call and its error."""

    type: Annotated[str, Field(pattern=r'^tool-')]
    tool_call_id: str
    title: Union[str, None] = None
    state: Literal['output-error'] = 'output-error'
    input: Any = None
    raw_input: Any = None
    error_text: str
    provider_executed: Union[bool, None] = None
    call_provider_metadata: Union[ProviderMetadata, None] = None
    approval: Union[ToolApproval, None] = None


class ToolApprovalRequestedPart(BaseUIPart):
    """A call that waits for an approval."""

    type: Annotated[str, Field(pattern=r'^tool-')]
    tool_call_id: str
    title: Union[str, None] = None
    state: Literal['approval-requested'] = 'approval-requested'
    input: Any = None
    provider_executed: Union[bool, None] = None
    call_provider_metadata: Union[ProviderMetadata, None] = None
    approval: Union[ToolApproval, None] = None


class ToolApprovalRespondedPart(BaseUIPart):
    """A call that was approved or denied."""

    type: Annotated[str, Field(pattern=r'^tool-')]
    tool_call_id: str
    title: Union[str, None] = None
    state: Literal['approval-responded'] = 'approval-responded'
    input: Any = None
    provider_executed: Union[bool, None] = None
    call_provider_metadata: Union[ProviderMetadata, None] = None
    approval: Union[ToolApproval, None] = None


class ToolOutputDeniedPart(BaseUIPart):
    """A call that was denied."""

    type: Annotated[str, Field(pattern=r'^tool-')]
    tool_call_id: str
    title: Union[str, None] = None
    state: Literal['output-denied'] = 'output-denied'
    input: Any = None
    provider_executed: Union[bool, None] = None
    call_provider_metadata: Union[ProviderMetadata, None] = None
    approval: Union[ToolApproval, None] = None


ToolUIPart: TypeAlias = Union[
    ToolInputStreamingPart,
    ToolInputAvailablePart,
    ToolOutputAvailablePart,
    ToolOutputErrorPart,
    ToolApprovalRequestedPart,
    ToolApprovalRespondedPart,
    ToolOutputDeniedPart,
]
"""A call of a tool, in any state; its type is `tool-` and the name of the tool."""


class DynamicToolInputStreamingPart(BaseUIPart):
    """A call whose arguments come in of a tool that is not known in advance."""

    type: Literal['dynamic-tool'] = 'dynamic-tool'
    tool_name: str
    tool_call_id: str
    title: Union[str, None] = None
    state: Literal['input-streaming'] = 'input-streaming'
    input: Any = None
    provider_executed: Union[bool, None] = None
    call_provider_metadata: Union[ProviderMetadata, None] = None
    approval: Union[ToolApproval, None] = None


class DynamicToolInputAvailablePart(BaseUIPart):
    """A call of a tool that is not known in advance."""

    type: Literal['dynamic-tool'] = 'dynamic-tool'
    tool_name: str
    tool_call_id: str
    title: Union[str, None] = None
    state: Literal['input-available'] = 'input-available'
    input: Any
    provider_executed: Union[bool, None] = None
    call_provider_metadata: Union[ProviderMetadata, None] = None
    approval: Union[ToolApproval, None] = None


class DynamicToolOutputAvailablePart(BaseUIPart):
    """A call and its result of a tool that is not known in advance."""

    type: Literal['dynamic-tool'] = 'dynamic-tool'
    tool_name: str
    tool_call_id: str
    title: Union[str, None] = None
    state: Literal['output-available'] = 'output-available'
    input: Any
    output: Any
    provider_executed: Union[bool, None] = None
    call_provider_metadata: Union[ProviderMetadata, None] = None
    preliminary: Union[bool, None] = None
    approval: Union[ToolApproval, None] = None


class DynamicToolOutputErrorPart(BaseUIPart):
    """A call and its error of a tool that is not known in advance."""

    type: Literal['dynamic-tool'] = 'dynamic-tool'
    tool_name: str
    tool_call_id: str
    title: Union[str, None] = None
    state: Literal['output-error'] = 'output-error'
    input: Any
    error_text: str
    provider_executed: Union[bool, None] = None
    call_provider_metadata: Union[ProviderMetadata, None] = None
    approval: Union[ToolApproval, None] = None


class DynamicToolApprovalRequestedPart(BaseUIPart):
    """A call that waits for an approval of a tool that is not known in advance."""

    type: Literal['dynamic-tool'] = 'dynamic-tool'
    tool_name: str
    tool_call_id: str
    title: Union[str, None] = None
    state: Literal['approval-requested'] = 'approval-requested'
    input: Any
    provider_executed: Union[bool, None] = None
    call_provider_metadata: Union[ProviderMetadata, None] = None
    approval: Union[ToolApproval, None] = None


class DynamicToolApprovalRespondedPart(BaseUIPart):
    """A call that was approved or denied of a tool that is not known in advance."""

    type: Literal['dynamic-tool'] = 'dynamic-tool'
    tool_name: str
    tool_call_id: str
    title: Union[str, None] = None
    state: Literal['approval-responded'] = 'approval-responded'
    input: Any
    provider_executed: Union[bool, None] = None
    call_provider_metadata: Union[ProviderMetadata, None] = None
    approval: Union[ToolApproval, None] = None


class DynamicToolOutputDeniedPart(BaseUIPart):
    """A call that was denied of a tool that is not known in advance."""

    type: Literal['dynamic-tool'] = 'dynamic-tool'
    tool_name: str
    tool_call_id: str
    title: Union[str, None] = None
    state: Literal['output-denied'] = 'output-denied'
    input: Any
    provider_executed: Union[bool, None] = None
    call_provider_metadata: Union[ProviderMetadata, None] = None
    approval: Union[ToolApproval, None] = None


DynamicToolUIPart: TypeAlias = Union[
    DynamicToolInputStreamingPart,
    DynamicToolInputAvailablePart,
    DynamicToolOutputAvailablePart,
    DynamicToolOutputErrorPart,
    DynamicToolApprovalRequestedPart,
    DynamicToolApprovalRespondedPart,
    DynamicToolOutputDeniedPart,
]
"""A call of a tool that is not known in advance, in any state."""


UIMessagePart: TypeAlias = Union[
    TextUIPart,
    ReasoningUIPart,
    ToolUIPart,
    DynamicToolUIPart,
    SourceUrlUIPart,
    SourceDocumentUIPart,
    FileUIPart,
    DataUIPart,
    StepStartUIPart,
]
"""A part of a message."""


class UIMessage(RequestModel):
    """A message."""

    id: str
    role: Literal['system', 'user', 'assistant']
    metadata: Any = None
    parts: list[UIMessagePart]


class SubmitMessage(CamelBaseModel, extra='allow'):
    """The request to answer a message."""

    trigger: Literal['submit-message'] = 'submit-message'
    id: str
    """The id of the chat."""
    messages: list[UIMessage]


class RegenerateMessage(CamelBaseModel, extra='allow'):
    """The request to answer a message again."""

    trigger: Literal['regenerate-message']
    id: str
    """The id of the chat."""
    messages: list[UIMessage]
    message_id: Union[str, None] = None


RequestData: TypeAlias = Annotated[Union[SubmitMessage, RegenerateMessage], Discriminator('trigger')]
"""A request."""


__all__ = (
    'BaseUIPart',
    'DataUIPart',
    'DynamicToolApprovalRequestedPart',
    'DynamicToolApprovalRespondedPart',
    'DynamicToolInputAvailablePart',
    'DynamicToolInputStreamingPart',
    'DynamicToolOutputAvailablePart',
    'DynamicToolOutputDeniedPart',
    'DynamicToolOutputErrorPart',
    'DynamicToolUIPart',
    'FileUIPart',
    'ProviderMetadata',
    'ReasoningUIPart',
    'RegenerateMessage',
    'RequestData',
    'SourceDocumentUIPart',
    'SourceUrlUIPart',
    'StepStartUIPart',
    'SubmitMessage',
    'TextUIPart',
    'ToolApproval',
    'ToolApprovalRequested',
    'ToolApprovalRequestedPart',
    'ToolApprovalResponded',
    'ToolApprovalRespondedPart',
    'ToolInputAvailablePart',
    'ToolInputStreamingPart',
    'ToolOutputAvailablePart',
    'ToolOutputDeniedPart',
    'ToolOutputErrorPart',
    'ToolUIPart',
    'UIMessage',
    'UIMessagePart',
)
