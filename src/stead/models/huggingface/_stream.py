"""Streamed chat completions of Hugging Face: each chunk becomes events. No I/O in `HuggingFaceFold`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..._kit.plain import as_dict
from ...messages import ModelResponseStreamEvent
from ...profiles.openai import OpenAIModelProfile
from .._chat_completions.response import thinking_in
from .._chat_completions.stream import ChatFold, ChatStreamedResponse
from ._errors import as_model_error
from ._response import FINISH_REASONS, THINKING_FIELDS, plain


@dataclass
class HuggingFaceFold(ChatFold):
    """A completion of Hugging Face."""

    reasons = FINISH_REASONS

    def _thinking(self, delta: Mapping[str, Any]) -> Iterator[ModelResponseStreamEvent]:
        if (thinking := thinking_in(delta, THINKING_FIELDS)) is not None:
            yield from self.manager.handle_thinking_delta(vendor_part_id=thinking[0], content=thinking[1])

    def _text(self, text: str) -> Iterator[ModelResponseStreamEvent]:
        return super(ChatFold, self)._text(text)  # thinking in tags has no id


@dataclass
class HuggingFaceStreamedResponse(ChatStreamedResponse):
    """The streamed response of a `HuggingFaceModel`."""

    _as_model_error = staticmethod(as_model_error)

    def _fold(self) -> HuggingFaceFold:
        profile = OpenAIModelProfile.from_profile(self._model_profile)
        return HuggingFaceFold(self._parts_manager, self._provider_name, self._model_name, profile=profile)

    def _plain(self, event: object) -> object:
        return as_dict(plain(event))
