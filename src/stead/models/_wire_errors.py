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

_TRANSPORTS = ('httpx', 'httpx2', 'httpcore', 'httpcore2', 'h11', 'aiohttp', 'anyio', 'tenacity')


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
    """Return the error for a connection that failed or broke; a transport that raises on error statuses has `status_code`."""
    chain = causes(error)
    for found in chain:
        response: Any = getattr(found, 'response', None)
        status = getattr(response, 'status_code', None)
        if isinstance(status, int) and status >= 400:
            return http_error(status, model_name, str(found), response.headers, secret)
    named = [type(each).__name__ + (f': {each}' if str(each) else '') for each in chain]
    first = next((name for name, each in zip(named, chain) if str(each)), named[0])
    # SDKs say "Connection error."; the reason is farther down.
    text = first if named[-1] == first or not str(chain[-1]) else f'{first} ({named[-1]})'
    said = without_secret(text, secret)
    return ModelAPIError(
        model_name, f'The connection to the provider of {model_name!r}{_address(chain)} failed: {said}'
    )


def _address(chain: list[Exception]) -> str:
    """Return where a request went that failed, if its error says so: the URL may be what is wrong."""
    for error in chain:
        try:
            url = getattr(error, 'request', None).url  # type: ignore[reportOptionalMemberAccess]
            return f' at {url.scheme}://{url.netloc.decode()}' if not url.userinfo else f' at {url.host}'
        except (AttributeError, RuntimeError):  # there is none, or it is not known
            continue
    return ''


def causes(error: BaseException) -> list[Exception]:
    """Return an error, and what it came from, as far as these are errors."""
    found: list[Any] = []
    while isinstance(error, Exception) and not any(error is each for each in found):
        found.append(error)
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)  # type: ignore[reportAssignmentType]
    return found


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
    if type(value) is tuple:
        return tuple(without_secret(item, secret) for item in value)  # type: ignore[reportUnknownVariableType]
    return value


def hide_secret(error: Exception, secret: str | None) -> None:
    """Leave the key out of what an SDK raised: tracebacks, logs and spans show it next to the error of stead."""
    for each in causes(error):
        each.args = without_secret(each.args, secret)
        for name, value in {**getattr(each, '__dict__', {})}.items():
            if type(value) in (str, dict, list):
                object.__setattr__(each, name, without_secret(value, secret))


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
