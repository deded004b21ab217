"""`CohereModel`: a model of Cohere."""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any, Literal

from ..._kit.json_types import JsonObject, plain
from ..._kit.sdk_types import CohereClient
from ...profiles import ModelProfileSpec
from ...providers import Provider
from ...settings import ModelSettings
from .._streaming.fold import EventStream
from .._vendor import VendorModel, VendorRequest
from .._wire.kept import KeptMessages
from .._wire.messages import length_of
from .._wire_errors import model_errors
from ._request import CohereEncoder, CohereModelName, encode_settings, encode_tools
from ._response import decode_answer
from ._stream import CohereStreamedResponse, as_model_error, events_of


@dataclass(init=False, repr=False)
class CohereModel(VendorModel):
    """A model of Cohere."""

    _as_model_error = staticmethod(as_model_error)
    _decoder = staticmethod(decode_answer)
    _stream_class = CohereStreamedResponse

    _model_name: CohereModelName
    _provider: Provider[CohereClient]

    def __init__(
        self,
        model_name: CohereModelName,
        *,
        provider: Literal['cohere'] | Provider[CohereClient] = 'cohere',
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
            ImportError: The package cohere is not installed.
            UserError: No API key is set.
        """
        self._connect(model_name, provider, profile, settings)
        self._encoded_messages: KeptMessages[JsonObject] = KeptMessages(size_of=length_of)

    async def _send_typed(self, request: VendorRequest) -> Any:
        payload = await self._payload(request)
        with model_errors(self._error):
            if not request.stream:
                return plain(await self.client.chat(**payload))
            async with AsyncExitStack() as stack:
                raw = self.client.with_raw_response.chat_stream(**payload)
                response = await stack.enter_async_context(raw)
                return EventStream.over(events_of(response), stack.pop_all())

    async def _payload(self, request: VendorRequest) -> JsonObject:
        """Return the arguments for the SDK."""
        messages, settings, params, _ = request
        tools = encode_tools(settings, params, self.profile)
        encoder = CohereEncoder.of(self.system, self.profile)
        return {
            'model': self._model_name,
            'messages': await encoder.plain_messages(messages, params, self._encoded_messages),
            **tools,
            **encode_settings(settings, params),
        }
