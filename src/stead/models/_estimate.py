"""Token counts for models that have none: words and punctuation, counted the same way every time."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from ..messages import (
    BaseToolCallPart,
    BaseToolReturnPart,
    BinaryContent,
    FilePart,
    ModelMessage,
    ModelResponse,
    RetryPromptPart,
    SystemPromptPart,
    TextContent,
    TextPart,
    ThinkingPart,
    UserPromptPart,
)
from ..usage import RequestUsage

OVERHEAD = 50
"""Tokens of a request besides its messages."""
_BREAKS = re.compile(r'[\s",.:]+')


def text_tokens(content: str) -> int:
    """Return the tokens of text."""
    return len(_BREAKS.split(content.strip())) if content else 0


def content_tokens(content: Any) -> int:
    """Return the tokens of a user prompt."""
    if isinstance(content, str):
        return text_tokens(content)
    total = 0
    for item in content:
        if isinstance(item, str):
            total += text_tokens(item)
        elif isinstance(item, TextContent):
            total += text_tokens(item.content)
        elif isinstance(item, BinaryContent):
            total += len(item.data)
    return total


def request_tokens(parts: Iterable[Any]) -> int:
    """Return the tokens of the parts of a request."""
    total = 0
    for part in parts:
        if isinstance(part, (SystemPromptPart, UserPromptPart)):
            total += content_tokens(part.content)
        elif isinstance(part, BaseToolReturnPart):
            total += text_tokens(part.model_response_str())
        elif isinstance(part, RetryPromptPart):
            total += text_tokens(part.model_response())
    return total


def response_tokens(parts: Iterable[Any]) -> int:
    """Return the tokens of the parts of a response."""
    total = 0
    for part in parts:
        if isinstance(part, (TextPart, ThinkingPart)):
            total += text_tokens(part.content)
        elif isinstance(part, BaseToolCallPart):
            total += 1 + text_tokens(part.args_as_json_str())
        elif isinstance(part, BaseToolReturnPart):
            total += text_tokens(part.model_response_str())
        elif isinstance(part, FilePart):
            total += len(part.content.data)
    return total


def estimate_usage(messages: Iterable[ModelMessage]) -> RequestUsage:
    """Return the tokens of a conversation: requests as input, responses as output."""
    input_tokens, output_tokens = OVERHEAD, 0
    for message in messages:
        if isinstance(message, ModelResponse):
            output_tokens += response_tokens(message.parts)
        else:
            input_tokens += request_tokens(message.parts)
    return RequestUsage(input_tokens=input_tokens, output_tokens=output_tokens)


class Estimator:
    """Counts the tokens of conversations that grow: what was counted in the last request is not counted again.

    Counts are those of `estimate_usage`. A message is known again by being the same object; the last message of a
    conversation is always counted anew, since nothing after it shows that it is complete.
    """

    def __init__(self) -> None:
        self._tail: Any = None
        self._length = 0
        self._input = OVERHEAD
        self._output = 0

    def usage(self, messages: list[ModelMessage]) -> RequestUsage:
        """Return the tokens of a conversation."""
        length = self._length
        if not (0 < length <= len(messages) and messages[length - 1] is self._tail):
            length, self._input, self._output = 0, OVERHEAD, 0
        settled = estimate_usage(messages[length:-1])
        self._input += settled.input_tokens - OVERHEAD
        self._output += settled.output_tokens
        self._length = max(len(messages) - 1, length)
        self._tail = messages[self._length - 1] if self._length else None
        last = estimate_usage(messages[self._length :])
        return RequestUsage(
            input_tokens=self._input + last.input_tokens - OVERHEAD, output_tokens=self._output + last.output_tokens
        )
