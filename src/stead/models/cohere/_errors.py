"""The errors of Cohere's SDK, as stead's."""

from __future__ import annotations

from typing import Any

from ..._kit.json_types import JsonObject
from ...exceptions import ModelAPIError
from .. import _wire_errors


def as_model_error(error: Exception, model_name: str, secret: str | None) -> Exception:
    """Return stead's error for one that the SDK raised; any other error is returned as it is."""
    status: Any = getattr(error, 'status_code', None)
    if not type(error).__module__.startswith('cohere.') or not isinstance(status, int):
        return _wire_errors.as_model_error(error, model_name, secret, '')
    raised: Any = error
    if status >= 400:
        received: dict[str, str] = raised.headers or {}
        headers = {name.lower(): value for name, value in received.items()}
        return _wire_errors.http_error(status, model_name, raised.body, headers, secret)
    return _wire_errors.unusable(model_name, 'the SDK cannot read it', raised.body)


def reported(body: JsonObject, model_name: str, secret: str | None) -> ModelAPIError | None:
    """Return the error in an event of a stream that is one; `None` for all others."""
    message = body.get('message')
    if not isinstance(message, str):
        return None
    return ModelAPIError(model_name, f'{model_name!r} reports: {_wire_errors.without_secret(message, secret)}')
