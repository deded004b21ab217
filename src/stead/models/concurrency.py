"""`ConcurrencyLimitedModel`: a model with a limit on concurrent requests."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import field
from typing import Any

from .._contracts.model import ModelRequestParameters
from .._contracts.run_context import RunContext
from .._kit.keywords import dataclass
from ..concurrency import (
    AbstractConcurrencyLimiter,
    AnyConcurrencyLimit,
    ConcurrencyLimit,
    limited,
    normalize_to_limiter,
)
from ..messages import ModelMessage, ModelResponse
from ..settings import ModelSettings
from ..usage import RequestUsage
from . import KnownModelName, infer_model
from ._base import Model
from ._streaming.streamed import StreamedResponse
from .wrapper import WrapperModel


@dataclass(init=False)
class ConcurrencyLimitedModel(WrapperModel):
    """A model with a limit on concurrent requests. Further requests wait in order of arrival."""

    _limiter: AbstractConcurrencyLimiter = field(repr=False)

    def __init__(
        self,
        wrapped: Model | KnownModelName | str,
        limiter: int | ConcurrencyLimit | AbstractConcurrencyLimiter,
    ) -> None:
        """Limit a model.

        Args:
            wrapped: The model, or its name.
            limiter: The maximum number of concurrent requests, or a limiter that several models share.

        Raises:
            ValueError: The number is negative.
        """
        super().__init__(wrapped)
        normalized = normalize_to_limiter(limiter, name=self.wrapped.model_name)
        assert normalized is not None
        self._limiter = normalized

    @property
    def _source(self) -> str:
        return f'model:{self.wrapped.model_name}'

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Wait for a free slot, and send the request.

        Raises:
            ConcurrencyLimitExceeded: Too many requests are waiting.
        """
        async with limited(self._limiter, self._source):
            return await self.wrapped.request(messages, model_settings, model_request_parameters)

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncIterator[StreamedResponse]:
        """Wait for a free slot, and stream the response, which holds the slot until it ends; errors as `request`."""
        async with limited(self._limiter, self._source):
            async with self.wrapped.request_stream(
                messages, model_settings, model_request_parameters, run_context
            ) as response:
                yield response

    async def count_tokens(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> RequestUsage:
        """Wait for a free slot, and count tokens; errors as `request`."""
        async with limited(self._limiter, self._source):
            return await self.wrapped.count_tokens(messages, model_settings, model_request_parameters)


def limit_model_concurrency(model: Model | KnownModelName | str, limiter: AnyConcurrencyLimit) -> Model:
    """Return a model with a limit on concurrent requests, or the model itself without a limit.

    Args:
        model: The model, or its name.
        limiter: The maximum number of concurrent requests, a limiter that several models share, or `None`.

    Raises:
        ValueError: The number is negative.
    """
    normalized = normalize_to_limiter(limiter)
    return infer_model(model) if normalized is None else ConcurrencyLimitedModel(model, normalized)


__all__ = ('ConcurrencyLimitedModel', 'limit_model_concurrency')
