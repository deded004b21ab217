"""`WrapperModel`: the base class of models that wrap another model."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from typing_extensions import Self

from .._contracts.model import ModelRequestContext, ModelRequestParameters
from .._contracts.run_context import RunContext
from ..messages import ModelMessage, ModelResponse
from ..profiles import ModelProfile
from ..providers import Provider
from ..settings import ModelSettings
from ..usage import RequestUsage
from . import KnownModelName, infer_model
from ._base import Model
from ._streaming.completed import (
    CompletedStreamedResponse as CompletedStreamedResponse,
    ReplayedStreamedResponse as ReplayedStreamedResponse,
)
from ._streaming.streamed import StreamedResponse


@dataclass(init=False)
class WrapperModel(Model):
    """A model that delegates everything to another model. Subclasses override what they change."""

    wrapped: Model
    """The wrapped model."""

    def __init__(self, wrapped: Model | KnownModelName | str) -> None:
        """Wrap a model.

        Args:
            wrapped: The model, or its name; errors for names as `infer_model`.
        """
        super().__init__()
        self.wrapped = infer_model(wrapped)

    async def __aenter__(self) -> Self:
        await self.wrapped.__aenter__()
        return self

    async def __aexit__(self, *args: Any) -> bool | None:  # mirrors the signature of the interface
        return await self.wrapped.__aexit__(*args)

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Send the request with the wrapped model."""
        return await self.wrapped.request(messages, model_settings, model_request_parameters)

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncIterator[StreamedResponse]:
        """Stream the response of the wrapped model."""
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
        """Count tokens with the wrapped model."""
        return await self.wrapped.count_tokens(messages, model_settings, model_request_parameters)

    async def compact_messages(
        self, request_context: ModelRequestContext, *, instructions: str | None = None
    ) -> ModelResponse:
        """Compact messages with the wrapped model."""
        return await self.wrapped.compact_messages(request_context, instructions=instructions)

    def customize_request_parameters(self, model_request_parameters: ModelRequestParameters) -> ModelRequestParameters:
        """Adapt parameters to the wrapped model."""
        return self.wrapped.customize_request_parameters(model_request_parameters)

    def prepare_request(
        self, model_settings: ModelSettings | None, model_request_parameters: ModelRequestParameters
    ) -> tuple[ModelSettings | None, ModelRequestParameters]:
        """Prepare the request with the wrapped model."""
        return self.wrapped.prepare_request(model_settings, model_request_parameters)

    def prepare_messages(self, messages: list[ModelMessage]) -> list[ModelMessage]:
        """Adapt messages to the wrapped model."""
        return self.wrapped.prepare_messages(messages)

    @property
    def model_name(self) -> str:
        """The name of the wrapped model."""
        return self.wrapped.model_name

    @property
    def system(self) -> str:
        """The provider of the wrapped model."""
        return self.wrapped.system

    @property
    def provider(self) -> Provider | None:
        """The provider object of the wrapped model."""
        return self.wrapped.provider

    @property
    def base_url(self) -> str | None:
        """The URL of the wrapped model."""
        return self.wrapped.base_url

    @property
    def profile(self) -> ModelProfile:  # type: ignore[reportIncompatibleVariableOverride]
        """What the wrapped model can do now: its profile may change, so it is not kept here."""
        return self.wrapped.profile

    @property
    def settings(self) -> ModelSettings | None:
        """The settings of the wrapped model."""
        return self.wrapped.settings

    def __getattr__(self, name: str) -> Any:
        if name == 'wrapped':  # not set yet, as while unpickling: looking it up would recurse
            raise AttributeError(name)
        return getattr(self.wrapped, name)
