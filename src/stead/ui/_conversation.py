"""Conversion of requests from a browser to messages. Nothing in them is trusted."""

from __future__ import annotations

from pydantic import BaseModel, Field, ValidationError
from pydantic.alias_generators import to_camel
from pydantic_core import from_json

from .._kit.plain import as_dict
from ..messages import (
    AudioUrl,
    BinaryContent,
    DocumentUrl,
    ImageUrl,
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserContent,
    UserPromptPart,
    VideoUrl,
)


class RefusedError(Exception):
    """A request that is rejected, with an HTTP status and a message."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class UIPart(BaseModel, alias_generator=to_camel):
    """A part of a message, of any type."""

    type: str
    text: str = ''
    url: str = ''
    media_type: str = ''
    tool_name: str = ''
    tool_call_id: str = ''
    state: str = ''
    input: object = None
    output: object = None
    error_text: str = ''

    @property
    def tool(self) -> str:
        """The name of the tool; empty if the part is not a tool call."""
        if self.type == 'dynamic-tool':
            return self.tool_name
        return self.type[len('tool-') :] if self.type.startswith('tool-') else ''


class ChatMessage(BaseModel):
    """A message of the conversation."""

    role: str
    parts: list[UIPart]


class ChatRequest(BaseModel, alias_generator=to_camel):
    """The body of a chat request."""

    id: str = Field(min_length=1)
    messages: list[ChatMessage] = Field(min_length=1)
    model: str | None = None
    builtin_tools: list[str] = []


def read_request(body: bytes) -> ChatRequest:
    """Return the request in a body.

    Raises:
        RefusedError: The body is not such a request.
    """
    try:
        data = from_json(body, allow_inf_nan=False)  # unlike `json`, it rejects deep nesting
    except ValueError as error:
        raise RefusedError(400, f'The body is not JSON: {error}') from None
    if not isinstance(data, dict):
        raise RefusedError(400, 'The body must be an object.')
    try:
        return ChatRequest.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = '.'.join(map(str, first['loc']))
        raise RefusedError(400, f'The request is invalid: {place}: {first["msg"]}') from None


def read_messages(messages: list[ChatMessage]) -> tuple[list[ModelMessage], str | list[UserContent]]:
    """Return the history in the messages of a request, and the prompt, which is the last of them.

    System messages are left out: the browser must not change the instructions. So are tool calls without a result, which
    would be executed although no model asked for them.

    Raises:
        RefusedError: The last message is not from the user, or a file is neither a data URI nor an HTTP link.
    """
    last = messages[-1]
    prompt = _content(last) if last.role == 'user' else []
    if not prompt:
        raise RefusedError(400, 'There is no prompt: the last message must be from the user, with text or a file.')
    history: list[ModelMessage] = []
    for message in messages[:-1]:
        if message.role == 'user' and (content := _content(message)):
            history.append(ModelRequest(parts=[UserPromptPart(_plain(content))]))
        elif message.role == 'assistant':
            history.extend(_assistant_messages(message))
    return history, _plain(prompt)


def _plain(content: list[UserContent]) -> str | list[UserContent]:
    return content[0] if len(content) == 1 and isinstance(content[0], str) else content


def _content(message: ChatMessage) -> list[UserContent]:
    content: list[UserContent] = []
    for part in message.parts:
        if part.type == 'text' and part.text:
            content.append(part.text)
        elif part.type == 'file':
            content.append(_file(part))
    return content


def _file(part: UIPart) -> UserContent:
    try:
        if part.url.startswith('data:'):
            return BinaryContent.from_data_uri(part.url)
    except ValueError as error:
        raise RefusedError(400, f'A file cannot be read: {error}') from None
    if not part.url.startswith(('https://', 'http://')):
        raise RefusedError(400, 'A file must be a data URI, or a link that begins with https:// or http://.')
    kinds = {'image': ImageUrl, 'audio': AudioUrl, 'video': VideoUrl}
    kind = kinds.get(part.media_type.partition('/')[0], DocumentUrl)
    return kind(part.url, media_type=part.media_type or None)


def _assistant_messages(message: ChatMessage) -> list[ModelMessage]:
    """Convert a message of the assistant to responses, with requests for the results of tool calls between them."""
    messages: list[ModelMessage] = []
    parts: list[ModelResponsePart] = []
    results: list[ModelRequestPart] = []

    def finish() -> None:
        messages.extend([ModelResponse(parts=list(parts))] if parts else [])
        messages.extend([ModelRequest(parts=list(results))] if results else [])
        parts.clear()
        results.clear()

    for part in message.parts:
        if part.tool:
            if part.state in ('output-available', 'output-error') and part.tool_call_id:
                args = part.input if isinstance(part.input, str) else as_dict(part.input)
                parts.append(ToolCallPart(part.tool, args, tool_call_id=part.tool_call_id))
                results.append(_result(part))
            continue
        if results:
            finish()
        if part.type == 'text' and part.text:
            parts.append(TextPart(part.text))
        elif part.type == 'reasoning' and part.text:
            parts.append(ThinkingPart(part.text))
    finish()
    return messages


def _result(part: UIPart) -> ToolReturnPart:
    if part.state == 'output-error':
        return ToolReturnPart(part.tool, part.error_text, tool_call_id=part.tool_call_id, outcome='failed')
    return ToolReturnPart(part.tool, part.output, tool_call_id=part.tool_call_id)
