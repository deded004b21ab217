"""The errors of Google's SDK, as stead's."""

from __future__ import annotations

import re
import sys
from typing import Any

from pydantic import ValidationError

from ..._kit.plain import as_dict, as_list
from ...exceptions import ModelAPIError, ModelHTTPError, UserError
from .. import _wire_errors
from .._wire_errors import without_secret


def as_model_error(error: Exception, model_name: str, secret: str | None) -> Exception:
    """Return the error of stead for one that the SDK raised; one that is of neither is returned as it is."""
    sdk: Any = sys.modules.get('google.genai.errors')
    if sdk is not None and isinstance(error, sdk.APIError):
        return _from_sdk(error, model_name, secret)
    auth: Any = sys.modules.get('google.auth.exceptions')
    if auth is not None and isinstance(error, auth.GoogleAuthError):
        return ModelAPIError(
            model_name,
            f'{model_name!r} cannot be asked, because Google Cloud gives no access: {without_secret(str(error), secret)}',
        )
    if isinstance(error, ValueError) and _is_about_request(error):
        return UserError(f'The request to {model_name!r} cannot be sent: {without_secret(_why(error), secret)}')
    return _wire_errors.as_model_error(error, model_name, secret, 'google.genai.errors')


def _is_about_request(error: ValueError) -> bool:
    """Return whether the SDK refuses what it is to send, rather than what came back."""
    if isinstance(error, ValidationError):
        return 'Response' not in error.title
    return ' is not supported in ' in str(error) or ' is only supported in ' in str(error)


def _why(error: ValueError) -> str:
    """Return what is wrong with a request; the SDK tries many shapes of it, of which the one that fits farthest is meant."""
    if not isinstance(error, ValidationError):
        return str(error)
    deepest = max(error.errors(include_url=False, include_input=False), key=lambda found: len(found['loc']))
    return f'{".".join(map(str, deepest["loc"]))}: {deepest["msg"]}'


def _from_sdk(error: Any, model_name: str, secret: str | None) -> Exception:
    if not isinstance(error.code, int) or error.code < 400:
        said = without_secret(str(error.message or error), secret)
        return ModelAPIError(model_name, f'{model_name!r} reports: {said}')
    headers = getattr(error.response, 'headers', None)
    made: ModelHTTPError = _wire_errors.http_error(error.code, model_name, error.details, headers, secret)
    if made.retry_after is None:
        made.retry_after = _retry_delay(error.details)
    return made


def _retry_delay(body: Any) -> float | None:
    """Return the seconds after which Google wants to be asked again; it says so in the body."""
    for detail in as_list(as_dict(as_dict(body).get('error')).get('details')):
        if str(as_dict(detail).get('@type')).endswith('RetryInfo'):
            found = re.fullmatch(r'(\d+(?:\.\d+)?)s', str(detail.get('retryDelay')))
            return float(found[1]) if found else None
    return None
