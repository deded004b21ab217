"""Whole chat completions of Hugging Face, as stead's. No I/O."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from typing_extensions import Unpack

from ..._kit.json_types import JsonObject
from ...messages import FinishReason, ModelResponse, ModelResponsePart, TextPart, ThinkingPart
from ...profiles import ModelProfile
from ...profiles.openai import OpenAIModelProfile
from .._chat_completions.response import (
    FINISH_REASONS as STANDARD_REASONS,
    ResponseOrigin,
    calls_in,
    decode_dialect,
    split_thinking,
    text_in,
    thinking_in,
)

FINISH_REASONS: dict[str, FinishReason] = {**STANDARD_REASONS, 'eos_token': 'stop', 'stop_sequence': 'stop'}
"""Reasons of Hugging Face's servers and stead's. An unknown reason becomes `None`, and stays in the details."""
THINKING_FIELDS = OpenAIModelProfile()
"""Providers behind Hugging Face have the fields for thinking that are usual in chat completions."""


def plain(value: object) -> Any:
    """Return an object of the client as plain data, without fields that are null.

    Its objects have fields of the API that their classes lack in `__dict__`, too, and so have all that they contain.
    """
    if hasattr(value, '__dataclass_fields__'):
        value = vars(value)
    if isinstance(value, Mapping):
        items = cast('Mapping[str, object]', value).items()
        return {name: plain(item) for name, item in items if item is not None}
    if isinstance(value, list):
        return [plain(item) for item in cast('list[object]', value)]
    return value


def decode_completion(data: object, *, model_profile: ModelProfile, **origin: Unpack[ResponseOrigin]) -> ModelResponse:
    """Return the response in a chat completion of Hugging Face; arguments and errors as that of OpenAI."""

    def parts_in(message: JsonObject) -> Iterator[ModelResponsePart]:
        return _parts(message, origin['model_name'], model_profile)

    return decode_dialect(data, parts_in, FINISH_REASONS, **origin)


def _parts(message: Mapping[str, Any], model_name: str, profile: ModelProfile) -> Iterator[ModelResponsePart]:
    if (thinking := thinking_in(message, THINKING_FIELDS)) is not None:
        yield ThinkingPart(thinking[1])
    if text := text_in(message.get('content')):
        for is_thinking, piece in split_thinking(text, profile.thinking_tags):
            yield ThinkingPart(piece) if is_thinking else TextPart(piece)
    yield from calls_in(message, model_name)
