"""Conversion of content from servers: results of tools, resources, messages of prompts."""

from __future__ import annotations

import base64
import json
from collections.abc import Awaitable, Callable
from typing import cast

from .._kit.json_types import JsonObject
from ..messages import BinaryContent, TextContent
from ._records import ContentBlock, EmbeddedResource, PromptMessage, PromptResult, ResourceAnnotations, ResourceLink
from ._wire import CONNECTION_CLOSED, INTERNAL_ERROR, MCPError, SdkObject, field

UNKNOWN_MEDIA_TYPE = 'application/octet-stream'

FollowLink = Callable[[str], Awaitable[object]]
"""Returns the value to use for the link to a resource."""


async def tool_result(result: SdkObject, follow: FollowLink, *, read_json: bool = True) -> object:
    """Return the value of a result of a tool.

    The value is the structured content, unwrapped if `result` is its only key, unless there are other blocks than text.
    Otherwise it is the content: a single block by itself, several as a list, none as an empty list.

    Args:
        result: The result.
        follow: Returns the value to use for the link to a resource.
        read_json: Whether to parse text that is a JSON object or array.
    """
    structured = field(result, 'structured_content')
    if isinstance(structured, dict) and all(block.type == 'text' for block in result.content):
        fields = cast('dict[str, object]', structured)
        return fields['result'] if fields.keys() == {'result'} else fields
    values = [await _tool_value(block, follow, read_json) for block in result.content]
    return values[0] if len(values) == 1 else values


async def _tool_value(block: SdkObject, follow: FollowLink, read_json: bool) -> object:
    if block.type == 'text':
        return _read_json(block.text) if read_json else block.text
    if block.type in ('image', 'audio'):
        return binary(block.data, field(block, 'mime_type'))
    if block.type == 'resource':
        return resource_content(block.resource)
    if block.type == 'resource_link':
        try:
            return await follow(str(block.uri))
        except MCPError as error:  # many servers have links to what only others can read: the model gets the link
            if error.code == CONNECTION_CLOSED:
                raise
    return block.model_dump(
        mode='json', by_alias=True, exclude_none=True
    )  # a link, or a kind that did not exist when this was written


def _read_json(text: str) -> object:
    if text.startswith(('[', '{')):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            pass
    return text


def error_text(result: SdkObject) -> str | None:
    """Return the text of a failed result of a tool, or `None` if there is none."""
    return '\n'.join(block.text for block in result.content if block.type == 'text') or None


def binary(data: str, media_type: str | None) -> BinaryContent:
    """Return decoded content; a `BinaryImage` for images.

    Raises:
        MCPError: It is not base64.
    """
    try:
        content = base64.b64decode(data)
    except ValueError as error:
        raise MCPError(f'The server sent content that is not base64: {error}.', INTERNAL_ERROR) from error
    return BinaryContent.narrow_type(BinaryContent(content, media_type=media_type or UNKNOWN_MEDIA_TYPE))


def resource_content(resource: SdkObject) -> str | BinaryContent:
    """Return the content of a resource."""
    blob = getattr(resource, 'blob', None)
    return resource.text if blob is None else binary(blob, field(resource, 'mime_type'))


def prompt_result(result: SdkObject) -> PromptResult:
    """Convert a prompt."""
    return PromptResult(
        messages=[PromptMessage(role=one.role, content=_prompt_content(one.content)) for one in result.messages],
        description=result.description,
        metadata=result.meta,
    )


def _prompt_content(block: SdkObject) -> ContentBlock:
    if block.type == 'text':
        return TextContent(content=block.text, metadata=_notes_of(block))
    if block.type == 'resource':
        return EmbeddedResource.from_mcp_sdk(block, resource_content(block.resource))
    if block.type == 'resource_link':
        return ResourceLink.from_mcp_sdk(block)
    content = binary(block.data, field(block, 'mime_type'))
    content.vendor_metadata = _notes_of(block) or content.vendor_metadata
    return content


def _notes_of(block: SdkObject) -> JsonObject | None:
    """Return what a server notes in addition to the content of a message, or `None`."""
    notes: JsonObject = {}
    if block.annotations is not None:
        notes['mcp_annotations'] = ResourceAnnotations.from_mcp_sdk(block.annotations)
    if block.meta:
        notes['mcp_meta'] = block.meta
    return notes or None
