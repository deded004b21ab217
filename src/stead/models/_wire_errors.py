"""Translates the errors of SDKs and of connections to stead's."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Optional

from typing_extensions import TypeAlias

from .._kit.json_types import as_dict
from .._kit.secret import causes, without_secret
from ..exceptions import (
    AgentRunError,
    InvalidModelResponse,
    ModelAPIError,
    ModelConnectionError,
    ModelTimeoutError,
    TransportPhase,
    UserError,
)
from ._origins import is_about_request, is_callers, refusal_in
from ._wire_categories import http_error as http_error, reported_error as reported_error

AsModelError: TypeAlias = Callable[[Exception, str, Optional[str]], Exception]
"""A function that returns stead's error for one that an SDK raised, the name of the model, and the API key."""

_TRANSPORTS = ('httpx', 'httpx2', 'httpcore', 'httpcore2', 'h11', 'aiohttp', 'anyio', 'tenacity')

_OF_FILES = (FileNotFoundError, PermissionError, IsADirectoryError, NotADirectoryError)
"""Errors of the operating system that connections do not have."""
_UNREAD = ('ResponseNotRead', 'StreamConsumed', 'StreamClosed', 'DecodingError')
"""Errors of HTTP libraries for bodies that an SDK did not read, or could not."""


def is_transport_error(error: BaseException) -> bool:
    """Return whether an error comes from the connection. SDKs do not translate all of these to their own."""
    return isinstance(error, OSError) or any(
        base.__module__.partition('.')[0] in _TRANSPORTS for base in type(error).__mro__
    )


def transport_error(error: BaseException, model_name: str, secret: str | None = None) -> ModelAPIError:
    """Return the error for a failed connection.

    Transports that raise errors for HTTP error statuses, such as the retrying ones, get a `ModelHTTPError`.
    """
    chain = causes(error)
    for cause in chain:
        response: Any = getattr(cause, 'response', None)
        status = getattr(response, 'status_code', None)
        if isinstance(status, int) and status >= 400:
            return http_error(status, model_name, str(cause), response.headers, secret)
    descriptions = [type(cause).__name__ + (f': {cause}' if str(cause) else '') for cause in chain]
    first = next((text for text, cause in zip(descriptions, chain) if str(cause)), descriptions[0])
    # The outermost message is often only "Connection error."; the innermost one has the reason.
    last = descriptions[-1]
    text: str = without_secret(first if last == first or not str(chain[-1]) else f'{first} ({last})', secret)
    return connection_error(
        chain, model_name, f'The connection to the provider of {model_name!r}{_address(chain)} failed: {text}'
    )


_PHASES: dict[str, TransportPhase] = {
    'PoolTimeout': 'pool',
    'ConnectError': 'connect',
    'ConnectTimeout': 'connect',
    'ConnectTimeoutError': 'connect',
    'ConnectionRefusedError': 'connect',
    'EndpointConnectionError': 'connect',
    'NewConnectionError': 'connect',
    'WriteError': 'write',
    'WriteTimeout': 'write',
    'IncompleteRead': 'read',
    'ReadError': 'read',
    'ReadTimeout': 'read',
    'ReadTimeoutError': 'read',
    'RemoteProtocolError': 'read',
}
"""What a connection was doing, by the names of the errors of libraries."""


def connection_error(chain: Sequence[BaseException], model_name: str, message: str) -> ModelConnectionError:
    """Return the error for a connection that failed or took too long.

    Args:
        chain: The error of the library, and its causes.
        model_name: The model of the request.
        message: What happened.
    """
    names = [base.__name__ for error in chain for base in type(error).__mro__]
    late = any('Timeout' in name for name in names)
    phase: TransportPhase | None = next((_PHASES[name] for name in names if name in _PHASES), None)
    return (ModelTimeoutError if late else ModelConnectionError)(model_name, message, phase=phase)


