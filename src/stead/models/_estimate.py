"""Estimated token counts, for models without a tokenizer: words and punctuation; and how many tokens a model takes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib import import_module
from typing import Any

from .. import messages as all_messages
from .._kit.price_tables import PROVIDER_IDS
from ..messages import (
    BaseToolCallPart,
    BaseToolReturnPart,
    FilePart,
    Media,
    ModelMessage,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    RetryPromptPart,
    SystemPromptPart,
    TextContent,
    TextPart,
    ThinkingPart,
    UserPromptPart,
)
from ..usage import RequestUsage

OVERHEAD = 50
"""The tokens of a request in addition to its messages."""
_SEPARATORS = re.compile(r'[\s",.:]+')
_AS_SPACES = bytes(b' '[0] if _SEPARATORS.match(chr(code)) else code for code in range(256))
"""Turns the separators among the bytes of ASCII text into spaces."""


def text_tokens(content: str) -> int:
    """Return the number of tokens in text: one more than there are separators."""
    if not content:
        return 0
    content = content.strip()
    if content.isalnum():  # streams bring text word by word
        return 1
    if not content or not content.isascii():
        return len(_SEPARATORS.split(content))
    # The same for ASCII, in a fifth of the time: each step of a run counts the arguments of its calls.
    words = len(content.encode().translate(_AS_SPACES).split())
    return words + (content[0] in '",.:') + (content[-1] in '",.:')


def content_tokens(content: str | Sequence[all_messages.UserContent]) -> int:
    """Return the number of tokens in a user prompt. Bytes count as a token each, and URLs not at all."""
    if isinstance(content, str):
        return text_tokens(content)
    total = 0
    for item in content:
        if isinstance(item, str):
            total += text_tokens(item)
        elif isinstance(item, TextContent):
            total += text_tokens(item.content)
        elif isinstance(item, Media) and isinstance(item, all_messages.BinaryContent):
            total += len(item.data)
    return total


def request_tokens(parts: Iterable[ModelRequestPart]) -> int:
    """Return the number of tokens in the parts of a request."""
    total = 0
    for part in parts:
        if isinstance(part, (SystemPromptPart, UserPromptPart)):
            total += content_tokens(part.content)
        elif isinstance(part, BaseToolReturnPart):
            total += text_tokens(part.model_response_str())
        elif isinstance(part, RetryPromptPart):
            total += text_tokens(part.model_response())
    return total


def response_tokens(parts: Iterable[ModelResponsePart]) -> int:
    """Return the number of tokens in the parts of a response."""
    total = 0
    for part in parts:
        if isinstance(part, (TextPart, ThinkingPart)):
            total += text_tokens(part.content)
        elif isinstance(part, BaseToolCallPart):
            total += 1
            try:
                total += text_tokens(part.args_as_json_str())
            except (ValueError, RecursionError):  # they are nested so deep that the run makes text of them
                continue
        elif isinstance(part, BaseToolReturnPart):
            total += text_tokens(part.model_response_str())
        elif isinstance(part, FilePart):
            total += len(part.content.data)
    return total


def estimate_usage(messages: Iterable[ModelMessage]) -> RequestUsage:
    """Return the usage for a conversation: requests as input tokens, responses as output tokens."""
    input_tokens, output_tokens = OVERHEAD, 0
    for message in messages:
        if isinstance(message, ModelResponse):
            output_tokens += response_tokens(message.parts)
        else:
            input_tokens += request_tokens(message.parts)
    return RequestUsage(input_tokens=input_tokens, output_tokens=output_tokens)


class Estimator:
    """A counter for growing conversations. It counts only the messages that are new since the last request.

    The counts are those of `estimate_usage`. Messages are recognized by identity: if the last message that was counted is
    still at its place, so are those before it. The last message of a conversation is counted every time, since parts may
    still be added to it.
    """

    def __init__(self) -> None:
        self._known: tuple[int, ModelMessage | None, int, int] = (0, None, OVERHEAD, 0)
        """How many messages are in the totals, the last of them, and the totals: input and output.

        One value, since runs in several threads may share a model: at worst they count again.
        """
        self._answered: tuple[Sequence[ModelResponsePart], int, int] = ((), 0, 0)
        """The parts of the last answer, how many they were, and their tokens: the next request has them in its history."""

    def usage(self, messages: list[ModelMessage], answer: Sequence[ModelResponsePart] = ()) -> RequestUsage:
        """Return the usage for a conversation.

        Args:
            messages: The conversation.
            answer: The parts of the response to it.
        """
        length, tail, input_tokens, output_tokens = self._known
        if not (0 < length <= len(messages) and messages[length - 1] is tail):
            length, input_tokens, output_tokens = 0, OVERHEAD, 0
        last = max(len(messages) - 1, length)
        for index in range(length, len(messages)):
            message = messages[index]
            if index == last:
                self._known = index, messages[index - 1] if index else None, input_tokens, output_tokens
            if isinstance(message, ModelResponse):
                parts, count, tokens = self._answered
                is_known = message.parts is parts and len(parts) == count
                output_tokens += tokens if is_known else response_tokens(message.parts)
            else:
                input_tokens += request_tokens(message.parts)
        tokens = response_tokens(answer)
        self._answered = answer, len(answer), tokens
        return RequestUsage(input_tokens=input_tokens, output_tokens=output_tokens + tokens)


@lru_cache(maxsize=512)
def context_window_of(model_name: str, system: str, base_url: str | None) -> int | None:
    """Return how many tokens a request to a model and its response may have; `None` if the tables do not know it.

    Args:
        model_name: The name of the model.
        system: Its provider.
        base_url: The URL of the provider, which identifies those that the tables know under another name.
    """
    try:
        snapshots: Any = import_module('genai_prices.data_snapshot')
    except ImportError:  # the tables are optional
        return None
    for provider_id, url in ((PROVIDER_IDS.get(system, system), None), (None, base_url)):
        if provider_id is None and url is None:
            continue
        try:
            _, model = snapshots.get_snapshot().find_provider_model(model_name, None, provider_id, url)
        except LookupError:
            continue
        return model.context_window
    return None
