"""`WrapperModel`: the base class of models that wrap another model."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from types import TracebackType
from typing import Any

from typing_extensions import Self

from .._contracts.model import ModelRequestContext, ModelRequestParameters
from .._contracts.run_context import RunContext
from ..messages import ModelMessage, ModelResponse, ModelResponsePart
from ..native_tools import AbstractNativeTool
from ..profiles import ModelProfile, ToolAdditionMode, ToolDeferralMode
from ..providers import Provider
from ..settings import ModelSettings
from ..usage import RequestUsage
from . import KnownModelName, infer_model
from ._base import Model
from ._streaming.streamed import CompletedStreamedResponse as CompletedStreamedResponse, StreamedResponse


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

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> bool | None:
        return await self.wrapped.__aexit__(exc_type, exc_val, exc_tb)

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

    def prepare_messages(
        self, messages: list[ModelMessage], model_request_parameters: ModelRequestParameters | None = None
    ) -> list[ModelMessage]:
        """Adapt messages to the wrapped model."""
        if model_request_parameters is None:
            return self.wrapped.prepare_messages(messages)
        return self.wrapped.prepare_messages(messages, model_request_parameters)

    def accepts_server_state(self, response: ModelResponse) -> bool:
        """Return whether ids in a response mean something to the wrapped model."""
        return self.wrapped.accepts_server_state(response)

    def accepts_stateless_artifacts(self, response: ModelResponse, part: ModelResponsePart | None = None) -> bool:
        """Return whether signatures in a response mean something to the wrapped model."""
        return self.wrapped.accepts_stateless_artifacts(response, part)

    def continuation_delay(self, response: ModelResponse) -> float | None:
        """Return the seconds to wait before the wrapped model continues a response."""
        return self.wrapped.continuation_delay(response)

    async def cancel_suspended_response(self, response: ModelResponse) -> None:
        """Tell the provider of the wrapped model that a response will not be continued."""
        await self.wrapped.cancel_suspended_response(response)

    def resolve_cache_retention(self, model_settings: ModelSettings | None) -> timedelta | None:
        """Return how long the provider of the wrapped model keeps a prompt that is cached."""
        return self.wrapped.resolve_cache_retention(model_settings)

    def unsupported_native_tool_settings(self, native_tool: AbstractNativeTool) -> frozenset[str]:
        """Return the settings of a native tool that the wrapped model cannot send."""
        return self.wrapped.unsupported_native_tool_settings(native_tool)

    @property
    def canonical_system(self) -> str:
        """The vendor of the API of the wrapped model."""
        return self.wrapped.canonical_system

    @property
    def compatible_systems(self) -> frozenset[str]:
        """The systems whose signatures the wrapped model accepts."""
        return self.wrapped.compatible_systems

    @property
    def context_window(self) -> int | None:
        """The context window of the wrapped model."""
        return self.wrapped.context_window

    @property
    def tool_deferral_mode(self) -> ToolDeferralMode | None:
        """Whether requests to the wrapped model may have tools that it does not see yet."""
        return self.wrapped.tool_deferral_mode

    @property
    def tool_addition_mode(self) -> ToolAdditionMode | None:
        """How messages add tools for the wrapped model."""
        return self.wrapped.tool_addition_mode

    @property
    def batch_max_requests(self) -> int | None:
        """The most requests in a batch of the wrapped model."""
        return self.wrapped.batch_max_requests

    @property
    def batch_max_bytes(self) -> int | None:
        """The most bytes in a batch of the wrapped model."""
        return self.wrapped.batch_max_bytes

    def batch_request_size(self, request: Any) -> int:
        """Return the bytes of an encoded request to the wrapped model."""
        return self.wrapped.batch_request_size(request)

    async def batch_encode(self, request: Any) -> Any:
        """Return a request to the wrapped model in the form of a batch."""
        return await self.wrapped.batch_encode(request)

    def batch_decode(self, result: Any, request: Any) -> Any:
        """Return the response of the wrapped model for a result of a batch."""
        return self.wrapped.batch_decode(result, request)

    async def batch_create(self, requests: Sequence[Any]) -> Any:
        """Send a batch to the wrapped model."""
        return await self.wrapped.batch_create(requests)

    async def batch_status(self, batch: Any) -> Any:
        """Return how far a batch of the wrapped model is."""
        return await self.wrapped.batch_status(batch)

    async def batch_results(self, batch: Any) -> Any:
        """Return the results of a batch of the wrapped model."""
        return await self.wrapped.batch_results(batch)

    async def batch_cancel(self, batch: Any) -> Any:
        """Cancel a batch of the wrapped model."""
        return await self.wrapped.batch_cancel(batch)

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
