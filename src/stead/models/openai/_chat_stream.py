"""`OpenAIStreamedResponse`: a chat completion while it streams in."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar

from ..._kit.ids import now_utc
from ...profiles.openai import OpenAIModelProfile
from .._chat_completions.stream import ChatFold
from .._streaming.fold import VendorStream
from ._errors import as_model_error


@dataclass
class OpenAIStreamedResponse(VendorStream):
    """The streamed response of an `OpenAIChatModel`."""

    _as_model_error = staticmethod(as_model_error)

    _fold_class: ClassVar[type[ChatFold]] = ChatFold
    _model_name: str
    _model_profile: OpenAIModelProfile
    _response: Any
    _first: Any
    _provider_name: str
    _provider_url: str
    _secret: str | None = None
    _timestamp: datetime = field(default_factory=now_utc)

    def _fold(self) -> ChatFold:
        return self._fold_class(self._parts_manager, self._provider_name, self._model_name, profile=self._model_profile)
