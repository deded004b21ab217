"""HTTP transports that retry requests with `tenacity`, for HTTP clients that are passed to providers.

tenacity is imported when a transport sends its first request.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib import import_module
from types import TracebackType
from typing import Any

from typing_extensions import Self, TypeAlias, TypedDict

from ._kit.extras import load_extra, require_extra
from .exceptions import wait_of

RetryState: TypeAlias = Any
"""A `tenacity.RetryCallState`."""


class RetryConfig(TypedDict, total=False):
    """When to retry, and for how long; all keys are arguments of `tenacity.retry`."""

    sleep: Callable[[float], None | Awaitable[None]]
    """Waits between two attempts."""
    stop: Any
    """When to stop retrying."""
    wait: Any
    """How long to wait; see `wait_retry_after`."""
    retry: Any
    """Which errors to retry."""
    before: Callable[[RetryState], None | Awaitable[None]]
    """Called before each attempt."""
    after: Callable[[RetryState], None | Awaitable[None]]
    """Called after each failed attempt."""
    before_sleep: Callable[[RetryState], None | Awaitable[None]] | None
    """Called before each wait."""
    reraise: bool
    """Whether to raise the last error itself, rather than a `tenacity.RetryError`."""
    retry_error_cls: type[Exception]
    """The exception to raise instead of `tenacity.RetryError`."""
    retry_error_callback: Callable[[RetryState], object] | None
    """Called when all attempts have failed; its result is returned as the response."""


def _tenacity() -> Any:
    return load_extra('tenacity', extra='retries', what='stead.retries')


def _library(thing: object) -> str:
    return type(thing).__module__.partition('.')[0]


class TenacityTransport:
    """A transport for `httpx.Client`, or that of `httpx2`, that retries requests."""

    _default = 'httpx'

    def __init__(
        self,
        config: RetryConfig,
        wrapped: Any = None,
        validate_response: Callable[[Any], object] | None = None,
    ) -> None:
        """Create a transport.

        Args:
            config: When to retry.
            wrapped: The transport that sends the requests; by default an `httpx.HTTPTransport`, or that of `httpx2`
                for clients of that library, which the newest SDKs use.
            validate_response: Called with each response; if it raises an error, the attempt has failed.

        Raises:
            ImportError: The package tenacity is not installed.
        """
        require_extra('tenacity', extra='retries', what='stead.retries')
        self._is_default = wrapped is None
        if wrapped is None:
            wrapped = import_module(self._default).HTTPTransport()
        self.config = config
        self.wrapped: Any = wrapped
        self.validate_response = validate_response

    def handle_request(self, request: Any) -> Any:
        """Send a request until an attempt succeeds.

        Raises:
            RetryError: All attempts have failed, unless `reraise` is set.
        """
        if self._is_default and _library(request) != _library(self.wrapped):
            self.wrapped = import_module(_library(request)).HTTPTransport()

        def attempt() -> Any:
            response = self.wrapped.handle_request(request)
            response.request = request  # `raise_for_status` needs it
            if self.validate_response is not None:
                try:
                    self.validate_response(response)
                except BaseException:
                    response.close()
                    raise
            return response

        return _tenacity().retry(**self.config)(attempt)()

    def __enter__(self) -> Self:
        self.wrapped.__enter__()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None = None,
        exc_value: BaseException | None = None,
        traceback: TracebackType | None = None,
    ) -> None:
        self.wrapped.__exit__(exc_type, exc_value, traceback)

    def close(self) -> None:
        """Close the transport that sends the requests."""
        self.wrapped.close()


class AsyncTenacityTransport:
    """A transport for `httpx.AsyncClient`, or that of `httpx2`, that retries requests."""

    _default = 'httpx'

    def __init__(
        self,
        config: RetryConfig,
        wrapped: Any = None,
        validate_response: Callable[[Any], object] | None = None,
    ) -> None:
        """Create a transport; arguments and errors as `TenacityTransport`, but with async transports."""
        require_extra('tenacity', extra='retries', what='stead.retries')
        self._is_default = wrapped is None
        if wrapped is None:
            wrapped = import_module(self._default).AsyncHTTPTransport()
        self.config = config
        self.wrapped: Any = wrapped
        self.validate_response = validate_response

    async def handle_async_request(self, request: Any) -> Any:
        """Send a request until an attempt succeeds; errors as `TenacityTransport.handle_request`."""
        if self._is_default and _library(request) != _library(self.wrapped):
            self.wrapped = import_module(_library(request)).AsyncHTTPTransport()

        async def attempt() -> Any:
            response = await self.wrapped.handle_async_request(request)
            response.request = request
            if self.validate_response is not None:
                try:
                    self.validate_response(response)
                except BaseException:
                    await response.aclose()
                    raise
            return response

        return await _tenacity().retry(**self.config)(attempt)()

    async def __aenter__(self) -> Self:
        await self.wrapped.__aenter__()
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None = None,
        exc_value: BaseException | None = None,
        traceback: TracebackType | None = None,
    ) -> None:
        await self.wrapped.__aexit__(exc_type, exc_value, traceback)

    async def aclose(self) -> None:
        """Close the transport that sends the requests."""
        await self.wrapped.aclose()


class HTTPX2TenacityTransport(TenacityTransport):
    """A `TenacityTransport` that sends with `httpx2` from the start."""

    _default = 'httpx2'


class AsyncHTTPX2TenacityTransport(AsyncTenacityTransport):
    """An `AsyncTenacityTransport` that sends with `httpx2` from the start."""

    _default = 'httpx2'


def wait_retry_after(
    fallback_strategy: Callable[[RetryState], float] | None = None, max_wait: float = 300
) -> Callable[[RetryState], float]:
    """Return a wait strategy that follows the header `Retry-After`; a wait that is not a number, or negative, does not count.

    Args:
        fallback_strategy: The wait strategy without such a header; by default exponential, up to a minute.
        max_wait: The longest wait, in seconds, whatever the header says.

    Raises:
        ImportError: The package tenacity is not installed.
    """
    if fallback_strategy is None:
        fallback_strategy = _tenacity().wait_exponential(multiplier=1, max=60)

    def wait(state: RetryState) -> float:
        error = state.outcome.exception() if state.outcome is not None else None
        headers = getattr(getattr(error, 'response', None), 'headers', None)
        requested = wait_of(headers) if headers is not None else None
        assert fallback_strategy is not None
        return float(fallback_strategy(state)) if requested is None else min(requested, max_wait)

    return wait


__all__ = (
    'AsyncHTTPX2TenacityTransport',
    'AsyncTenacityTransport',
    'HTTPX2TenacityTransport',
    'RetryConfig',
    'TenacityTransport',
    'wait_retry_after',
)
