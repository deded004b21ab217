"""Translates the errors of the SDKs that embed to stead's, to the same ones as those of SDKs that answer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .._kit.json_types import as_dict
from .._kit.secret import causes, hide_secret, without_secret
from ..exceptions import ModelAPIError
from ..models import _wire_errors as wire_errors
from ..providers import Provider

_SDKS = ('openai', 'google', 'cohere', 'voyageai', 'botocore', 'httpx', 'httpcore', 'aiohttp', 'anyio')


@contextmanager
def translated_errors(model_name: str, provider: Provider) -> Iterator[None]:
    """Translate the errors that an SDK raises in the `with` block. Others pass unchanged.

    Raises:
        ModelHTTPError: The provider answered with an error status.
        ModelConnectionError: The connection failed, or took too long.
        ModelAPIError: The SDK failed in another way.
    """
    try:
        yield
    except Exception as error:
        if not _is_foreign(error):
            raise
        wrapped = next(
            (cause for cause in causes(error) if not _is_of_sdk(cause) and wire_errors.is_of_callers(cause)), None
        )
        if wrapped is error:
            raise
        secret = getattr(provider, 'secret', None)
        secret = secret if isinstance(secret, str) else None
        hide_secret(error, secret)
        if wrapped is not None:
            raise wrapped from wrapped.__cause__
        raise _as_model_error(error, model_name, secret) from error


def _is_foreign(error: Exception) -> bool:
    return isinstance(error, OSError) or _is_of_sdk(error)


def _is_of_sdk(error: Exception) -> bool:
    return any(base.__module__.partition('.')[0] in _SDKS for base in type(error).__mro__)


def _as_model_error(error: Any, model_name: str, secret: str | None) -> ModelAPIError:
    response = getattr(error, 'response', None)
    meta = as_dict(as_dict(response).get('ResponseMetadata'))  # botocore has a dict there
    statuses: tuple[object, ...] = (
        getattr(error, 'status_code', None),
        getattr(error, 'http_status', None),
        getattr(error, 'code', None),
        meta.get('HTTPStatusCode'),
    )
    status = next((value for value in statuses if isinstance(value, int) and value >= 400), None)
    if status is not None:
        headers: Any = getattr(error, 'headers', None) or getattr(response, 'headers', None) or meta.get('HTTPHeaders')
        body: object = (
            getattr(error, 'body', None) or getattr(error, 'details', None) or as_dict(response) or str(error)
        )
        return wire_errors.http_error(status, model_name, body, dict(headers or ()), secret)
    if any(wire_errors.is_transport_error(cause) for cause in causes(error)):
        return wire_errors.transport_error(error, model_name, secret)
    reason = without_secret(f'{type(error).__name__}: {error}', secret)
    return ModelAPIError(model_name, f'The request to {model_name!r} failed: {reason}')


unusable = wire_errors.unusable
"""Returns the error for an invalid response."""
