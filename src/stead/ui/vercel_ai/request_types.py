"""Requests of the Vercel AI SDK: messages of its interface, and what comes with them."""

from __future__ import annotations

from abc import ABC
from typing import Annotated, Any, Literal, Union, get_args

from pydantic import Discriminator, FailFast, Field, GetCoreSchemaHandler, StrictBool
from pydantic_core import CoreSchema
from pydantic_core.core_schema import tagged_union_schema
from typing_extensions import TypeAlias

from ..._kit.records import is_dict
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
_PARTS: tuple[type[BaseUIPart], ...] = get_args(UIMessagePart)
_ANY_PART = 'UIMessagePart'


class _ByKind:
    """Compares a part with the one class that its type and state belong to, and not with all of them.

    That takes a tenth of the time, and an error is about the part as it was meant.
    """

    def __init__(self) -> None:
        self._names: dict[tuple[str, object], str] = {}
        for part in _PARTS:
            kind, state = part.model_fields['type'], part.model_fields.get('state')
            word = kind.default if isinstance(kind.default, str) else 'data-' if part is DataUIPart else 'tool-'
            self._names[word, state.default if state else None] = part.__name__

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        choices = {part.__name__: handler.generate_schema(part) for part in _PARTS}
        return tagged_union_schema(
            {**choices, _ANY_PART: handler(source)},
            self._name_of,
            custom_error_type='part_type',
            custom_error_message='A part needs a `type` of the AI SDK, such as "text", "file" or "tool-NAME", '
            'and that of a tool also a `state`',
        )

    def _name_of(self, part: object) -> str | None:
        """Return the name of the class of a part; `None` if there is none."""
        if not is_dict(part):
            name = type(part).__name__
            return name if type(part) in _PARTS else _ANY_PART if isinstance(part, BaseUIPart) else None
        kind, state = part.get('type'), part.get('state')
        if 'type' not in part or not isinstance(kind, str):
            return None if 'type' in part else _ANY_PART
        word = next((prefix for prefix in ('tool-', 'data-') if kind.startswith(prefix)), kind)
        if word not in ('tool-', 'dynamic-tool'):
            return self._names.get((word, None))
        if 'state' not in part:
            return _ANY_PART
        return self._names.get((word, state)) if isinstance(state, str) else None


class UIMessage(RequestModel):
    """A message."""

    id: str
    role: Literal['system', 'user', 'assistant']
    metadata: Any = None
    parts: Annotated[list[Annotated[UIMessagePart, _ByKind()]], FailFast()]


class SubmitMessage(CamelBaseModel, extra='allow'):
    """The request to answer a message."""

    trigger: Literal['submit-message'] = 'submit-message'
    id: str
    """The id of the chat."""
    messages: Annotated[list[UIMessage], FailFast()]


class RegenerateMessage(CamelBaseModel, extra='allow'):
    """The request to answer a message again."""

    trigger: Literal['regenerate-message']
    id: str
    """The id of the chat."""
    messages: Annotated[list[UIMessage], FailFast()]
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
