"""`OpenAIResponsesModel`: a model behind OpenAI's Responses API."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

from ..._contracts.model import ModelRequestContext, ModelRequestParameters
from ..._kit.json_types import JsonObject, as_count, as_dict
from ...exceptions import UserError
from ...messages import ModelMessage, ModelResponse
from ...native_tools import (
    AbstractNativeTool,
    CodeExecutionTool,
    FileSearchTool,
    ImageGenerationTool,
    MCPServerTool,
    ToolSearchTool,
    WebSearchTool,
)
from ...profiles import ModelProfile, ModelProfileSpec
from ...profiles.openai import OpenAIModelProfile
from ...providers import Provider
from ...settings import ModelSettings
from ...usage import RequestUsage
from .._tool_search import native_search
from .._vendor import VendorModel, VendorRequest, options_of, with_slash
from .._wire.door import Door
from .._wire.kept import KeptMessages
from .._wire_errors import model_errors
from ._chat_stream import as_model_error
from ._responses_options import continuation_of, encode_settings, encode_tools
from ._responses_request import ItemEncoder
from ._responses_response import decode_compaction, decode_response
from ._responses_stream import OpenAIResponsesStreamedResponse
from ._settings import OpenAIModelName, OpenAIResponsesModelSettings

_NO_INPUT = [{'role': 'user', 'content': ''}]
"""What is sent where there is nothing to send, since requests without input are refused."""
_CONTINUED = ('openai_previous_response_id', 'openai_conversation_id')
_COUNTED = (
    'input',
    'instructions',
    'previous_response_id',
    'conversation',
    'reasoning',
    'text',
    'tool_choice',
    'tools',
    'truncation',
    'parallel_tool_calls',
)
"""The fields of a request that the endpoint for counts takes."""


@dataclass(init=False, repr=False)
class OpenAIResponsesModel(VendorModel):
    """A model behind OpenAI's Responses API, which has native tools and keeps reasoning."""

    _as_model_error = staticmethod(as_model_error)
    _unsent_restrictions = frozenset({'max_uses'})
    _decoder = staticmethod(decode_response)
    _stream_class = OpenAIResponsesStreamedResponse
    _door = Door(
        'openai',
        'AsyncOpenAI',
        path='/responses',
        resources=('responses',),
        module='openai.resources.responses.responses',
        owner='AsyncResponses',
        end=b'[DONE]',
        security=True,
    )

    def __init__(
        self,
        model_name: OpenAIModelName,
        *,
        provider: str | Provider[Any] = 'openai',
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
            ImportError: The package openai is not installed.
            UserError: No API key is set for the provider.
            ValueError: The name of the provider is unknown.
        """
        self._connect(model_name, provider, profile, settings)

    @property
    def base_url(self) -> str:
        """The base URL of requests."""
        return with_slash(self._provider.base_url)

    @classmethod
    def supported_native_tools(cls) -> frozenset[type[AbstractNativeTool]]:
        """Return the native tools that the model class supports."""
        return frozenset(
            {WebSearchTool, CodeExecutionTool, FileSearchTool, MCPServerTool, ImageGenerationTool, ToolSearchTool}
        )

    @cached_property
    def profile(self) -> ModelProfile:
        """The capabilities of the model."""
        return OpenAIModelProfile.from_profile(super().profile)

    def customize_request_parameters(self, model_request_parameters: ModelRequestParameters) -> ModelRequestParameters:
        """Adapt parameters to the model: searches that OpenAI does not support are left to `search_tools`."""
        tools = [_as_ours(tool) for tool in model_request_parameters.native_tools]
        if tools != model_request_parameters.native_tools:
            model_request_parameters = replace(model_request_parameters, native_tools=tools)
        return super().customize_request_parameters(model_request_parameters)

    async def count_tokens(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> RequestUsage:
        """Return the number of input tokens of a request; errors as `request`.

        Raises:
            UserError: There are neither messages nor an earlier response or conversation.
        """
        request = self._request(messages, model_settings, model_request_parameters)
        if not messages and not any(request.settings.get(name) for name in _CONTINUED):
            raise UserError('There are no messages whose tokens can be counted. Pass the history with the request.')
        payload = await self._payload(request)
        body = {name: payload[name] for name in _COUNTED if name in payload}
        counted = await self._post('/responses/input_tokens', body, request.settings)
        return RequestUsage(input_tokens=as_count(as_dict(counted).get('input_tokens')))

    async def compact_messages(
        self, request_context: ModelRequestContext, *, instructions: str | None = None
    ) -> ModelResponse:
        """Ask OpenAI for an encrypted summary of messages; errors as `request`.

        Args:
            request_context: The messages, and the settings and tools of the request they are for.
            instructions: What the summary is to be like; else what the model is told anyway.

        Returns:
            A response with a `CompactionPart`, which takes the place of the messages.
        """
        context = request_context
        request = self._request(context.messages, context.model_settings, context.model_request_parameters)
        payload = await self._payload(request)
        body = {name: payload[name] for name in ('input', 'instructions', 'previous_response_id') if name in payload}
        if instructions is not None:
            body['instructions'] = instructions
        answer = await self._post('/responses/compact', body, request.settings)
        return decode_compaction(answer, **self._origin)

    async def _post(self, path: str, body: dict[str, Any], settings: OpenAIResponsesModelSettings) -> Any:
        """Ask another endpoint, which not all releases of the SDK know, and return its answer as plain data."""
        options = options_of(settings)
        sent: dict[str, Any] = {'headers': options['extra_headers'], 'extra_json': options['extra_body'] or {}}
        if 'timeout' in options:
            sent['timeout'] = options['timeout']
        with model_errors(self._error):
            return await self.client.post(path, body={'model': self._model_name, **body}, cast_to=object, options=sent)

    async def _send_typed(self, request: VendorRequest) -> Any:
        payload, stream = await self._payload(request), request.stream
        items = payload.pop('input') or _NO_INPUT
        options = options_of(request.settings)
        # Releases of the SDK differ in the fields they know, so all but the oldest ones go past it.
        options['extra_body'] = {**payload, **(options['extra_body'] or {})}
        with model_errors(self._error):
            return await self._client_for(request.settings).responses.create(
                model=self._model_name, input=items, stream=stream, **options
            )

    async def _body(self, request: VendorRequest) -> tuple[JsonObject, JsonObject]:
        payload = await self._payload(request, self._kept)
        payload['input'] = payload['input'] or _NO_INPUT
        return {'model': self._model_name, 'stream': request.stream, **payload}, options_of(request.settings)

    def _decoder_options(self, settings: OpenAIResponsesModelSettings) -> JsonObject:
        return {'annotations': bool(settings.get('openai_include_raw_annotations'))}

    async def _payload(self, request: VendorRequest, kept: KeptMessages | None = None) -> JsonObject:
        """Return the fields of a request.

        Args:
            request: The request.
            kept: Where messages are kept as JSON, in which they then are; otherwise they are plain data.
        """
        messages, settings, params, _ = request
        profile = cast(OpenAIModelProfile, self.profile)
        send_ids = settings.get('openai_send_reasoning_ids', profile.openai_supports_encrypted_reasoning_content)
        state, rest = continuation_of(settings, messages, self.system)
        encoder = ItemEncoder(self.system, profile, send_ids, native_search(params))
        items, instructions = await encoder.items(rest, params, kept)
        payload: dict[str, Any] = {
            'input': items,
            **state,
            **encode_tools(settings, params, profile, self._model_name, self.system),
            **encode_settings(settings, params, profile),
        }
        if instructions:
            payload['instructions'] = instructions
        return payload


def _as_ours(tool: AbstractNativeTool) -> AbstractNativeTool:
    if isinstance(tool, ToolSearchTool) and tool.strategy in ('bm25', 'regex'):
        return replace(tool, strategy='custom')
    return tool
