"""The errors of OpenAI's SDK, as stead's."""

from __future__ import annotations

import sys
from typing import Any

from .. import _wire_errors
from .._chat_completions.errors import reported


def as_model_error(error: Exception, model_name: str, secret: str | None) -> Exception:
    """Return stead's error for one that the SDK raised; any other error is returned as it is."""
    sdk: Any = sys.modules.get('openai')
    if sdk is not None and type(error) is sdk.APIError and (body := getattr(error, 'body', None)):
        return reported(body, model_name, secret)  # the error is an event of a stream
    return _wire_errors.as_model_error(error, model_name, secret, 'openai')
