"""The errors of OpenAI's SDK, and those in the bodies of answers, as stead's."""

from __future__ import annotations

import sys
from typing import Any

from ..._kit.plain import as_dict
from ...exceptions import ModelAPIError
from .. import _wire_errors


def as_model_error(error: Exception, model_name: str, secret: str | None) -> Exception:
    """Return the error of stead for one that the SDK raised; one that is of neither is returned as it is."""
    sdk: Any = sys.modules.get('openai')
    if sdk is not None and type(error) is sdk.APIError and (body := getattr(error, 'body', None)):
        return reported(body, model_name, secret)  # a stream says that something went wrong
    return _wire_errors.as_model_error(error, model_name, secret, 'openai')


def reported(error: Any, model_name: str, secret: str | None) -> ModelAPIError:
    """Return the error for one that is in the body of an answer; its code may be the status that the answer lacks."""
    body = as_dict(error)
    code = str(body.get('code'))
    if code.isdecimal() and 400 <= int(code) <= 599:
        return _wire_errors.http_error(int(code), model_name, body, None, secret)
    text = _wire_errors.without_secret(str(body.get('message') or error), secret)
    return ModelAPIError(model_name, f'{model_name!r} reports: {text}')
