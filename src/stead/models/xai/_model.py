"""`XaiModel`: xAI's models."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from ..._contracts.model import ModelRequestParameters
from ..._kit.aio import gather
from ..._kit.extras import load_extra
from ..._kit.ids import now_utc
from ..._kit.json_types import JsonObject
from ...exceptions import UserError
from ...messages import ModelMessage, ModelResponse
from ...native_tools import (
    AbstractNativeTool,
    CodeExecutionTool,
    FileSearchTool,
    MCPServerTool,
    WebSearchTool,
    XSearchTool,
)
from ...profiles import ModelProfile, ModelProfileSpec
from ...profiles.grok import GrokModelProfile
from ...providers import Provider
from ...settings import ModelSettings
from .._media import download_all
from .._streaming.fold import VendorStream
from .._vendor import VendorModel
from .._wire_errors import model_errors
from ._call import ChunkStream, sample, upload, within
from ._errors import as_model_error
from ._options import encode_format, encode_options, encode_tools
from ._request import Upload, XaiMessageEncoder, uploads_of
from ._response import decode_response
from ._settings import XaiModelName, XaiModelSettings
from ._stream import XaiStreamedResponse


@dataclass(init=False, repr=False)
class XaiModel(VendorModel):
    """An xAI model, on xAI's gRPC API."""

    _as_model_error = staticmethod(as_model_error)

    def __init__(
        self,
        model_name: XaiModelName,
        *,
        provider: str | Provider = 'xai',
        profile: ModelProfileSpec | None = None,
        settings: ModelSettings | None = None,
    ) -> None:
        """Build a model.

        Args:
            model_name: The name of the model.
            provider: The provider, or its name.
            profile: What the model can do; by default the provider's profile for the name.
            settings: Settings for all requests; those of agents and runs take precedence.

        Raises:
            ImportError: The package xai-sdk is not installed.
            UserError: There is no API key.
            ValueError: The provider is not known.
        """
        self._connect(model_name, provider, profile, settings)

    @classmethod
    def supported_native_tools(cls) -> frozenset[type[AbstractNativeTool]]:
        """Return the native tools that the class can send."""
        return frozenset({WebSearchTool, XSearchTool, CodeExecutionTool, FileSearchTool, MCPServerTool})

    @cached_property
    def profile(self) -> ModelProfile:
        """What the model can do."""
        return GrokModelProfile.from_profile(super().profile)

    async def _send_typed(
        self, messages: list[ModelMessage], settings: XaiModelSettings, params: ModelRequestParameters, *, stream: bool
    ) -> Any:
        chat, seconds = await self._chat(messages, settings, params), _seconds(settings)
        with model_errors(self._error):
            if stream:
                return ChunkStream(self.client, chat, self._model_name, seconds)
            return await within(sample(self.client, chat), seconds, self._model_name)

    def _decode(self, answer: Any, settings: ModelSettings) -> ModelResponse:
        with model_errors(self._error):
            return decode_response(
                answer, model_name=self._model_name, provider_name=self.system, provider_url=self.base_url
            )

    def _streamed(
        self, stream: Any, first: object, settings: Any, params: ModelRequestParameters, **extra: object
    ) -> VendorStream:
        return XaiStreamedResponse(
            model_request_parameters=params,
            _model_name=self._model_name,
            _response=stream,
            _timestamp=now_utc(),
            _provider=self._provider,
            _first=first,
            _secret=self._secret,
        )

    async def _chat(
        self, messages: list[ModelMessage], settings: XaiModelSettings, params: ModelRequestParameters
    ) -> Any:
        """Return a request as an object of the SDK, after uploading the files in the messages."""
        profile = cast(GrokModelProfile, self.profile)
        encoder = XaiMessageEncoder(self.system, profile)
        encoder.downloads = await download_all(messages, encoder.download_format)
        files = uploads_of(messages, encoder.downloads)
        encoder.uploads = dict(await gather(*(self._upload(key, file, settings) for key, file in files.items())))
        fields: JsonObject = {
            'messages': encoder.encode(messages, params),
            **encode_options(settings, params, profile),
            **encode_tools(settings, params, profile),
        }
        if (form := encode_format(params, profile)) is not None:
            fields['response_format'] = form
        try:
            return self.client.chat.create(model=self._model_name, **_packed(fields))
        except (TypeError, ValueError) as error:
            raise UserError(
                f"A setting has a value that xAI's API does not accept: {error}. The settings are {sorted(settings)}."
            ) from error

    async def _upload(self, key: int, file: Upload, settings: XaiModelSettings) -> tuple[int, str]:
        with model_errors(self._error):
            sending = upload(self.client, file.name, file.data)
            return key, await within(sending, _seconds(settings), self._model_name)


def _packed(fields: JsonObject) -> JsonObject:
    """Return the fields of a request with protobuf messages in place of plain data, as the SDK expects them."""
    pb: Any = load_extra('xai_sdk.proto', extra='xai', what='XaiModel').chat_pb2
    packed = {**fields, 'messages': [pb.Message(**message) for message in fields['messages']]}
    if 'tools' in fields:
        packed['tools'] = [pb.Tool(**tool) for tool in fields['tools']]
        packed['tool_choice'] = pb.ToolChoice(**fields['tool_choice'])
    if 'response_format' in fields:
        packed['response_format'] = pb.ResponseFormat(**fields['response_format'])
    return packed


def _seconds(settings: XaiModelSettings) -> float | None:
    """Return the setting `timeout` in seconds; of an `httpx.Timeout`, the timeout for reading."""
    timeout = settings.get('timeout')
    if timeout is None or isinstance(timeout, (int, float)):
        return timeout
    return getattr(timeout, 'read', None)
