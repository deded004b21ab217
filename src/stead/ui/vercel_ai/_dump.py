"""Messages of an agent as messages of the Vercel AI SDK."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, cast
from uuid import NAMESPACE_OID, uuid4, uuid5

from pydantic_core import to_jsonable_python

from ..._kit.json_types import JsonObject, as_dict
from ..._kit.well_formed import arguments_that_run
from ...messages import (
    BaseToolReturnPart,
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
    retry_text,
)
from .._approvals import Asker
from .._shown import value_without_files
from ._models import OWN, ProviderMetadata, metadata_of, part_metadata
from .request_types import (
    DataUIPart,
    FileUIPart,
    ReasoningUIPart,
    SourceDocumentUIPart,
    SourceUrlUIPart,
    TextUIPart,
    ToolApprovalRequested,
    ToolApprovalRequestedPart,
    ToolApprovalResponded,
    ToolInputAvailablePart,
    ToolOutputAvailablePart,
    ToolOutputDeniedPart,
    ToolOutputErrorPart,
    UIMessage,
    UIMessagePart,
)
from .response_types import DataChunk, FileChunk, SourceDocumentChunk, SourceUrlChunk

Role = Literal['system', 'user', 'assistant']
NewId = Callable[[ModelMessage, Role, int], str]
"""Makes the id of a message from the message it is made of, its role, and its index."""


def stable_id(message: ModelMessage, role: Role, index: int) -> str:
    """Return an id that is the same each time: of the provider's response or the run, else of the time, and of the index."""
    if isinstance(message, ModelResponse) and message.provider_response_id:
        return f'{message.provider_response_id}-{index}'
    if message.run_id:
        return f'{message.run_id}-{index}'
    at = message.timestamp.isoformat() if message.timestamp is not None else None
    return str(uuid5(NAMESPACE_OID, f'{at}-{message.kind}-{role}-{index}'))


def dump_messages(
    messages: Sequence[ModelMessage], new_id: NewId, sdk_version: int, audience: str = ''
) -> list[UIMessage]:
    """Return messages of an agent as messages of the SDK; see `VercelAIAdapter.dump_messages`."""
    results = _results_of(messages)
    dumped: list[UIMessage] = []
    for index, message in enumerate(messages):
        if isinstance(message, ModelRequest):
            dumped += _request(message, new_id, len(dumped))
        elif parts := _ResponseParts(results[index], sdk_version, Asker(audience)).dump(message):
            own = {'timestamp': to_jsonable_python(message.timestamp)}
            metadata = {**(message.metadata or {}), OWN: own}
            id = new_id(message, 'assistant', len(dumped))
            dumped.append(UIMessage(id=id, role='assistant', metadata=metadata, parts=parts))
    return dumped


def _results_of(messages: Sequence[ModelMessage]) -> list[dict[str, ToolReturnPart | RetryPromptPart]]:
    """Return the results of the calls in each message, by id; a result belongs to the last call before it that has its id."""
    results: list[dict[str, ToolReturnPart | RetryPromptPart]] = [{} for _ in messages]
    owners: dict[str, int] = {}  # some providers use the ids of calls again
    for index, message in enumerate(messages):
        if isinstance(message, ModelResponse):
            owners.update((call.tool_call_id, index) for call in message.tool_calls)
            continue
        for part in message.parts:
            if isinstance(part, ToolReturnPart) or (isinstance(part, RetryPromptPart) and part.tool_name):
                if (owner := owners.get(part.tool_call_id)) is not None:
                    results[owner][part.tool_call_id] = part
    return results


def _text(text: str, metadata: ProviderMetadata | None = None) -> TextUIPart:
    return TextUIPart(text=text, state='done', provider_metadata=metadata)


def _request(request: ModelRequest, new_id: NewId, index: int) -> list[UIMessage]:
    prompts: list[UIMessagePart] = []
    parts: list[UIMessagePart] = []
    for part in request.parts:
        if isinstance(part, SystemPromptPart):
            prompts.append(_text(part.content))
        elif isinstance(part, UserPromptPart):
            items: Sequence[UserContent] = [part.content] if isinstance(part.content, str) else part.content
            parts += [shown for item in items if (shown := _content(item)) is not None]
        elif isinstance(part, RetryFeedbackPart) or (isinstance(part, RetryPromptPart) and not part.tool_name):
            parts.append(_text(part.model_response()))
    dumped: list[UIMessage] = []
    if prompts:
        dumped.append(UIMessage(id=new_id(request, 'system', index), role='system', parts=prompts))
    if parts:
        id = new_id(request, 'user', index + len(dumped))
        dumped.append(UIMessage(id=id, role='user', metadata=request.metadata, parts=parts))
    return dumped