def _address(chain: list[Exception]) -> str:
    """Return the server of a failed request, if an error has it, since a wrong URL may be the cause."""
    for error in chain:
        try:
            url = getattr(error, 'request', None).url  # type: ignore[reportOptionalMemberAccess]
            return f' at {url.scheme}://{url.netloc.decode()}' if not url.userinfo else f' at {url.host}'
        except (AttributeError, RuntimeError):  # no request, or httpx's error for a request that was not set
            continue
    return ''


def unusable(model_name: str, what: str, body: object = None) -> InvalidModelResponse:
    """Return the error for an invalid response.

    Args:
        model_name: The name of the model.
        what: What is wrong with the response.
        body: The response; the error shows its first 10,000 characters.
    """
    if body is None or isinstance(body, str):
        text = body
    else:
        try:
            text = json.dumps(body, default=str)
        except (TypeError, ValueError):
            text = repr(body)
    return InvalidModelResponse(model_name, f'{model_name!r} gave an invalid response: {what}', text and text[:10_000])


def in_stream(error: Exception) -> Exception:
    """Return an error that was met while a response was read, and mark what the provider reports there."""
    if isinstance(error, ModelAPIError) and not isinstance(error, ModelConnectionError):
        error.in_stream = True
    return error


@contextmanager
def model_errors(translate: Callable[[Exception], Exception]) -> Iterator[None]:
    """Raise stead's errors for those of an SDK in a `with` block.

    Args:
        translate: Returns stead's error for one that was raised, or the error itself if it comes from elsewhere.
    """
    try:
        yield
    except Exception as error:
        translated = translate(error)
        if translated is error:  # an error cannot be its own cause
            raise
        if translated in causes(error):  # the SDK had wrapped it
            raise translated from translated.__cause__
        raise translated from error


def as_model_error(error: Exception, model_name: str, secret: str | None, sdk_name: str) -> Exception:
    """Return stead's error for one that an SDK raised. Errors from elsewhere, such as callers' hooks, are returned unchanged.

    Args:
        error: The error.
        model_name: The name of the model.
        secret: The API key, which is removed from the text.
        sdk_name: The module of the SDK, which has the same error classes as OpenAI's.
    """
    sdk: Any = sys.modules.get(sdk_name)
    if sdk is not None and isinstance(error, sdk.APIError):
        return _from_sdk(sdk, error, model_name, secret)
    if is_of_callers(error):
        return error
    of_sdk = isinstance(error, (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError))
    if (of_sdk or type(error).__name__ in _UNREAD) and (refusal := refusal_in(error)) is not None:
        return http_error(refusal.status, model_name, refusal.body, refusal.headers, secret)
    if is_transport_error(error):
        return transport_error(error, model_name, secret)
    if not of_sdk:
        return error
    text = without_secret(f'{type(error).__name__}: {error}', secret)
    if is_about_request(error):
        return UserError(f'The request to {model_name!r} cannot be sent ({text}).')
    # SDKs do not validate responses, so invalid ones make their code fail in any of these ways; deep ones in the last.
    return unusable(model_name, f'it cannot be parsed ({text})')


def is_of_callers(error: Exception) -> bool:
    """Return whether an error is that of a hook or transport of the caller's, which SDKs take for a failed connection."""
    if isinstance(error, (AgentRunError, UserError)):
        return True
    return is_callers(error) and (isinstance(error, _OF_FILES) or not is_transport_error(error))


def _from_sdk(sdk: Any, error: Any, model_name: str, secret: str | None) -> Exception:
    if isinstance(error, sdk.APIStatusError):
        if error.status_code >= 400:
            return http_error(error.status_code, model_name, error.body, error.response.headers, secret)
        return reported_error(error.body, model_name, secret, error.message)
    if isinstance(error, sdk.APIResponseValidationError):
        return unusable(model_name, str(error), error.body)
    if isinstance(error, sdk.APIConnectionError):
        wrapped = next((cause for cause in causes(error)[1:] if is_of_callers(cause)), None)
        return wrapped or transport_error(error, model_name, secret)
    return reported_error(error.body, model_name, secret, error.message)


def error_in(sdk_name: str, response: Any, data: object) -> Exception | None:
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
