"""Streamed chat completions of Hugging Face: each chunk becomes events; and the errors of the client, as stead's."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..._kit.json_types import as_dict
from ..._kit.secret import causes
from ...exceptions import UserError
from ...messages import ModelResponseStreamEvent
from ...profiles.openai import OpenAIModelProfile
from .. import _wire_errors
from .._chat_completions.response import thinking_in
from .._chat_completions.stream import ChatFold, ChatStreamedResponse
from ._response import FINISH_REASONS, THINKING_FIELDS, plain


def as_model_error(error: Exception, model_name: str, secret: str | None) -> Exception:
    """Return stead's error for one that the client raised; any other error is returned as it is."""
    for cause in causes(error):  # the client fails in other ways, too, when it reads the body of an error
        response = getattr(cause, 'response', None)
        status = getattr(response, 'status_code', None)
        if isinstance(status, int) and status >= 400:
            return _wire_errors.http_error(status, model_name, _body_of(response), response.headers, secret)  # type: ignore[union-attr]
    sdk: Any = sys.modules.get('huggingface_hub.errors')
    if sdk is not None and isinstance(error, sdk.TextGenerationError):  # what a server reports inside of a stream
        return _wire_errors.reported_error(error.args[0] if error.args else '', model_name, secret)
    if type(error) is ValueError and not str(error).startswith('Invalid '):  # no answer: those are of other types
        text = _wire_errors.without_secret(str(error), secret)
        return UserError(f'The request to {model_name!r} cannot be sent: {text}')
    return _wire_errors.as_model_error(error, model_name, secret, '')


def _body_of(response: Any) -> object:
    """Return the body of an error: an object if it is JSON, its text otherwise, `None` if it was not read."""
    try:
        text = response.text
    except RuntimeError:  # a stream that is closed, or was not read
        return None
    try:
        return json.loads(text)
    except ValueError:
        return text


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
