"""`MistralModel`: a model of Mistral."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Literal

from ..._kit.json_types import JsonObject, as_dict
from ..._kit.sdk_types import SdkObject
from ...profiles import ModelProfileSpec
from ...providers import Provider
from ...settings import ModelSettings
from .._vendor import VendorModel, VendorRequest, check_numbers_of, options_of
from .._wire.body import parse
from .._wire.kept import KeptMessages
from .._wire_errors import model_errors
from ._door import MistralDoor, chat_of, prepare
from ._errors import as_model_error, body_of, reported
from ._request import MistralEncoder, MistralModelName, encode_settings, encode_tools
from ._response import decode_completion, plain
from ._stream import MistralStreamedResponse, chunks_of, chunks_of_typed


@dataclass(init=False, repr=False)
class MistralModel(VendorModel):
    """A model of Mistral."""

    _as_model_error = staticmethod(as_model_error)
    _decoder = staticmethod(decode_completion)
    _stream_class = MistralStreamedResponse

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
            profile: The capabilities of the model; by default, those known for its name.
            json_mode_schema_prompt: A prompt for JSON mode. Nothing needs it: outputs are asked for as calls of tools.
            settings: Settings for all requests; those of agents and runs override them.

        Raises:
            ImportError: The package mistralai is not installed.
            UserError: No API key is set.
        """
        self.json_mode_schema_prompt = json_mode_schema_prompt
        self._connect(model_name, provider, profile, settings)
        self._mistral_door = MistralDoor()
        prepare()

    async def _send(self, request: VendorRequest) -> Any:
        stream = request.stream
        check_numbers_of(request.settings, request.params)
        if request.settings.get('wire', 'auto') == 'auto' and (chat := chat_of(self.client)) is not None:
            payload = await self._payload(request, self._kept)
            with model_errors(self._error):
                response = await self._mistral_door.send(chat, payload, payload.pop('messages'), stream=stream)
                if response is not None:
                    return chunks_of(response) if stream else self._read(response)
        return await self._send_typed(request)

    def _read(self, response: SdkObject) -> JsonObject:
        """Return the answer in a response, and raise the error that may be in its place."""
        body = as_dict(parse(response.content))
        if (error := reported(body, self._model_name, self._secret)) is not None:
            raise error
        return body

    async def _send_typed(self, request: VendorRequest) -> Any:
        payload = await self._payload(request)
        with model_errors(self._error):
            if request.stream:
                return chunks_of_typed(await self.client.chat.stream_async(**payload))
            try:
                return plain(await self.client.chat.complete_async(**payload))
            except Exception as error:
                answer = body_of(error)  # the SDK is stricter about fields than the response needs
                if 'choices' not in answer:
                    raise
                return answer

    async def _payload(self, request: VendorRequest, kept: KeptMessages | None = None) -> JsonObject:
        """Return the arguments for the SDK; with `kept`, messages are JSON that is kept there."""
        messages, settings, params, _ = request
        encoder = MistralEncoder.of(self.system)
        return {
            'model': self._model_name,
            'messages': await encoder.messages(messages, params, kept),
            **encode_tools(settings, params, self.profile),
            **encode_settings(settings),
            **self._more_fields(settings),
            'http_headers': options_of(settings)['extra_headers'],
        }

    def _more_fields(self, settings: Any) -> dict[str, Any]:
        """Return the further fields of the body that the SDK can send; warn about the others."""
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
