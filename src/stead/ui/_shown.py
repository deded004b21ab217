"""Results of tools, and events of programs, as interfaces show them."""

from __future__ import annotations

from pydantic_core import to_jsonable_python

from ..messages import (
    RETURN_VALUE_KEY,
    BaseToolReturnPart,
    BinaryContent,
    CustomEvent,
    MultiModalContent,
    UploadedFile,
)


def shown_result(part: BaseToolReturnPart) -> str:
    """Return the result of a tool as text: text as it is, anything else as JSON, and after it what its files are.

    Raises:
        PydanticSerializationError: It cannot be converted to JSON.
    """
    text = part.model_response_str(wrap_if_error=False)
    files = part.files
    return '\n'.join([*([text] if text or not files else ()), *map(_shown, files)])


def _shown(file: MultiModalContent) -> str:
    if isinstance(file, BinaryContent):
        return f'[File: {file.media_type}]'
    return f'[File: {file.file_id if isinstance(file, UploadedFile) else file.url}]'


def shown_value(part: BaseToolReturnPart) -> object:
    """Return the result of a tool as plain data; one with files as a list of the value and of what the files are.

    Raises:
        PydanticSerializationError: It cannot be converted to JSON.
    """
    if files := part.files:
        return [part.model_response_object(), *map(_shown, files)]
    return value_without_files(part)


def value_without_files(part: BaseToolReturnPart) -> object:
    """Return the result of a tool without its files as plain data.

    Raises:
        PydanticSerializationError: It cannot be converted to JSON.
    """
    value = part.model_response_object()
    return value[RETURN_VALUE_KEY] if value.keys() == {RETURN_VALUE_KEY} else value


def shown_event(event: CustomEvent) -> object:
    """Return the values of an event of the program as plain data.

    Raises:
        PydanticSerializationError: They cannot be converted to JSON.
    """
    return to_jsonable_python(event.to_payload(), inf_nan_mode='null', bytes_mode='base64')
