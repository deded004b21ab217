"""Results of tools as interfaces show them."""

from __future__ import annotations

from ..messages import BaseToolReturnPart, BinaryContent, MultiModalContent, UploadedFile


def shown_result(part: BaseToolReturnPart) -> str:
    """Return the result of a tool as text: text as it is, anything else as JSON, and after it what its files are.

    Raises:
        PydanticSerializationError: It cannot be converted to JSON.
    """
    text = part.model_response_str()
    files = part.files
    return '\n'.join([*([text] if text or not files else ()), *map(_shown, files)])


def _shown(file: MultiModalContent) -> str:
    if isinstance(file, BinaryContent):
        return f'[File: {file.media_type}]'
    return f'[File: {file.file_id if isinstance(file, UploadedFile) else file.url}]'
