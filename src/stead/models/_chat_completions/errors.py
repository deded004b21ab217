"""Errors that servers report in the body of an answer."""

from __future__ import annotations

import sys

from ..._kit.plain import as_dict
from ..._kit.sdk_types import SdkObject
from ..._kit.secret import without_secret
from ...exceptions import ModelAPIError
from .._wire_errors import http_error


def reported(error: object, model_name: str, secret: str | None) -> ModelAPIError:
    """Return the error for one in the body of an answer; its code may be the status that the answer lacks.

    Args:
        error: What the body has as its error.
        model_name: The model that was asked.
        secret: The key of the request, to keep it out of the error.
    """
    body = as_dict(error)
    code = str(body.get('code'))
    if code.isdecimal() and 400 <= int(code) <= 599:
        return http_error(int(code), model_name, body, None, secret)
    text = without_secret(str(body.get('message') or error), secret)
    return ModelAPIError(model_name, f'{model_name!r} reports: {text}')


def error_in(sdk_name: str, response: SdkObject, data: object) -> Exception | None:
    """Return the SDK's error for the data of an event, if the event reports one.

    Args:
        sdk_name: The module of the SDK.
        response: The response that is streamed.
        data: The data of the event.
    """
    error = as_dict(data).get('error')
    if not error:
        return None
    message = as_dict(error).get('message')
    if not message or not isinstance(message, str):
        message = 'An error occurred during streaming'
    return sys.modules[sdk_name].APIError(message, response.request, body=error)
