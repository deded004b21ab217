"""`HuggingFaceModel`: a model behind one of Hugging Face's inference providers or endpoints."""

from __future__ import annotations

import copy
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from typing import Any, Literal

from ..._contracts.model import ModelRequestParameters
from ..._kit.json_types import JsonObject
from ..._kit.sdk_types import HuggingFaceClient
from ...messages import ModelMessage, ModelResponse
from ...profiles import ModelProfileSpec
from ...providers import Provider
from ...settings import ModelSettings
from .._streaming.fold import EventStream, VendorStream
from .._vendor import VendorModel, options_of
from .._wire.kept import KeptMessages
from .._wire.messages import length_of
from .._wire_errors import model_errors
from ._errors import as_model_error
from ._request import HuggingFaceEncoder, encode_settings, encode_tools
from ._response import decode_completion, plain
from ._settings import HuggingFaceModelName, HuggingFaceModelSettings
from ._stream import HuggingFaceStreamedResponse


@dataclass(init=False, repr=False)
class HuggingFaceModel(VendorModel):
    """A model behind one of Hugging Face's inference providers or endpoints."""

    _as_model_error = staticmethod(as_model_error)
    _stream_class = HuggingFaceStreamedResponse

    _model_name: HuggingFaceModelName
    _provider: Provider[HuggingFaceClient]

    def __init__(
        self,
        model_name: HuggingFaceModelName,
        *,
        provider: Literal['huggingface'] | Provider[HuggingFaceClient] = 'huggingface',
        profile: ModelProfileSpec | None = None,
        settings: ModelSettings | None = None,
    ) -> None:
        """Build a model.

        Args:
            model_name: The name of the model on the Hugging Face Hub.
            provider: The provider, or its name.
            profile: The capabilities of the model; by default, those known for its name.
            settings: Settings for all requests; those of agents and runs override them.

        Raises:
            ImportError: The package huggingface-hub is not installed.
            UserError: No token is set.
        """
        self._connect(model_name, provider, profile, settings)
        self._encoded_messages: KeptMessages[JsonObject] = KeptMessages(size_of=length_of)

    async def _send_typed(
        self, messages: list[ModelMessage], settings: Any, params: ModelRequestParameters, *, stream: bool
    ) -> Any:
        payload = await self._payload(messages, settings, params)
        if stream:
            payload['stream_options'] = {'include_usage': True}
        with model_errors(self._error):
            async with AsyncExitStack() as stack:
                client = await _for_one_request(self.client, stack, settings)
                try:
                    answer = await client.chat.completions.create(**payload, stream=stream)
                except Exception as error:
                    await _read_body(error)
                    raise
                return EventStream.over(answer, stack.pop_all()) if stream else plain(answer)

    def _decode(self, answer: Any, settings: Any) -> ModelResponse:
        return decode_completion(
            answer,
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
        self, messages: list[ModelMessage], settings: HuggingFaceModelSettings, params: ModelRequestParameters
    ) -> dict[str, Any]:
        """Return the arguments for the client."""
        tools = encode_tools(settings, params, self.profile)
        encoder = HuggingFaceEncoder.of(self.system, self.profile)
        return {
            'model': self._model_name,
            'messages': await encoder.plain_messages(messages, params, self._encoded_messages),
            **tools,
            **encode_settings(settings),
        }


async def _for_one_request(client: Any, stack: AsyncExitStack, settings: Any) -> Any:
    """Return a client for one request, which shares the connections of the client and has headers and a timeout of its own.

    The client takes both for all requests only, and keeps the connections of streams until it is closed itself.

    Args:
        client: The client. A substitute for that of `huggingface_hub` is returned as it is.
        stack: Takes the connection of the request.
        settings: The settings of the request.
    """
    if not hasattr(client, '_get_async_client'):
        return client
    await client._get_async_client()
    one = copy.copy(client)
    options = options_of(settings)
    one.headers = {**client.headers, **options['extra_headers']}
    one.exit_stack = stack
    timeout = options.get('timeout')
    if timeout is not None:
        # An `httpx.Timeout` may be of another library than that of the client, which takes its numbers.
        read = hasattr(timeout, 'read')
        one.timeout = (timeout.connect, timeout.read, timeout.write, timeout.pool) if read else timeout
    return one


async def _read_body(error: BaseException) -> None:
    """Read the body of an error that came instead of a stream."""
    response = getattr(error, 'response', None)
    if response is not None:
        with suppress(Exception):
            await response.aread()
