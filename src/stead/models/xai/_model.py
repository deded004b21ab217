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
from ..._kit.sdk_types import SdkObject
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
from .._media import download_all, has_downloads
from .._streaming.fold import VendorStream
from .._vendor import VendorModel, VendorRequest
from .._wire.kept import KeptMessages
from .._wire_errors import model_errors
from ._call import ChunkStream, sample, upload, within
from ._errors import as_model_error
from ._options import encode_format, encode_options, encode_tools
from ._request import Encoded, Upload, XaiMessageEncoder, has_uploads, joined, uploads_of
from ._response import decode_response
from ._settings import XaiModelName, XaiModelSettings
from ._stream import XaiStreamedResponse


@dataclass(init=False, repr=False)
class XaiModel(VendorModel):
    """An xAI model, on xAI's gRPC API."""

    _as_model_error = staticmethod(as_model_error)
    _unsent_restrictions = frozenset({'max_uses', 'external_web_access'})
    _decoder = staticmethod(decode_response)

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
        self._packed_messages: KeptMessages[Encoded[Any]] = KeptMessages(size_of=_size_of)

    @classmethod
    def supported_native_tools(cls) -> frozenset[type[AbstractNativeTool]]:
        """Return the native tools that the class can send."""
        return frozenset({WebSearchTool, XSearchTool, CodeExecutionTool, FileSearchTool, MCPServerTool})

    @cached_property
    def profile(self) -> ModelProfile:
        """What the model can do."""
        return GrokModelProfile.from_profile(super().profile)

    async def _send_typed(self, request: VendorRequest) -> Any:
        chat, seconds = await self._chat(request), _seconds(request.settings)
        with model_errors(self._error):
            if request.stream:
                return ChunkStream(self.client, chat, self._model_name, seconds)
            return await within(sample(self.client, chat), seconds, self._model_name)

    def _decode(self, answer: Any, settings: Any) -> ModelResponse:
        with model_errors(self._error):
            return super()._decode(answer, settings)

    def _streamed(self, stream: Any, first: object, request: VendorRequest, **extra: object) -> VendorStream:
        return XaiStreamedResponse(
            model_request_parameters=request.params,
            _model_name=self._model_name,
            _response=stream,
            _timestamp=now_utc(),
            _provider=self._provider,
            _first=first,
            _secret=self._secret,
        )

    async def _chat(self, request: VendorRequest) -> Any:
        """Return a request as an object of the SDK, after uploading the files in the messages."""
        messages, settings, params, _ = request
        profile = cast(GrokModelProfile, self.profile)
        pb: Any = load_extra('xai_sdk.proto', extra='xai', what='XaiModel').chat_pb2
        encoded = await self._encoded(messages, settings, XaiMessageEncoder(self.system, profile), pb)
        fields: JsonObject = {
            'messages': self._with_instructions(joined(encoded), messages, params, pb),
            **encode_options(settings, params, profile),
            **encode_tools(settings, params, profile),
        }
        if (form := encode_format(params, profile)) is not None:
            fields['response_format'] = form
        try:
            return self.client.chat.create(model=self._model_name, **_packed(fields, pb))
        except (TypeError, ValueError) as error:
            raise UserError(
                f"A setting has a value that xAI's API does not accept: {error}. The settings are {sorted(settings)}."
            ) from error

    async def _encoded(
        self, messages: list[ModelMessage], settings: XaiModelSettings, encoder: XaiMessageEncoder, pb: SdkObject
    ) -> list[Encoded[SdkObject]]:
        """Return messages as protobuf messages: those that were sent before, and those that are new, with their files."""

        async def load(new: list[ModelMessage]) -> None:
            encoder.downloads = await download_all(new, encoder.download_format)
            files = uploads_of(new, encoder.downloads)
            encoder.uploads = dict(
                await gather(*(self._upload(place, file, settings) for place, file in files.items()))
            )

        def encode(message: ModelMessage) -> tuple[list[Encoded[SdkObject]], bool]:
            first, results, last, calls = encoder.encode_message(message)
            packed = Encoded(
                [pb.Message(**item) for item in first],
                [(call, pb.Message(**item)) for call, item in results],
                [pb.Message(**item) for item in last],
                calls,
            )
            is_kept = not has_downloads(message, encoder.downloads) and not has_uploads(message, encoder.uploads)
            return [packed], is_kept

        return await self._packed_messages.load_and_encode(messages, (encoder.system, encoder.profile), load, encode)

    def _with_instructions(
        self, packed: list[SdkObject], messages: list[ModelMessage], params: ModelRequestParameters, pb: SdkObject
    ) -> list[SdkObject]:
        """Return the messages of a request with the instructions after the system prompts, which they may refer to.

        Raises:
            UserError: There is no content to send.
        """
        instructions = [pb.Message(**item) for item in XaiMessageEncoder.encode_instructions(messages, params)]
        system = pb.ROLE_SYSTEM
        place = next((index for index, item in enumerate(packed) if item.role != system), len(packed))
        packed[place:place] = instructions
        if not packed:
            raise UserError('There is nothing to send: the messages have no content. Pass a prompt or instructions.')
        return packed

    async def _upload(self, key: int, file: Upload, settings: XaiModelSettings) -> tuple[int, str]:
        with model_errors(self._error):
            sending = upload(self.client, file.name, file.data)
            return key, await within(sending, _seconds(settings), self._model_name)


def _packed(fields: JsonObject, pb: SdkObject) -> JsonObject:
    """Return the fields of a request with protobuf messages in place of plain data, as the SDK expects them."""
    packed = {**fields}
    if 'tools' in fields:
        packed['tools'] = [pb.Tool(**tool) for tool in fields['tools']]
        packed['tool_choice'] = pb.ToolChoice(**fields['tool_choice'])
    if 'response_format' in fields:
        packed['response_format'] = pb.ResponseFormat(**fields['response_format'])
    return packed


def _size_of(encoded: Encoded[Any]) -> int:
    """Return the size of a message in requests, in bytes. Its protobuf messages take about as much memory."""
    first, results, last, _ = encoded
    return sum([item.ByteSize() for item in (*first, *(item for _, item in results), *last)])


def _seconds(settings: XaiModelSettings) -> float | None:
    """Return the setting `timeout` in seconds; of an `httpx.Timeout`, the timeout for reading."""
    timeout = settings.get('timeout')
    if timeout is None or isinstance(timeout, (int, float)):
        return timeout
    return getattr(timeout, 'read', None)
