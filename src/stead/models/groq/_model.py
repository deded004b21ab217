"""`GroqModel`: a model that runs on Groq."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from ..._contracts.model import ModelRequestParameters
from ..._kit.plain import plain
from ...messages import ModelMessage, ModelResponse
from ...native_tools import AbstractNativeTool, WebSearchTool
from ...profiles import ModelProfileSpec
from ...providers import Provider
from ...settings import ModelSettings
from .._media import download_all
from .._streaming.fold import VendorStream
from .._vendor import VendorModel, options_of
from .._wire_errors import model_errors
from ._errors import FailedGeneration, as_model_error, failed_generation
from ._request import GroqEncoder, encode_settings, encode_tools
from ._response import decode_completion
from ._settings import GroqModelName, GroqModelSettings
from ._stream import GroqStreamedResponse, chunks_of


@dataclass(init=False, repr=False)
class GroqModel(VendorModel):
    """A model that runs on Groq.

    Calls of tools that Groq rejects as invalid become the response, so that the run reports the errors to the model.
    """

    _as_model_error = staticmethod(as_model_error)
    _stream_class = GroqStreamedResponse

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
            profile: The capabilities of the model; by default, those known for its name.
            settings: Settings for all requests; those of agents and runs override them.

        Raises:
            ImportError: The package groq is not installed.
            UserError: No API key is set.
        """
        self._connect(model_name, provider, profile, settings)

    @classmethod
    def supported_native_tools(cls) -> frozenset[type[AbstractNativeTool]]:
        """Return the native tools that the model class supports."""
        return frozenset({WebSearchTool})

    async def _send_typed(
        self, messages: list[ModelMessage], settings: GroqModelSettings, params: ModelRequestParameters, *, stream: bool
    ) -> Any:
        payload = await self._payload(messages, settings, params)
        with model_errors(self._error):
            try:
                answer = await self.client.chat.completions.create(**payload, stream=stream)
            except Exception as error:
                answer = failed_generation(error)
                if answer is None:
                    raise
        return chunks_of(answer) if stream else answer

    def _decode(self, answer: Any, settings: Any) -> ModelResponse:
        if isinstance(answer, FailedGeneration):
            return ModelResponse(
                parts=[*answer.parts],
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

    def _streamed(
        self, stream: Any, first: Any, settings: Any, params: ModelRequestParameters, **more: Any
    ) -> VendorStream:
        return super()._streamed(stream, first, settings, params, _model_profile=self.profile, **more)

    async def _payload(
        self, messages: list[ModelMessage], settings: GroqModelSettings, params: ModelRequestParameters
    ) -> dict[str, Any]:
        """Return the arguments for the SDK."""
        tools = encode_tools(settings, params, self.profile, self._model_name)
        encoder = GroqEncoder.of(self.system, self.profile)
        encoder.downloads = await download_all(messages, encoder.download_format)
        return {
            'model': self._model_name,
            'messages': encoder.encode(messages, params),
            **tools,
            **encode_settings(settings, params),
            **options_of(settings),
        }
