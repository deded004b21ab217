"""How many tokens messages have, about.

A provider says how many tokens it read only after it has read them, and asking it before each request would cost a request. So
texts are estimated here, and what a response says of its own request corrects the sum (see `Past.size`). The estimate is the
larger one of two: a token for four bytes of UTF-8, or one for each word. It is within a third of what providers count for prose
and code in English, and above it for most other text. A file counts the same whatever is in it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...messages import (
    BaseToolCallPart,
    BaseToolReturnPart,
    FilePart,
    ModelMessage,
    RetryPromptPart,
    TextContent,
    UserContent,
    UserPromptPart,
)
from ...models._estimate import text_tokens as words

PER_PART = 4
"""The tokens of a part in addition to its text: roles, names and ids."""
PER_FILE = 1_600
"""The tokens of a file or a URL: about those of an image of a million pixels."""


def text_tokens(text: str) -> int:
    """Return about how many tokens a text has."""
    length = len(text) if text.isascii() else len(text.encode(errors='replace'))
    return max(-(-length // 4), words(text)) if length else 0


def content_tokens(content: str | Iterable[UserContent]) -> int:
    """Return about how many tokens the content of a prompt has."""
    if isinstance(content, str):
        return text_tokens(content)
    return sum(
        text_tokens(item if isinstance(item, str) else item.content)
        if isinstance(item, (str, TextContent))
        else PER_FILE
        for item in content
    )


def part_tokens(part: Any) -> int:
    """Return about how many tokens a part has."""
    if isinstance(part, UserPromptPart):
        return PER_PART + content_tokens(part.content)
    if isinstance(part, BaseToolReturnPart):
        return PER_PART + result_tokens(part)
    if isinstance(part, BaseToolCallPart):
        return 2 * PER_PART + text_tokens(args_text(part))
    if isinstance(part, RetryPromptPart):
        return PER_PART + text_tokens(part.model_response())
    if isinstance(part, FilePart):
        return PER_FILE
    text = getattr(part, 'content', None)
    return PER_PART + (text_tokens(text) if isinstance(text, str) else 0)


def result_tokens(part: BaseToolReturnPart) -> int:
    """Return about how many tokens the result of a tool has."""
    return text_tokens(result_text(part)) + PER_FILE * len(part.files)


def result_text(part: BaseToolReturnPart) -> str:
    """Return the result of a tool as the text that the model reads."""
    try:
        return part.model_response_str()
    except (ValueError, RecursionError):  # there is no JSON for it
        return ''


def args_text(part: BaseToolCallPart) -> str:
    """Return the arguments of a call as JSON text."""
    try:
        return part.args_as_json_str()
    except (ValueError, RecursionError):  # they are nested so deep that the run makes text of them
        return ''


def message_tokens(message: ModelMessage) -> int:
    """Return about how many tokens a message has."""
    return sum(map(part_tokens, message.parts))
