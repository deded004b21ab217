"""`GroqModel`: a model that runs on Groq."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Literal, cast

from ..._contracts.model import ModelRequestParameters
from ..._contracts.run_context import RunContext
from ...messages import ModelMessage, ModelResponse
from ...native_tools import AbstractNativeTool, WebSearchTool
from ...profiles import ModelProfileSpec
from ...providers import Provider
from ...settings import ModelSettings
from .. import check_allow_model_requests
from .._media import download_all
from .._vendor import VendorModel, options_of, plain
from .._wire_errors import unusable
from .errors import as_model_error, failed_generation
from .request import GroqEncoder, encode_settings, encode_tools
from .response import decode_completion
from .settings import GroqModelName, GroqModelSettings
from .stream import GroqStreamedResponse


@dataclass(init=False, repr=False)
class GroqModel(VendorModel):
    """A model that runs on Groq, asked through its chat completions."""

    _model_name: GroqModelName
    _provider: Provider[Any]

    def __init__(
        self,
        model_name: GroqModelName,
        *,
        provider: Literal['groq'] | Provider[Any] = 'groq',
        profile: ModelProfileSpec | None = None,
        settings: ModelSettings | None = None,
    ) -> None:
        """Build a model.

        Args:
            model_name: The name of the model.
            provider: The provider, or its name.
            profile: What the model can do; known models need none.
            settings: Settings for all requests; those of agents and runs go over them.

        Raises:
            ImportError: The package groq is not installed.
            UserError: There is no key.
        """
        self._connect(model_name, provider, profile, settings)

    @classmethod
    def supported_native_tools(cls) -> frozenset[type[AbstractNativeTool]]:
        """Return the native tools that the class can send."""
        return frozenset({WebSearchTool})

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Send a request; see `Model.request`.

        Calls of tools that Groq refuses, since they do not fit, are the response: the run tells the model about them.

        Raises:
            ModelHTTPError: Groq answered with an error.
            ModelAPIError: It cannot be reached.
            UnexpectedModelBehavior: It answered with something that is no completion.
        """
        settings, params = self._prepare(model_settings, model_request_parameters)
        payload = await self._payload(messages, settings, params)
        try:
            answer = await self.client.chat.completions.create(**payload, stream=False)
        except Exception as error:
            made = failed_generation(error)
            if made is None:
                raise as_model_error(error, self._model_name, self._secret) from error
            return ModelResponse(
                parts=made,
                model_name=self._model_name,
                provider_name=self.system,
                provider_url=self.base_url,
                finish_reason='error',
            )
        return decode_completion(
            plain(answer),
            model_name=self._model_name,
            provider_name=self.system,
            provider_url=self.base_url,
            profile=self.profile,
        )

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncIterator[GroqStreamedResponse]:
        """Stream a response; arguments and errors as `request`. It begins when the first chunk is there."""
        settings, params = self._prepare(model_settings, model_request_parameters)
        payload = await self._payload(messages, settings, params)
        async with AsyncExitStack() as opened:
            try:
                stream = await opened.enter_async_context(
                    await self.client.chat.completions.create(**payload, stream=True)
                )
                first = await stream.__anext__()
            except StopAsyncIteration:
                raise unusable(self._model_name, 'the stream ended without content or tool calls') from None
            except Exception as error:
                if failed_generation(error) is None:
                    raise as_model_error(error, self._model_name, self._secret) from error
                stream, first = error, None
            yield self._streamed(params, stream, first)

    def _streamed(self, params: ModelRequestParameters, response: Any, first: Any) -> GroqStreamedResponse:
        return GroqStreamedResponse(
            model_request_parameters=params,
            _model_name=self._model_name,
            _model_profile=self.profile,
            _response=response,
            _provider_name=self.system,
            _provider_url=self.base_url,
            _first=first,
            _secret=self._secret,
        )

    def _prepare(
        self, model_settings: ModelSettings | None, model_request_parameters: ModelRequestParameters
    ) -> tuple[GroqModelSettings, ModelRequestParameters]:
        check_allow_model_requests()
        settings, params = self.prepare_request(model_settings, model_request_parameters)
        return cast(GroqModelSettings, settings or {}), params

    async def _payload(
        self, messages: list[ModelMessage], settings: GroqModelSettings, params: ModelRequestParameters
    ) -> dict[str, Any]:
        """Return what the SDK is to send."""
        tools = encode_tools(settings, params, self.profile, self._model_name)
        encoder = GroqEncoder.of(self.system, self.profile)
        encoder.downloads = await download_all(messages, encoder.wish)
        return {
            'model': self._model_name,
            'messages': encoder.encode(messages, params),
            **tools,
            **encode_settings(settings, params),
            **options_of(settings),
        }
