"""Streamed chat completions of Hugging Face: each chunk becomes events. No I/O in `HuggingFaceFold`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ..._kit.ids import now_utc
from ..._kit.plain import as_dict
from ...messages import ModelResponseStreamEvent
from ...profiles import ModelProfile
from ...profiles.openai import OpenAIModelProfile
from .._chat_completions.response import thinking_in
from .._chat_completions.stream import ChatFold
from .._streaming.fold import VendorStream
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
class HuggingFaceStreamedResponse(VendorStream):
    """The streamed response of a `HuggingFaceModel`."""

    _as_model_error = staticmethod(as_model_error)

    _model_name: str
    _model_profile: ModelProfile
    _response: Any
    _provider_name: str
    _provider_url: str
    _provider_timestamp: datetime | None = None
    _timestamp: datetime = field(default_factory=now_utc)
    _first: Any = None
    _secret: str | None = None

    def _fold(self) -> HuggingFaceFold:
        profile = OpenAIModelProfile.from_profile(self._model_profile)
        return HuggingFaceFold(self._parts_manager, self._provider_name, self._model_name, profile=profile)

    def _plain(self, event: object) -> object:
        return as_dict(plain(event))
