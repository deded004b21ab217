"""Requests of the Vercel AI SDK: messages of its interface, and what comes with them."""

from __future__ import annotations

from abc import ABC
from typing import Annotated, Any, Literal, Union, get_args

from pydantic import BeforeValidator, Discriminator, FailFast, Field, GetCoreSchemaHandler, StrictBool
from pydantic_core import CoreSchema
from pydantic_core.core_schema import tagged_union_schema
from typing_extensions import TypeAlias

from ..._kit.records import is_dict, is_list
from ._models import CamelBaseModel, ProviderMetadata, RequestModel, SourceDocument, SourceUrl


class BaseUIPart(RequestModel, ABC):
    """A part of a message."""


class _WrittenUIPart(BaseUIPart):
    type: Any
    text: str
    state: Union[Literal['streaming', 'done'], None] = None
    provider_metadata: Union[ProviderMetadata, None] = None


class TextUIPart(_WrittenUIPart):
    """Text."""

    type: Literal['text'] = 'text'


class ReasoningUIPart(_WrittenUIPart):
    """Thinking of the model."""

    type: Literal['reasoning'] = 'reasoning'


class SourceUrlUIPart(SourceUrl, BaseUIPart):
    """A link that the model refers to."""


class SourceDocumentUIPart(SourceDocument, BaseUIPart):
    """A document that the model refers to."""


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


class _ExecutedUIPart(BaseUIPart):
    provider_executed: Union[bool, None] = None
    call_provider_metadata: Union[ProviderMetadata, None] = None
    approval: Union[ToolApproval, None] = None


class _ToolUIPart(BaseUIPart):
    # A field that a subclass declares again keeps its place.
    type: Annotated[str, Field(pattern=r'^tool-')]
    tool_call_id: str
    title: Union[str, None] = None
    state: Any
    input: Any = None


class _ToolCallUIPart(_ExecutedUIPart, _ToolUIPart):
    pass


class ToolInputStreamingPart(_ToolCallUIPart):
    """A call whose arguments come in."""

    state: Literal['input-streaming'] = 'input-streaming'


class ToolInputAvailablePart(_ToolCallUIPart):
    """A call."""

    state: Literal['input-available'] = 'input-available'


class ToolOutputAvailablePart(_ToolUIPart):
    """A call and its result."""

    state: Literal['output-available'] = 'output-available'
    output: Any = None
    provider_executed: Union[bool, None] = None
    call_provider_metadata: Union[ProviderMetadata, None] = None
    preliminary: Union[bool, None] = None
    approval: Union[ToolApproval, None] = None


class ToolOutputErrorPart(_ToolUIPart):
    """A call and its error."""

    state: Literal['output-error'] = 'output-error'
    raw_input: Any = None
    error_text: str
    provider_executed: Union[bool, None] = None
    call_provider_metadata: Union[ProviderMetadata, None] = None
    approval: Union[ToolApproval, None] = None


class ToolApprovalRequestedPart(_ToolCallUIPart):
    """A call that waits for an approval."""

    state: Literal['approval-requested'] = 'approval-requested'


class ToolApprovalRespondedPart(_ToolCallUIPart):
    """A call that was approved or denied."""

    state: Literal['approval-responded'] = 'approval-responded'


class ToolOutputDeniedPart(_ToolCallUIPart):
    """A call that was denied."""

    state: Literal['output-denied'] = 'output-denied'


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


class _DynamicToolUIPart(BaseUIPart):
    type: Literal['dynamic-tool'] = 'dynamic-tool'
    tool_name: str
    tool_call_id: str
    title: Union[str, None] = None
    state: Any
    input: Any


class _DynamicToolCallUIPart(_ExecutedUIPart, _DynamicToolUIPart):
    pass


class DynamicToolInputStreamingPart(_DynamicToolCallUIPart):
    """A call whose arguments come in of a tool that is not known in advance."""

    state: Literal['input-streaming'] = 'input-streaming'
    input: Any = None


class DynamicToolInputAvailablePart(_DynamicToolCallUIPart):
    """A call of a tool that is not known in advance."""

    state: Literal['input-available'] = 'input-available'


class DynamicToolOutputAvailablePart(_DynamicToolUIPart):
    """A call and its result of a tool that is not known in advance."""

    state: Literal['output-available'] = 'output-available'
    output: Any
    provider_executed: Union[bool, None] = None
    call_provider_metadata: Union[ProviderMetadata, None] = None
    preliminary: Union[bool, None] = None
    approval: Union[ToolApproval, None] = None


class DynamicToolOutputErrorPart(_DynamicToolUIPart):
    """A call and its error of a tool that is not known in advance."""

    state: Literal['output-error'] = 'output-error'
    error_text: str
    provider_executed: Union[bool, None] = None
    call_provider_metadata: Union[ProviderMetadata, None] = None
    approval: Union[ToolApproval, None] = None


class DynamicToolApprovalRequestedPart(_DynamicToolCallUIPart):
    """A call that waits for an approval of a tool that is not known in advance."""

    state: Literal['approval-requested'] = 'approval-requested'


class DynamicToolApprovalRespondedPart(_DynamicToolCallUIPart):
    """A call that was approved or denied of a tool that is not known in advance."""

    state: Literal['approval-responded'] = 'approval-responded'


class DynamicToolOutputDeniedPart(_DynamicToolCallUIPart):
    """A call that was denied of a tool that is not known in advance."""

    state: Literal['output-denied'] = 'output-denied'


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

    def known(self, parts: object) -> object:
        """Return the parts of a message without those of types that only later versions of the SDK know."""
        if not is_list(parts):
            return parts
        words = {word for word, _ in self._names}
        return [part for part in parts if not is_dict(part) or self._is_known(part.get('type'), words)]

    def _is_known(self, kind: object, words: set[str]) -> bool:
        return not isinstance(kind, str) or not kind or kind in words or kind.startswith(('tool-', 'data-'))


_by_kind = _ByKind()


class UIMessage(RequestModel):
    """A message."""

    id: str
    role: Literal['system', 'user', 'assistant']
    metadata: Any = None
    parts: Annotated[list[Annotated[UIMessagePart, _by_kind]], FailFast(), BeforeValidator(_by_kind.known)]


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
