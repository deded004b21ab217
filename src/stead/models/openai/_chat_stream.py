"""`OpenAIStreamedResponse`: a chat completion while it streams in; and the errors of the SDK, as stead's."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar

from ..._kit.ids import now_utc
from ...profiles.openai import OpenAIModelProfile
from .. import _wire_errors
from .._chat_completions.stream import ChatFold
from .._streaming.fold import VendorStream


def as_model_error(error: Exception, model_name: str, secret: str | None) -> Exception:
    """Return stead's error for one that the SDK raised; any other error is returned as it is."""
    sdk: Any = sys.modules.get('openai')
    if sdk is not None and type(error) is sdk.APIError and (body := getattr(error, 'body', None)):
        return _wire_errors.reported_error(body, model_name, secret)  # the error is an event of a stream
    return _wire_errors.as_model_error(error, model_name, secret, 'openai')


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
