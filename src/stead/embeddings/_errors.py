"""Translates the errors of the vendors' SDKs to stead's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .._kit.plain import as_dict
from .._kit.secret import hide_secret, without_secret
from ..exceptions import ModelAPIError, ModelHTTPError, UnexpectedModelBehavior
from ..providers import Provider

_SDKS = ('openai', 'google', 'cohere', 'voyageai', 'botocore', 'httpx', 'httpcore', 'aiohttp', 'anyio')


@contextmanager
def translated_errors(model_name: str, provider: Provider) -> Iterator[None]:
    """Translate the errors that an SDK raises in the `with` block. Others pass unchanged.

    Raises:
        ModelHTTPError: The provider answered with an error status.
        ModelAPIError: The connection failed.
    """
    try:
        yield
    except Exception as error:
        if not _is_foreign(error):
            raise
        secret = getattr(provider, 'secret', None)
        secret = secret if isinstance(secret, str) else None
        hide_secret(error, secret)
        raise _as_model_error(error, model_name, secret) from error


def _is_foreign(error: Exception) -> bool:
    return isinstance(error, OSError) or any(base.__module__.partition('.')[0] in _SDKS for base in type(error).__mro__)


def _as_model_error(error: Any, model_name: str, secret: str | None) -> ModelAPIError:
    response = as_dict(getattr(error, 'response', None))  # botocore has a dict there
    statuses: tuple[object, ...] = (
        getattr(error, 'status_code', None),
        getattr(error, 'http_status', None),
        getattr(error, 'code', None),
        as_dict(response.get('ResponseMetadata')).get('HTTPStatusCode'),
    )
    status = next((value for value in statuses if isinstance(value, int) and value >= 400), None)
    if status is None:
        reason = without_secret(f'{type(error).__name__}: {error}', secret)
        return ModelAPIError(model_name, f'The request to {model_name!r} failed: {reason}')
    body: object = getattr(error, 'body', None) or getattr(error, 'details', None) or response or str(error)
    return ModelHTTPError(status_code=status, model_name=model_name, body=without_secret(body, secret))


def unusable(model_name: str, what: str) -> UnexpectedModelBehavior:
    """Return the error for an invalid response."""
    return UnexpectedModelBehavior(f'{model_name!r} gave an invalid response: {what}')
