"""The conversion of enqueued content to messages that end in a request."""

from __future__ import annotations

from typing import Any

from ..exceptions import UserError
from ._message import ModelMessage, ModelRequest, ModelResponse
from ._parts import SystemPromptPart, UserPromptPart
from ._tool_parts import RetryPromptPart, ToolReturnPart

_REQUEST_PARTS = (SystemPromptPart, UserPromptPart, ToolReturnPart, RetryPromptPart)


def messages_from_content(*content: Any) -> list[ModelMessage]:
    """Return messages made of prompt content, request parts and whole messages.

    Args:
        content: Adjacent prompt content becomes one user prompt; adjacent parts become one request; whole messages
            are kept as they are.

    Raises:
        UserError: The sequence does not end in a request, so the model would have nothing to answer.
    """
    messages: list[ModelMessage] = []
    parts: list[Any] = []
    prompt: list[Any] = []

    def close_prompt() -> None:
        if prompt:
            single = prompt[0] if len(prompt) == 1 and isinstance(prompt[0], str) else None
            parts.append(UserPromptPart(content=single if single is not None else list(prompt)))
            prompt.clear()

    def close_request() -> None:
        close_prompt()
        if parts:
            messages.append(ModelRequest(parts=list(parts)))
            parts.clear()

    for item in content:
        if isinstance(item, (ModelRequest, ModelResponse)):
            close_request()
            messages.append(item)
        elif isinstance(item, _REQUEST_PARTS):
            close_prompt()
            parts.append(item)
        else:
            prompt.append(item)
    close_request()
    if not messages or not isinstance(messages[-1], ModelRequest):
        raise UserError(
            'Enqueued content must end in a request (prompt content, a request part or a `ModelRequest`), '
            'because the model answers the last message. Add one, or leave out the trailing `ModelResponse`.'
        )
    return messages
