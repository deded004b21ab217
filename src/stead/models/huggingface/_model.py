"""`HuggingFaceModel`: a model behind one of Hugging Face's inference providers or endpoints."""

from __future__ import annotations

import copy
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from typing import Any, Literal

from ..._kit.json_types import JsonObject
from ..._kit.sdk_types import HuggingFaceClient
from ...profiles import ModelProfileSpec
from ...providers import Provider
from ...settings import ModelSettings
from .._streaming.fold import EventStream
from .._vendor import VendorModel, VendorRequest, options_of
from .._wire.kept import KeptMessages
from .._wire.messages import length_of
from .._wire_errors import model_errors
from ._request import HuggingFaceEncoder, HuggingFaceModelName, encode_settings, encode_tools
from ._response import decode_completion, plain
from ._stream import HuggingFaceStreamedResponse, as_model_error


@dataclass(init=False, repr=False)
class HuggingFaceModel(VendorModel):
    """A model behind one of Hugging Face's inference providers or endpoints."""

    _as_model_error = staticmethod(as_model_error)
    _decoder = staticmethod(decode_completion)
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

    async def _send_typed(self, request: VendorRequest) -> Any:
        payload, stream = await self._payload(request), request.stream
        if stream:
            payload['stream_options'] = {'include_usage': True}
        with model_errors(self._error):
            async with AsyncExitStack() as stack:
                client = await _for_one_request(self.client, stack, request.settings)
                try:
                    answer = await client.chat.completions.create(**payload, stream=stream)
                except Exception as error:
                    await _read_body(error)
                    raise
                return EventStream.over(answer, stack.pop_all()) if stream else plain(answer)

    def _decoder_options(self, settings: Any) -> JsonObject:
        return {'model_profile': self.profile}

    async def _payload(self, request: VendorRequest) -> JsonObject:
        """Return the arguments for the client."""
        messages, settings, params, _ = request
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
