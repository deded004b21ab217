"""The errors of Hugging Face's client, as stead's."""

from __future__ import annotations

import json
import sys
from typing import Any

from ..._kit.secret import causes
from ...exceptions import UserError
from .. import _wire_errors
from .._chat_completions.errors import reported


def as_model_error(error: Exception, model_name: str, secret: str | None) -> Exception:
    """Return stead's error for one that the client raised; any other error is returned as it is."""
    for cause in causes(error):  # the client fails in other ways, too, when it reads the body of an error
        response = getattr(cause, 'response', None)
        status = getattr(response, 'status_code', None)
        if isinstance(status, int) and status >= 400:
            return _wire_errors.http_error(status, model_name, _body_of(response), response.headers, secret)  # type: ignore[union-attr]
    sdk: Any = sys.modules.get('huggingface_hub.errors')
    if sdk is not None and isinstance(error, sdk.TextGenerationError):  # what a server reports inside of a stream
        return reported(error.args[0] if error.args else '', model_name, secret)
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
