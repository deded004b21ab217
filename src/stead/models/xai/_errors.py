"""Translates gRPC errors of xAI's API to stead's."""

from __future__ import annotations

import sys
from typing import Any

from ..._kit.secret import without_secret
from ...exceptions import ModelAPIError, ModelTimeoutError
from .._wire_errors import as_model_error as as_general_error, http_error

HTTP_STATUSES = {
    'UNAUTHENTICATED': 401,
    'PERMISSION_DENIED': 403,
    'NOT_FOUND': 404,
    'RESOURCE_EXHAUSTED': 429,
    'INTERNAL': 500,
    'UNAVAILABLE': 503,
    'DEADLINE_EXCEEDED': 504,
}
"""HTTP statuses by the gRPC status codes that they correspond to."""


def as_model_error(error: Exception, model_name: str, secret: str | None) -> Exception:
    """Return stead's error for one that the SDK raised. Errors from elsewhere are returned unchanged."""
    grpc: Any = sys.modules.get('grpc')
    if grpc is None:
        return as_general_error(error, model_name, secret, '')
    if isinstance(error, grpc.RpcError) and callable(getattr(error, 'code', None)):
        return _from_call(error, model_name, secret)
    if isinstance(error, (grpc.RpcError, grpc.aio.BaseError)):
        return ModelAPIError(model_name, f'The request to {model_name!r} failed: {without_secret(str(error), secret)}')
    return as_general_error(error, model_name, secret, '')


def timed_out(model_name: str, seconds: float) -> ModelTimeoutError:
    """Return the error for a call that timed out."""
    return ModelTimeoutError(
        model_name,
        f'{model_name!r} sent nothing for {seconds:g} seconds, the limit in the setting `timeout`. Raise it, or retry.',
        phase='read',
    )


def _from_call(error: Any, model_name: str, secret: str | None) -> Exception:
    code = getattr(error.code(), 'name', str(error.code()))
    message = without_secret(error.details() or '', secret)
    if code == 'RESOURCE_EXHAUSTED' and 'message larger than max' in message:  # raised by the client, not by xAI
        return ModelAPIError(
            model_name,
            f'A message to or from {model_name!r} exceeds the limit of its client: {message}. Raise the option '
            '`grpc.max_send_message_length` or `grpc.max_receive_message_length` in the `channel_options` of the client.',
        )
    status = HTTP_STATUSES.get(code)
    if status is None:
        return ModelAPIError(model_name, f'{model_name!r} reports {code}: {message}')
    return http_error(status, model_name, message, _headers(error), secret)


def _headers(error: Any) -> dict[str, str]:
    """Return the metadata of an error as HTTP headers, with the delay before a retry if the server sent one."""
    headers: dict[str, str] = {}
    for name in ('initial_metadata', 'trailing_metadata'):
        get = getattr(error, name, None)
        for key, value in (get() if get is not None else None) or ():
            if isinstance(value, str):
                headers[str(key).lower()] = value
    pushback = headers.get('grpc-retry-pushback-ms')
    if pushback is not None:
        headers.setdefault('retry-after-ms', pushback)
    return headers
