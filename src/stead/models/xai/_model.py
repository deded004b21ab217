"""`XaiModel`: a model of xAI."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from ..._contracts.model import ModelRequestParameters
from ..._kit.aio import gather
from ..._kit.extras import load_extra
from ..._kit.ids import now_utc
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
from ._call import Chunks, sample, upload, within
from ._errors import as_model_error
from ._options import encode_format, encode_options, encode_tools
from ._request import MessageEncoder, Upload, uploads_of
from ._response import decode_response
from ._settings import XaiModelName, XaiModelSettings
from ._stream import XaiStreamedResponse


@dataclass(init=False, repr=False)
class XaiModel(VendorModel):
    """A model of xAI, asked through its own protocol, which is gRPC."""

    _as_model_error = staticmethod(as_model_error)

    def __init__(
        self,
        model_name: XaiModelName,
        *,
        provider: str | Provider[Any] = 'xai',
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
            ImportError: The package xai-sdk is not installed.
            UserError: There is no key.
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

    async def _send(
        self, messages: list[ModelMessage], settings: XaiModelSettings, params: ModelRequestParameters, *, stream: bool
    ) -> Any:
        chat, seconds = await self._chat(messages, settings, params), _seconds(settings)
        with model_errors(self._error):
            if stream:
                return Chunks(self.client, chat, self._model_name, seconds)
            return await within(sample(self.client, chat), seconds, self._model_name)

    def _decode(self, answer: Any, settings: Any) -> ModelResponse:
        with model_errors(self._error):
            return decode_response(
                answer, model_name=self._model_name, provider_name=self.system, provider_url=self.base_url
            )

    def _streamed(
        self, stream: Any, first: Any, settings: Any, params: ModelRequestParameters, **more: Any
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
        """Return a request as the SDK has it; files that the messages have are uploaded for it."""
        profile = cast(GrokModelProfile, self.profile)
        encoder = MessageEncoder(self.system, profile)
        encoder.downloads = await download_all(messages, encoder.wish)
        files = uploads_of(messages, encoder.downloads)
        encoder.uploads = dict(await gather(*(self._upload(key, file, settings) for key, file in files.items())))
        fields: dict[str, Any] = {
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
                f'A setting has a value that the API of xAI has no place for: {error}. '
                f'The settings are {sorted(settings)}.'
            ) from error

    async def _upload(self, key: int, file: Upload, settings: XaiModelSettings) -> tuple[int, str]:
        with model_errors(self._error):
            sending = upload(self.client, file.name, file.data)
            return key, await within(sending, _seconds(settings), self._model_name)


def _packed(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a request with the messages of the protocol that the SDK wants, instead of plain data."""
    pb: Any = load_extra('xai_sdk.proto', extra='xai', what='XaiModel').chat_pb2
    made = {**fields, 'messages': [pb.Message(**message) for message in fields['messages']]}
    if 'tools' in fields:
        made['tools'] = [pb.Tool(**tool) for tool in fields['tools']]
        made['tool_choice'] = pb.ToolChoice(**fields['tool_choice'])
    if 'response_format' in fields:
        made['response_format'] = pb.ResponseFormat(**fields['response_format'])
    return made


def _seconds(settings: XaiModelSettings) -> float | None:
    """Return the setting `timeout` in seconds; of timeouts by phase, that for reading."""
    given: Any = settings.get('timeout')
    if given is None or isinstance(given, (int, float)):
        return given
    return getattr(given, 'read', None)
