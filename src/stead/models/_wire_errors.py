"""What went wrong on the way to a provider, as stead's errors."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from typing import Any, Optional

from typing_extensions import TypeAlias

from ..exceptions import AgentRunError, ModelAPIError, ModelHTTPError, UnexpectedModelBehavior, UserError

AsModelError: TypeAlias = Callable[[Exception, str, Optional[str]], Exception]
"""Takes an error that an SDK raised, the name of the model, and the key of the request; returns the error of stead."""

_TRANSPORTS = ('httpx', 'httpx2', 'httpcore', 'httpcore2', 'h11', 'aiohttp', 'anyio')


def is_transport_error(error: BaseException) -> bool:
    """Return whether an error comes from the connection; SDKs let some of these through as they are."""
    return isinstance(error, OSError) or any(
        base.__module__.partition('.')[0] in _TRANSPORTS for base in type(error).__mro__
    )


def http_error(
    status: int, model_name: str, body: Any, headers: Mapping[str, str] | None, secret: str | None
) -> ModelHTTPError:
    """Return the error for an HTTP error status.

    Args:
        status: The status.
        model_name: The model that was asked.
        body: The body of the answer.
        headers: The headers of the answer.
        secret: The key of the request, which some providers repeat in their answers.
    """
    error = ModelHTTPError(status_code=status, model_name=model_name, body=without_secret(body, secret))
    error.retry_after = retry_after(headers or {})
    return error


def transport_error(error: BaseException, model_name: str, secret: str | None = None) -> ModelAPIError:
    """Return the error for a connection that failed or broke."""
    said = str(error) or (str(error.__cause__) if error.__cause__ is not None else '')
    text = f'{type(error).__name__}: {said}' if said else type(error).__name__
    return ModelAPIError(
        model_name, f'The connection to the provider of {model_name!r} failed: {without_secret(text, secret)}'
    )


def unusable(model_name: str, what: str, body: Any = None) -> UnexpectedModelBehavior:
    """Return the error for an answer that is none."""
    if body is not None and not isinstance(body, str):
        try:
            body = json.dumps(body, default=str)
        except (TypeError, ValueError):
            body = repr(body)
    return UnexpectedModelBehavior(f'{model_name!r} gave an answer that is none: {what}', body and body[:10_000])


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds after which a provider wants to be asked again, if it says so."""
    exact = headers.get('retry-after-ms')
    if exact is not None:
        try:
            return max(float(exact) / 1000, 0.0)
        except ValueError:
            pass
    value = headers.get('retry-after')
    if value is None:
        return None
    try:
        return max(float(value), 0.0)
    except ValueError:
        pass
    try:
        return max(parsedate_to_datetime(value).timestamp() - time.time(), 0.0)
    except (TypeError, ValueError):
        return None


def without_secret(value: Any, secret: str | None) -> Any:
    """Return a value with the key left out of all text in it."""
    if not secret or len(secret) < 8:  # what is that short is a placeholder
        return value
    if isinstance(value, str):
        return value.replace(secret, '***') if secret in value else value
    if isinstance(value, dict):
        return {key: without_secret(item, secret) for key, item in value.items()}  # type: ignore[reportUnknownVariableType]
    if isinstance(value, list):
        return [without_secret(item, secret) for item in value]  # type: ignore[reportUnknownVariableType]
    return value


@contextmanager
def model_errors(as_ours: Callable[[Exception], Exception]) -> Iterator[None]:
    """Raise the errors of an SDK inside a `with` block as those of stead.

    Args:
        as_ours: Returns the error of stead for one that was raised; one that is of neither is returned as it is.
    """
    try:
        yield
    except Exception as error:
        found = as_ours(error)
        if found is error:  # nothing is its own cause
            raise
        raise found from error


def as_model_error(error: Exception, model_name: str, secret: str | None, sdk_name: str) -> Exception:
    """Return the error of stead for one that an SDK raised; one that is of neither is returned as it is.

    Args:
        error: What was raised.
        model_name: The model that was asked.
        secret: The key of the request, to keep it out of the error.
        sdk_name: The module of the SDK. Those of OpenAI and Anthropic have the same errors.
    """
    if isinstance(error, (AgentRunError, UserError)):
        return error
    sdk: Any = sys.modules.get(sdk_name)
    if sdk is not None and isinstance(error, sdk.APIError):
        return _from_sdk(sdk, error, model_name, secret)
    if is_transport_error(error):
        return transport_error(error, model_name, secret)
    if isinstance(error, (ValueError, KeyError, TypeError, AttributeError)):
        # The SDK reads what servers send as if it were always as agreed.
        return unusable(model_name, f'it cannot be read ({type(error).__name__}: {error})')
    return error


def _from_sdk(sdk: Any, error: Any, model_name: str, secret: str | None) -> Exception:
    if isinstance(error, sdk.APIStatusError):
        if error.status_code >= 400:
            return http_error(error.status_code, model_name, error.body, error.response.headers, secret)
        return ModelAPIError(model_name, f'{model_name!r} reports: {without_secret(error.message, secret)}')
    if isinstance(error, sdk.APIResponseValidationError):
        return unusable(model_name, str(error), error.body)
    if isinstance(error, sdk.APIConnectionError):
        return transport_error(error, model_name, secret)
    return ModelAPIError(model_name, f'{model_name!r} reports: {without_secret(error.message, secret)}')
