"""Results of tools as interfaces show them."""

from __future__ import annotations

from ..messages import BaseToolReturnPart, BinaryContent, FileUrl, UploadedFile


def shown_result(part: BaseToolReturnPart) -> str:
    """Return the result of a tool as text: text as it is, anything else as JSON, and files by what they are.

    Raises:
        PydanticSerializationError: It cannot be converted to JSON.
    """
    if not part.files:
        return part.model_response_str()
    return '\n'.join(_shown(item) for item in part.content_items(mode='str'))


def _shown(item: object) -> str:
    if isinstance(item, FileUrl):
        return f'[File: {item.url}]'
    if isinstance(item, BinaryContent):
        return f'[File: {item.media_type}]'
    return f'[File: {item.file_id}]' if isinstance(item, UploadedFile) else str(item)
