"""System prompts in the middle of a conversation, as user prompts in `<system>` tags, which nothing else can write."""

from __future__ import annotations

import re
from typing import Any, TypeVar

from .._kit.records import replace_no_init
from .._kit.well_formed import map_data
from ..messages import (
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    RetryPromptPart,
    SystemPromptPart,
    TextContent,
    ToolReturnPart,
    UserPromptPart,
)

T = TypeVar('T')
_TAG = r'(?i)<(?=\s*/?\s*system\b)'


def with_tagged_prompts(messages: list[ModelMessage]) -> list[ModelMessage]:
    """Return messages in which the system prompts after the first request are user prompts in tags.

    In conversations with such prompts, tags of the same name in prompts, results and retries are escaped. Neither the list nor
    its messages are changed; without such prompts it is returned as it is.
    """
    first = next((index for index, message in enumerate(messages) if isinstance(message, ModelRequest)), 0)
    late = {
        index
        for index in range(first + 1, len(messages))
        if isinstance(messages[index], ModelRequest)
        for part in messages[index].parts
        if isinstance(part, SystemPromptPart)
    }
    if not late:
        return messages
    fitted = list(messages)
    for index, message in enumerate(messages):
        if isinstance(message, ModelRequest):
            parts = [_fitted(part, index in late) for part in message.parts]
            if any(a is not b for a, b in zip(parts, message.parts)):
                fitted[index] = replace_no_init(message, parts=parts)
    return fitted


def _fitted(part: ModelRequestPart, late: bool) -> ModelRequestPart:
    if isinstance(part, SystemPromptPart):
        return UserPromptPart(f'<system>{_escaped(part.content)}</system>', timestamp=part.timestamp) if late else part
    content: Any = getattr(part, 'content', None)
    if isinstance(part, UserPromptPart) and not isinstance(content, str):
        items = [
            replace_no_init(item, content=_escaped(item.content)) if isinstance(item, TextContent) else _data(item)
            for item in content
        ]
        same = all(a is b or (isinstance(b, TextContent) and a == b) for a, b in zip(items, content))
        return part if same else replace_no_init(part, content=items)
    if isinstance(part, (UserPromptPart, ToolReturnPart, RetryPromptPart)):
        escaped = _data(content)
        return part if escaped is content else replace_no_init(part, content=escaped)
    return part


def _data(content: T) -> T:
    return map_data(content, _escaped, None)


def _escaped(text: str) -> str:
    return re.sub(_TAG, '&lt;', text) if '<' in text and re.search(_TAG, text) else text
