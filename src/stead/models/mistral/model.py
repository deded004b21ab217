"""`MistralModel`: a model of Mistral."""

from __future__ import annotations

import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Literal

from ..._contracts.model import ModelRequestParameters
from ..._contracts.run_context import RunContext
from ..._kit.plain import as_dict
from ...messages import ModelMessage, ModelResponse
from ...profiles import ModelProfileSpec
from ...providers import Provider
from ...settings import ModelSettings
from .. import check_allow_model_requests
from .._media import download_all
from .._vendor import VendorModel, options_of
from .._wire_errors import unusable
from .errors import as_model_error, body_of
from .request import MistralEncoder, encode_settings, encode_tools
from .response import decode_completion, plain
from .settings import MistralModelName
from .stream import MistralStreamedResponse, chunks_of


@dataclass(init=False, repr=False)
class MistralModel(VendorModel):
    """A model of Mistral, asked through its chat completions."""

    json_mode_schema_prompt: str
    """A prompt for JSON mode; `{schema}` is replaced by the schema. Models that call tools need none."""
    _model_name: MistralModelName
    _provider: Provider[Any]

    def __init__(
        self,
        model_name: MistralModelName,
        *,
        provider: Literal['mistral'] | Provider[Any] = 'mistral',
        profile: ModelProfileSpec | None = None,
        json_mode_schema_prompt: str = 'Answer in JSON Object, respect the format:\n```\n{schema}\n```\n',
        settings: ModelSettings | None = None,
    ) -> None:
        """Build a model.

        Args:
            model_name: The name of the model.
            provider: The provider, or its name.
            profile: What the model can do; known models need none.
            json_mode_schema_prompt: A prompt for JSON mode. Nothing needs it: outputs are asked for as calls of tools.
            settings: Settings for all requests; those of agents and runs go over them.

        Raises:
            ImportError: The package mistralai is not installed.
            UserError: There is no key.
        """
        self.json_mode_schema_prompt = json_mode_schema_prompt
        self._connect(model_name, provider, profile, settings)

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Send a request; see `Model.request`.

        Raises:
            ModelHTTPError: Mistral answered with an error.
            ModelAPIError: It cannot be reached.
            UnexpectedModelBehavior: It answered with something that is no completion.
        """
        payload, _ = await self._payload(messages, model_settings, model_request_parameters)
        try:
            answer = plain(await self.client.chat.complete_async(**payload))
        except Exception as error:
            answer = body_of(error)  # the SDK is stricter about fields than the response needs
            if 'choices' not in answer:
                raise as_model_error(error, self._model_name, self._secret) from error
        return decode_completion(
            answer, model_name=self._model_name, provider_name=self.system, provider_url=self.base_url
        )

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncIterator[MistralStreamedResponse]:
        """Stream a response; arguments and errors as `request`. It begins when the first chunk is there."""
        payload, params = await self._payload(messages, model_settings, model_request_parameters)
        try:
            stream = await self.client.chat.stream_async(**payload)
        except Exception as error:
            raise as_model_error(error, self._model_name, self._secret) from error
        async with stream:
            chunks = chunks_of(stream)
            try:
                first = await chunks.__anext__()
            except StopAsyncIteration:
                raise unusable(self._model_name, 'the stream ended without content or tool calls') from None
            except Exception as error:
                raise as_model_error(error, self._model_name, self._secret) from error
            yield MistralStreamedResponse(
                model_request_parameters=params,
                _model_name=self._model_name,
                _response=stream,
                _provider_name=self.system,
                _provider_url=self.base_url,
                _chunks=chunks,
                _first=first,
                _secret=self._secret,
            )

    async def _payload(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> tuple[dict[str, Any], ModelRequestParameters]:
        """Return what the SDK is to send, and the parameters as they are fitted to the model."""
        check_allow_model_requests()
        prepared, params = self.prepare_request(model_settings, model_request_parameters)
        settings: Any = prepared or {}
        tools = encode_tools(settings, params, self.profile)
        encoder = MistralEncoder.of(self.system)
        encoder.downloads = await download_all(messages, encoder.wish)
        payload: dict[str, Any] = {
            'model': self._model_name,
            'messages': encoder.encode(messages, params),
            **tools,
            **encode_settings(settings),
            **self._more_fields(settings),
            'http_headers': options_of(settings)['extra_headers'],
        }
        return payload, params

    def _more_fields(self, settings: Any) -> dict[str, Any]:
        """Return the further fields of the body that the SDK can send; a warning says which it cannot."""
        more = as_dict(settings.get('extra_body'))
        if not more:
            return {}
        from inspect import signature

        known = signature(self.client.chat.complete_async).parameters
        if unknown := sorted(more.keys() - known.keys()):
            warnings.warn(
                f'These fields of `extra_body` are left out, because the SDK mistralai has no such fields: {unknown}.',
                UserWarning,
                stacklevel=2,
            )
        return {name: value for name, value in more.items() if name in known}
