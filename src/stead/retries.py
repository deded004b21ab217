"""HTTP transports that try again, as `tenacity` is told to; for HTTP clients that are given to providers.

tenacity loads when a transport sends its first request.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from email.utils import parsedate_to_datetime
from importlib import import_module
from types import TracebackType
from typing import Any

from typing_extensions import Self, TypedDict

from ._kit.extras import load_extra, require_extra


class RetryConfig(TypedDict, total=False):
    """When to try again, and for how long; all keys are arguments of `tenacity.retry`."""

    sleep: Callable[[float], None | Awaitable[None]]
    """Waits between two attempts."""
    stop: Any
    """When to give up."""
    wait: Any
    """How long to wait; see `wait_retry_after`."""
    retry: Any
    """After which errors to try again."""
    before: Callable[[Any], None | Awaitable[None]]
    """Called before each attempt."""
    after: Callable[[Any], None | Awaitable[None]]
    """Called after each attempt that failed."""
    before_sleep: Callable[[Any], None | Awaitable[None]] | None
    """Called before each wait."""
    reraise: bool
    """Whether the last error is raised as it is, rather than in a `tenacity.RetryError`."""
    retry_error_cls: type[Any]
    """What is raised instead of `tenacity.RetryError`."""
    retry_error_callback: Callable[[Any], Any] | None
    """Called when all attempts have failed; its result stands for the response."""


def _tenacity() -> Any:
    return load_extra('tenacity', extra='retries', what='stead.retries')


def _library(thing: Any) -> str:
    return type(thing).__module__.partition('.')[0]


class TenacityTransport:
    """A transport for `httpx.Client`, or that of `httpx2`, that tries again."""

    def __init__(
        self,
        config: RetryConfig,
        wrapped: Any = None,
        validate_response: Callable[[Any], Any] | None = None,
    ) -> None:
        """Build a transport.

        Args:
            config: When to try again.
            wrapped: The transport that sends the requests; else one of the library that the client is from:
                an `httpx.HTTPTransport`, or that of `httpx2`, which the newest SDKs use.
            validate_response: Called with each response; what it raises counts as a failed attempt.

        Raises:
            ImportError: The package tenacity is not installed.
        """
        require_extra('tenacity', extra='retries', what='stead.retries')
        self._is_default = wrapped is None
        if wrapped is None:
            import httpx

            wrapped = httpx.HTTPTransport()
        self.config = config
        self.wrapped = wrapped
        self.validate_response = validate_response

    def handle_request(self, request: Any) -> Any:
        """Send a request, until an attempt succeeds.

        Raises:
            RetryError: All attempts have failed, unless `reraise` is set.
        """
        if self._is_default and _library(request) != _library(self.wrapped):
            self.wrapped = import_module(_library(request)).HTTPTransport()

        def attempt() -> Any:
            response = self.wrapped.handle_request(request)
            response.request = request  # what validates the response may want to know
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
    """A transport for `httpx.AsyncClient`, or that of `httpx2`, that tries again."""

    def __init__(
        self,
        config: RetryConfig,
        wrapped: Any = None,
        validate_response: Callable[[Any], Any] | None = None,
    ) -> None:
        """Build a transport; arguments and errors as `TenacityTransport`, but with async transports."""
        require_extra('tenacity', extra='retries', what='stead.retries')
        self._is_default = wrapped is None
        if wrapped is None:
            import httpx

            wrapped = httpx.AsyncHTTPTransport()
        self.config = config
        self.wrapped = wrapped
        self.validate_response = validate_response

    async def handle_async_request(self, request: Any) -> Any:
        """Send a request, until an attempt succeeds; errors as `TenacityTransport.handle_request`."""
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


def wait_retry_after(
    fallback_strategy: Callable[[Any], float] | None = None, max_wait: float = 300
) -> Callable[[Any], float]:
    """Return a way to wait: as long as the header `Retry-After` says.

    Args:
        fallback_strategy: How long to wait where there is no such header; else longer each time, up to a minute.
        max_wait: The most seconds to wait, whatever the header says.

    Raises:
        ImportError: The package tenacity is not installed.
    """
    if fallback_strategy is None:
        fallback_strategy = _tenacity().wait_exponential(multiplier=1, max=60)

    def wait(state: Any) -> float:
        error = state.outcome.exception() if state.outcome is not None else None
        headers = getattr(getattr(error, 'response', None), 'headers', None)
        said = _seconds(headers.get('retry-after')) if headers is not None else None
        assert fallback_strategy is not None
        return float(fallback_strategy(state)) if said is None else min(said, max_wait)

    return wait


def _seconds(value: str | None) -> float | None:
    """Return the seconds that a header says; `None` if it does not, or if they have passed."""
    if value is None:
        return None
    try:
        return max(float(value), 0.0)
    except ValueError:
        pass
    try:
        left = parsedate_to_datetime(value).timestamp() - time.time()
    except (TypeError, ValueError):
        return None
    return left if left > 0 else None


__all__ = ('AsyncTenacityTransport', 'RetryConfig', 'TenacityTransport', 'wait_retry_after')
