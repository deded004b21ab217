"""`GroqModel`: a model that runs on Groq."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from ..._contracts.model import ModelRequestParameters
from ..._kit.json_types import JsonObject
from ..._kit.plain import as_dict, plain
from ..._kit.sdk_types import SdkObject
from ...exceptions import ModelHTTPError
from ...messages import ModelMessage, ModelResponse
from ...native_tools import AbstractNativeTool, WebSearchTool
from ...profiles import ModelProfileSpec
from ...providers import Provider
from ...settings import ModelSettings
from .._chat_completions.errors import error_in
from .._streaming.fold import VendorStream
from .._vendor import VendorModel, options_of, post_options
from .._wire.body import write_body
from .._wire.door import Door
from .._wire.events import ServerEvent
from .._wire.kept import KeptMessages
from .._wire_errors import model_errors, unusable
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
    _door = Door(
        'groq',
        'AsyncGroq',
        path='/openai/v1/chat/completions',
        resources=('chat', 'completions'),
        module='groq.resources.chat.completions',
        owner='AsyncCompletions',
        end=b'[DONE]',
    )

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

    async def _send(
        self, messages: list[ModelMessage], settings: GroqModelSettings, params: ModelRequestParameters, *, stream: bool
    ) -> Any:
        try:
            answer = await super()._send(messages, settings, params, stream=stream)
        except ModelHTTPError as error:
            answer = failed_generation(error.__cause__)
            if answer is None:
                raise
        return chunks_of(answer) if stream else answer

    async def _send_typed(
        self, messages: list[ModelMessage], settings: GroqModelSettings, params: ModelRequestParameters, *, stream: bool
    ) -> Any:
        payload = await self._payload(messages, settings, params)
        with model_errors(self._error):
            return await self.client.chat.completions.create(**payload, **options_of(settings), stream=stream)

    async def _write(
        self, messages: list[ModelMessage], settings: GroqModelSettings, params: ModelRequestParameters, *, stream: bool
    ) -> tuple[bytes, JsonObject] | None:
        try:
            payload = await self._payload(messages, settings, params, self._kept)
            options = options_of(settings)
            fields = {**payload, 'stream': stream, **as_dict(options['extra_body'])}
            return write_body(fields), post_options(options)
        except (TypeError, ValueError):  # the SDK may know better, and has errors of its own
            return None

    @staticmethod
    def _reported(client: SdkObject, response: SdkObject, event: ServerEvent, data: object) -> Exception | None:
        return error_in('groq', response, data)

    def _decode(self, answer: Any, settings: Any) -> ModelResponse:
        if isinstance(answer, str):
            raise unusable(self._model_name, 'it is not JSON', answer)
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
        self,
        messages: list[ModelMessage],
        settings: GroqModelSettings,
        params: ModelRequestParameters,
        kept: KeptMessages | None = None,
    ) -> dict[str, Any]:
        """Return the fields of a request; with `kept`, its messages are JSON that is kept there."""
        encoder = GroqEncoder.of(self.system, self.profile)
        return {
            'model': self._model_name,
            'messages': await encoder.messages(messages, params, kept),
            **encode_tools(settings, params, self.profile, self._model_name),
            **encode_settings(settings, params),
        }
