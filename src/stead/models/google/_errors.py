"""Translates the errors of Google's SDK to stead's."""

from __future__ import annotations

import re
import sys
from typing import Any

from pydantic import ValidationError

from ..._kit.json_types import as_dict, as_list
from ..._kit.secret import without_secret
from ...exceptions import ModelAuthenticationError, UserError, bounded_wait, wait_of
from .. import _wire_errors


def as_model_error(error: Exception, model_name: str, secret: str | None) -> Exception:
    """Return stead's error for one that the SDK raised. Errors from elsewhere are returned unchanged."""
    sdk: Any = sys.modules.get('google.genai.errors')
    if sdk is not None and isinstance(error, sdk.APIError):
        return _from_sdk(error, model_name, secret)
    auth: Any = sys.modules.get('google.auth.exceptions')
    if auth is not None and isinstance(error, auth.GoogleAuthError):
        return ModelAuthenticationError(
            model_name,
            f'The request to {model_name!r} failed, because Google Cloud denied access: '
            f'{without_secret(str(error), secret)}',
        )
    if isinstance(error, ValueError) and _is_about_request(error):
        return UserError(f'The request to {model_name!r} cannot be sent: {without_secret(_why(error), secret)}')
    return _wire_errors.as_model_error(error, model_name, secret, 'google.genai.errors')


def _is_about_request(error: ValueError) -> bool:
    """Return whether the SDK rejects the request, rather than the response."""
    if isinstance(error, ValidationError):
        return 'Response' not in error.title
    return ' is not supported in ' in str(error) or ' is only supported in ' in str(error)


def _why(error: ValueError) -> str:
    """Return what is wrong with a request.

    The SDK validates each field against a union of types, and reports an error for every member. The error at the deepest
    location belongs to the member that fits best, and the caller meant that member.
    """
    if not isinstance(error, ValidationError):
        return str(error)
    deepest = max(error.errors(include_url=False, include_input=False), key=lambda detail: len(detail['loc']))
    return f'{".".join(map(str, deepest["loc"]))}: {deepest["msg"]}'


def _from_sdk(error: Any, model_name: str, secret: str | None) -> Exception:
    if not isinstance(error.code, int) or error.code < 400:
        return _wire_errors.reported_error(error.details, model_name, secret, str(error.message or error))
    headers = getattr(error.response, 'headers', None)
    delay = None if wait_of(headers or {}) is not None else _retry_delay(error.details)
    return _wire_errors.http_error(error.code, model_name, error.details, headers, secret, retry_after=delay)


def _retry_delay(body: object) -> float | None:
    """Return the seconds to wait before a retry, which Google reports in the body."""
    for detail in as_list(as_dict(as_dict(body).get('error')).get('details')):
        if str(as_dict(detail).get('@type')).endswith('RetryInfo'):
            seconds = re.fullmatch(r'(\d+(?:\.\d+)?)s', str(detail.get('retryDelay')))
            return bounded_wait(float(seconds[1])) if seconds else None
    return None
