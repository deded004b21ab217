"""`BedrockConverseModel`: a model on Amazon Bedrock."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Literal, cast

from ..._contracts.model import ModelRequestParameters
from ..._kit.aio import run_in_executor
from ..._kit.json_types import JsonObject, as_count, as_dict
from ...messages import ModelMessage
from ...native_tools import AbstractNativeTool, CodeExecutionTool
from ...profiles import ModelProfile, ModelProfileSpec
from ...providers import Provider
from ...providers.bedrock import BedrockModelProfile, remove_bedrock_geo_prefix
from ...settings import ModelSettings, merge_model_settings
from ...usage import RequestUsage
from .._media import download_all, has_downloads
from .._tool_choice import is_native, without_forced_output
from .._vendor import CacheSettings, VendorModel, VendorRequest
from .._wire.kept import KeptMessages
from .._wire.messages import length_of
from .._wire_errors import model_errors
from ._calls import ConverseEvents, P, T, answered, send_headers
from ._errors import as_model_error
from ._options import encode_options, encode_tools, is_thinking
from ._request import ConverseEncoder, Turn, limit_cache_points
from ._response import decode_answer, request_id
from ._settings import BedrockModelName, BedrockModelSettings
from ._stream import BedrockStreamedResponse

_COUNTED = ('messages', 'system', 'toolConfig', 'additionalModelRequestFields')
"""The fields of a request that releases of boto3 know in a request to count tokens; the older ones know the first two."""


@dataclass(init=False, repr=False)
class BedrockConverseModel(VendorModel):
    """A model on Amazon Bedrock, on the Converse API. Its requests wait in threads, since boto3 blocks."""

    _cache_settings = CacheSettings(
        'bedrock_cache_instructions', 'bedrock_cache_tool_definitions', 'bedrock_cache_messages'
    )
    _as_model_error = staticmethod(as_model_error)
    _decoder = staticmethod(decode_answer)
    _stream_class = BedrockStreamedResponse

    _model_name: BedrockModelName
    _provider: Provider[Any]

    def __init__(
        self,
        model_name: BedrockModelName,
        *,
        provider: Literal['bedrock', 'gateway'] | str | Provider[Any] = 'bedrock',
        profile: ModelProfileSpec | None = None,
        settings: ModelSettings | None = None,
    ) -> None:
        """Build a model.

        Args:
            model_name: The name of the model, with or without a geography before it, such as
                `us.anthropic.claude-sonnet-4-6`; or an ARN, for which you pass the profile, too.
            provider: The provider, or its name.
            profile: What the model can do; by default the provider's profile for the name.
            settings: Settings for all requests; those of agents and runs take precedence.

        Raises:
            ImportError: The package boto3 is not installed.
            UserError: There is no region.
            ValueError: The provider is not known.
        """
        self._connect(model_name, provider, profile, settings)
        self._client: Any = None
        self._kept_turns: KeptMessages[Turn] = KeptMessages(size_of=_size_of)

    @classmethod
    def supported_native_tools(cls) -> frozenset[type[AbstractNativeTool]]:
        """Return the native tools that the class can send."""
        return frozenset({CodeExecutionTool})

    @property
    def client(self) -> Any:
        """The client, of boto3's service `bedrock-runtime`: that of the provider, unless another one was set."""
        return self._provider.client if self._client is None else self._client

    @client.setter
    def client(self, value: Any) -> None:
        self._client = value

    @cached_property
    def profile(self) -> ModelProfile:
        """What the model can do."""
        return BedrockModelProfile.from_profile(super().profile)

    def prepare_request(
        self, model_settings: ModelSettings | None, model_request_parameters: ModelRequestParameters
    ) -> tuple[ModelSettings | None, ModelRequestParameters]:
        """Prepare a request. A thinking model cannot be forced to call output tools, so another output mode is the default.

        Raises:
            UserError: The output mode is `'tool'`, the output cannot be text, and the model thinks.
        """
        params, profile = model_request_parameters, self.profile
        if params.output_tools:
            settings: Any = merge_model_settings(self.settings, model_settings) or {}
            if is_thinking(settings, settings.get('thinking') if profile.supports_thinking else None):
                params = without_forced_output(params, profile, self._model_name)
        return super().prepare_request(model_settings, params)

    def customize_request_parameters(self, model_request_parameters: ModelRequestParameters) -> ModelRequestParameters:
        """Adapt parameters to the model: Bedrock always enforces the schema of native output."""
        output = model_request_parameters.output_object
        if output is not None and not output.strict and is_native(model_request_parameters, self.profile):
            model_request_parameters = replace(model_request_parameters, output_object=replace(output, strict=True))
        return super().customize_request_parameters(model_request_parameters)

    async def count_tokens(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> RequestUsage:
        """Return the tokens that a request would use, for models that Bedrock can count for; errors as `request`.

        The model is asked itself, and not an inference profile, as the API demands.
        """
        request = self._request(messages, model_settings, model_request_parameters)
        payload = await self._payload(request)
        known = _known_fields(self.client)
        counted = await self._ask(
            request.settings,
            self.client.count_tokens,
            modelId=remove_bedrock_geo_prefix(self._model_name),
            input={'converse': {name: payload[name] for name in known if name in payload}},
        )
        return RequestUsage(input_tokens=as_count(as_dict(counted).get('inputTokens')))

    async def _payload(self, request: VendorRequest) -> JsonObject:
        """Return the arguments of a call."""
        messages, settings, params, stream = request
        if settings.get('extra_body'):
            warnings.warn(
                'The setting `extra_body` is left out, because boto3 sends no such fields. Fields of the model belong to '
                '`bedrock_additional_model_requests_fields`.',
                UserWarning,
                stacklevel=2,
            )
        profile = cast(BedrockModelProfile, self.profile)
        encoder = ConverseEncoder(self.system, profile, cites=bool(settings.get('citations')))
        payload: JsonObject = {
            'modelId': settings.get('bedrock_inference_profile') or self._model_name,
            'messages': encoder.encode(await self._turns(messages, encoder), settings),
            'system': encoder.encode_system(messages, params, settings),
            **encode_options(settings, params, profile, stream=stream),
            **encode_tools(settings, params, profile, self._model_name),
        }
        limit_cache_points(payload)
        return payload

    async def _turns(self, messages: list[ModelMessage], encoder: ConverseEncoder) -> list[Turn]:
        """Return the content of messages: of those that were sent before, and of those that are new, with their files."""

        async def load(new: list[ModelMessage]) -> None:
            with model_errors(self._error):
                encoder.downloads = await download_all(new, encoder.download_format)

        def encode(message: ModelMessage) -> tuple[list[Turn], bool]:
            documents = encoder.documents
            turn = encoder.turn(message)
            # Documents have numbers, by what comes before them.
            return [turn], documents == encoder.documents and not has_downloads(message, encoder.downloads)

        return await self._kept_turns.load_and_encode(
            messages, (encoder.system, encoder.profile, encoder.cites), load, encode
        )

    async def _ask(
        self, settings: BedrockModelSettings, method: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Return the answer to a call that is not streamed."""
        with model_errors(self._error):
            send_headers(self.client, settings.get('extra_headers'))
            return await answered(run_in_executor(method, *args, **kwargs), _seconds(settings), self._model_name)

    async def _send_typed(self, request: VendorRequest) -> Any:
        payload, settings = await self._payload(request), request.settings
        if not request.stream:
            return await self._ask(settings, self.client.converse, **payload)
        with model_errors(self._error):
            send_headers(self.client, settings.get('extra_headers'))
            events = ConverseEvents(
                partial(self.client.converse_stream, **payload),
                model_name=self._model_name,
                seconds=_seconds(settings),
            )
            events.request_id = request_id(await events.opened())
        return events

    def _streamed(self, stream: Any, first: object, request: VendorRequest, **extra: object) -> BedrockStreamedResponse:
        streamed = super()._streamed(stream, first, request, _provider_response_id=stream.request_id, **extra)
        return cast(BedrockStreamedResponse, streamed)


def _size_of(turn: Turn) -> int:
    return sum(map(length_of, turn.blocks))


def _seconds(settings: BedrockModelSettings) -> float | None:
    timeout: Any = settings.get('timeout')
    return getattr(timeout, 'read', timeout)  # of an `httpx.Timeout`


def _known_fields(client: Any) -> tuple[str, ...]:
    """Return the fields that the release of boto3 knows in a request to count tokens."""
    try:
        members = client.meta.service_model.shape_for('ConverseTokensRequest').members
    except Exception:  # a substitute for a client of boto3
        return _COUNTED[:2]
    return tuple(name for name in _COUNTED if name in members)