def _content(item: UserContent) -> UIMessagePart | None:
    """Return the part for an item of a prompt; `None` for one that interfaces have no part for."""
    if isinstance(item, (str, TextContent)):
        return _text(item if isinstance(item, str) else item.content)
    if isinstance(item, FileUrl):
        return FileUIPart(media_type=item.media_type, url=item.url)
    if isinstance(item, BinaryContent):
        return FileUIPart(media_type=item.media_type, url=item.data_uri)
    if isinstance(item, UploadedFile):
        own = UploadedFile(item.file_id, provider_name=item.provider_name)
        metadata = metadata_of(
            file_id=item.file_id,
            provider_name=item.provider_name,
            vendor_metadata=item.vendor_metadata,
            identifier=item.identifier if item.identifier != own.identifier else None,
        )
        return FileUIPart(media_type=item.media_type, url=item.file_id, provider_metadata=metadata)
    return None


class _ResponseParts:
    """Makes the parts of a message from a response and the results of its calls."""

    def __init__(self, results: dict[str, ToolReturnPart | RetryPromptPart], sdk_version: int, asker: Asker) -> None:
        self.results = results
        self.sdk_version = sdk_version
        self.asker = asker

    def dump(self, response: ModelResponse) -> list[UIMessagePart]:
        """Return the parts."""
        natives = {part.tool_call_id: part for part in response.parts if isinstance(part, NativeToolReturnPart)}
        dumped: list[UIMessagePart] = []
        for part in response.parts:
            if isinstance(part, TextPart):
                dumped.append(_text(part.content, part_metadata(part)))
            elif isinstance(part, ThinkingPart):
                metadata = part_metadata(part)
                dumped.append(ReasoningUIPart(text=part.content, state='done', provider_metadata=metadata))
            elif isinstance(part, FilePart):
                file = part.content
                metadata = metadata_of(
                    id=part.id, provider_name=part.provider_name, provider_details=part.provider_details
                )
                dumped.append(FileUIPart(media_type=file.media_type, url=file.data_uri, provider_metadata=metadata))
            elif isinstance(part, NativeToolCallPart):
                dumped.append(self._call(part, natives.get(part.tool_call_id), None))
            elif isinstance(part, ToolCallPart):
                result = self.results.get(part.tool_call_id)
                dumped.append(self._call(part, result, response.run_id))
                if isinstance(result, ToolReturnPart):
                    dumped += _own_parts(result.metadata)
        return dumped

    def _call(
        self,
        call: ToolCallPart | NativeToolCallPart,
        result: BaseToolReturnPart | RetryPromptPart | None,
        run_id: str | None,
    ) -> UIMessagePart:
        native = isinstance(call, NativeToolCallPart)
        metadata = part_metadata(call)
        if isinstance(result, NativeToolReturnPart):
            metadata = _both(metadata, result)
        fields: dict[str, Any] = {
            'type': f'tool-{call.tool_name}',
            'tool_call_id': call.tool_call_id,
            'input': arguments_that_run(call),
            'provider_executed': native,
            'call_provider_metadata': metadata,
        }
        if isinstance(result, RetryPromptPart) or (result is not None and result.outcome == 'retried'):
            return ToolOutputErrorPart(**fields, error_text=retry_text(result))
        if result is None:
            if self.sdk_version >= 6 and isinstance(call, ToolCallPart):
                question = ToolApprovalRequested(id=self.asker.question(call, run_id))
                return ToolApprovalRequestedPart(**fields, approval=question)
            return ToolInputAvailablePart(**fields)
        failure = as_dict(cast(object, result.content)) if native else {}
        if failure.get('is_error') is True and 'error_text' in failure:  # as older versions stored it
            return ToolOutputErrorPart(**fields, error_text=str(failure['error_text']))
        if result.outcome == 'failed':
            return ToolOutputErrorPart(**fields, error_text=result.model_response_str(wrap_if_error=False))
        if result.outcome == 'denied':
            reason = result.model_response_str(wrap_if_error=False)
            answer = ToolApprovalResponded(id=str(uuid4()), approved=False, reason=reason)
            return ToolOutputDeniedPart(**fields, approval=answer)
        return ToolOutputAvailablePart(**fields, output=value_without_files(result))


def _own_parts(metadata: object) -> list[UIMessagePart]:
    """Return the parts for the chunks that a tool has sent in the metadata of its result."""
    chunks = cast('Sequence[object]', metadata) if isinstance(metadata, (list, tuple)) else [metadata]
    parts: list[UIMessagePart] = []
    for chunk in chunks:
        if isinstance(chunk, DataChunk):
            if not chunk.transient:
                parts.append(DataUIPart(type=chunk.type, id=chunk.id, data=chunk.data))
        elif isinstance(chunk, FileChunk):
            parts.append(FileUIPart(media_type=chunk.media_type, url=chunk.url))
        elif isinstance(chunk, SourceUrlChunk):
            parts.append(SourceUrlUIPart(**chunk.model_dump()))
        elif isinstance(chunk, SourceDocumentChunk):
            parts.append(SourceDocumentUIPart(**chunk.model_dump()))
    return parts


def _both(call: ProviderMetadata | None, result: NativeToolReturnPart) -> ProviderMetadata | None:
    """Return the metadata of a call that the provider executed, and of its result."""
    back = metadata_of(provider_name=result.provider_name, provider_details=result.provider_details)
    both: JsonObject = {'call_meta': (call or {}).get(OWN), 'return_meta': (back or {}).get(OWN)}
    return metadata_of(**both)
