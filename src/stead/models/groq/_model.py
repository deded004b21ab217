"""`GroqModel`: a model that runs on Groq."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from ..._kit.json_types import JsonObject
from ...exceptions import ModelHTTPError
from ...messages import ModelResponse
from ...native_tools import AbstractNativeTool, WebSearchTool
from ...profiles import ModelProfileSpec
from ...providers import Provider
from ...settings import ModelSettings
from .._vendor import VendorModel, VendorRequest, options_of
from .._wire.door import Door
from .._wire.kept import KeptMessages
from .._wire_errors import model_errors
from ._errors import FailedGeneration, as_model_error, failed_generation
from ._request import GroqEncoder, encode_settings, encode_tools
from ._response import decode_completion
from ._settings import GroqModelName
from ._stream import GroqStreamedResponse, chunks_of


@dataclass(init=False, repr=False)
class GroqModel(VendorModel):
    """A model that runs on Groq.

    Calls of tools that Groq rejects as invalid become the response, so that the run reports the errors to the model.
    """

    _as_model_error = staticmethod(as_model_error)
    _unsent_restrictions = frozenset({'max_uses', 'allowed_domains', 'blocked_domains', 'external_web_access'})
    _decoder = staticmethod(decode_completion)
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

    async def _send(self, request: VendorRequest) -> Any:
        try:
            answer = await super()._send(request)
        except ModelHTTPError as error:
            answer = failed_generation(error.__cause__)
            if answer is None:
                raise
        return chunks_of(answer) if request.stream else answer

    async def _send_typed(self, request: VendorRequest) -> Any:
        payload = await self._payload(request)
        with model_errors(self._error):
            return await self._client_for(request.settings).chat.completions.create(
                **payload, **options_of(request.settings)
            )

    async def _body(self, request: VendorRequest) -> tuple[JsonObject, JsonObject]:
        return await self._payload(request, self._kept), options_of(request.settings)

    def _decode(self, answer: Any, settings: Any) -> ModelResponse:
        if isinstance(answer, FailedGeneration):
            return ModelResponse(parts=[*answer.parts], **self._origin, finish_reason='error')
        return super()._decode(answer, settings)

    def _decoder_options(self, settings: Any) -> JsonObject:
        return {'model_profile': self.profile}

    async def _payload(self, request: VendorRequest, kept: KeptMessages | None = None) -> JsonObject:
        """Return the fields of a request; with `kept`, its messages are JSON that is kept there."""
        messages, settings, params, stream = request
        encoder = GroqEncoder.of(self.system, self.profile)
        return {
            'model': self._model_name,
            'messages': await encoder.messages(messages, params, kept),
            **encode_tools(settings, params, self.profile, self._model_name),
            **encode_settings(settings, params),
            'stream': stream,
        }
