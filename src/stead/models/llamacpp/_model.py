"""`LlamaCppModel`: a model that runs in this process."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from ..._contracts.model import ModelRequestParameters
from ..._contracts.run_context import RunContext
from ..._kit.json_types import as_dict
from ..._kit.threads import run_in_worker_thread
from ...messages import ModelMessage, ModelResponse
from ...profiles import ModelProfile, ModelProfileSpec
from ...settings import ModelSettings
from ...usage import RequestUsage
from .. import check_allow_model_requests
from .._base import Model
from .._streaming.parts import ModelResponsePartsManager
from ._engine import Engine, EngineOptions, EngineStream, engine_for
from ._errors import EngineError
from ._prompt import STOPS, as_chat, as_questions, conversation_turns, system_of
from ._response_format import FORMAT_SETTINGS, ResponseFormat, response_format_of
from ._settings import LlamaCppModelSettings, checked
from ._stream import Fold, LlamaCppStreamedResponse
from ._weights import WEIGHTS_NAME, check_extra, find_weights

MAX_TOKENS = 1024
DEFAULT_WEIGHTS_TOKENS = 256
"""What the default weights may write: they have said what they know long before, and then go round in circles."""
_PROFILE = ModelProfile(supports_json_schema_output=True, supports_json_object_output=True)
# Settings that the engine knows by the same names, or by others.
_SAMPLING = {
    'max_tokens': 'max_tokens',
    'temperature': 'temperature',
    'llamacpp_cache_prompt': 'cache_prompt',
    'top_p': 'top_p',
    'top_k': 'top_k',
    'seed': 'seed',
    'presence_penalty': 'presence_penalty',
    'frequency_penalty': 'frequency_penalty',
    'logit_bias': 'logit_bias',
    'llamacpp_repeat_penalty': 'repeat_penalty',
}


@dataclass
class _Request:
    """A request as the engine takes it, and the format of its response."""

    body: dict[str, Any]
    chat: bool
    response_format: ResponseFormat
    stop_sequences: list[str]
    stop_loops: bool
    timeout: float | None


class LlamaCppModel(Model[Engine]):
    """A model that llama.cpp runs in this process, from a file of weights: no key, and no network.

    _default_profile = _PROFILE

    Models of the same file and options share an engine. It starts with the first request, decodes several requests at
    once, and is closed at exit or by `close_engines`.
    """

    def __init__(
        self,
        model_name: str = '',
        *,
        context_size: int = 8192,
        parallel_requests: int = 4,
        most_waiting: int = 256,
        threads: int | None = None,
        gpu_layers: int | None = None,
        chat_template: str | None = None,
        profile: ModelProfileSpec | None = None,
        settings: ModelSettings | None = None,
    ) -> None:
        """Build a model.

        Args:
            model_name: The path of a GGUF file; by default the weights that come with the extra `local`.
            context_size: The most tokens of a request and its response; less if the model was trained on less.
            parallel_requests: How many requests are decoded at once; others wait.
            most_waiting: How many requests may wait.
            threads: How many threads compute; by default one less than there are cores, at least one and eight at most.
            gpu_layers: How many layers go to a graphics card, if xllamacpp is built for one.
            chat_template: The template of conversations, in Jinja, in place of that of the file. Without either, the
                model is a base model, and reads questions and answers.
            profile: What the model can do.
            settings: Settings for all requests.

        Raises:
            ImportError: The extra `local` is not installed.
            WeightsError: There is no such file, or it is not a GGUF file.
        """
        check_extra()
        self._requested_name = model_name
        path = find_weights(model_name)
        self._model_name = path.stem if path is not None else WEIGHTS_NAME
        self._options = EngineOptions(
            path, context_size, parallel_requests, most_waiting, threads, gpu_layers, chat_template
        )
        super().__init__(settings=settings, profile=profile or _PROFILE)
        self._format: tuple[Any, Any, ResponseFormat] | None = None

    def __repr__(self) -> str:
        return f'{type(self).__name__}({self._requested_name!r})'

    @property
    def model_name(self) -> str:
        """The name of the file, without its suffix."""
        return self._model_name

    @property
    def model_id(self) -> str:
        """Provider and path, as `infer_model` takes them."""
        return f'{self.system}:{self._requested_name}'

    @property
    def system(self) -> str:
        """The provider."""
        return 'local'

    @property
    def engine(self) -> Engine:
        """The engine, which other models may share."""
        return engine_for(self._options)

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Decode a response; see `Model.request`.

        Raises:
            ConcurrencyLimitExceeded: The queue of waiting requests is full.
            ContextOverflow: The prompt is longer than the context.
            EngineError: The engine failed, was closed, or took longer than the setting `timeout`.
            ImportError: The extra `local` is not installed.
            UnexpectedModelBehavior: The decoder refused the grammar of the request.
            UserError: The request has a file in it, or a schema under which no value is valid.
            WeightsError: The weights cannot be loaded.
        """
        params, request = await self._encode(messages, model_settings, model_request_parameters)
        manager = ModelResponsePartsManager(params)
        fold = Fold(manager, request.response_format, self._model_name, request.stop_sequences, request.stop_loops)
        stream = self._ask(request)
        try:
            async for chunk in stream:
                for _ in fold.feed(chunk):
                    pass
                if fold.stopped:
                    break
        finally:
            stream.close()
        fold.end()
        return ModelResponse(
            parts=manager.get_parts(),
            usage=fold.usage,
            model_name=self._model_name,
            provider_name=self.system,
            provider_response_id=fold.response_id,
            provider_details=fold.details or None,
            finish_reason=fold.finish_reason,
        )

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncIterator[LlamaCppStreamedResponse]:
        """Stream a response; arguments and errors as `request`. It starts with the first chunk of the engine."""
        params, request = await self._encode(messages, model_settings, model_request_parameters)
        stream = self._ask(request)
        try:
            first = await anext(stream, None)  # if there is none, the streamed response raises the error
            yield LlamaCppStreamedResponse(
                model_request_parameters=params,
                _model_name=self._model_name,
                _engine_stream=stream,
                _format=request.response_format,
                _stop_sequences=request.stop_sequences,
                _stop_loops=request.stop_loops,
                _first=first,
            )
        finally:
            stream.close()

    async def count_tokens(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> RequestUsage:
        """Return the tokens of the prompt; errors as `request`.

        The engine reads and caches the prompt for this, which the request itself then saves.
        """
        _, request = await self._encode(messages, model_settings, model_request_parameters)
        request.body.pop('grammar', None)
        stream = self._ask(request)
        try:
            async for chunk in stream:
                if (progress := chunk.get('prompt_progress')) is not None:
                    return RequestUsage(input_tokens=int(progress['total']))
        finally:
            stream.close()
        raise EngineError(self._model_name, f'The engine of {self._model_name!r} did not count the tokens.')

    def _format_of(self, params: ModelRequestParameters, settings: LlamaCppModelSettings) -> ResponseFormat:
        """Return the format of a response; it is kept, because the steps of a run have the same parameters."""
        values = [settings.get(key) for key in FORMAT_SETTINGS]
        known = self._format
        if known is not None and known[0] is params and known[1] == values:
            return known[2]
        response_format = response_format_of(params, settings, self._model_name)
        self._format = (params, values, response_format)
        return response_format

    def _ask(self, request: _Request) -> EngineStream:
        return self.engine.ask(request.body, chat=request.chat, timeout=request.timeout)

    async def _encode(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> tuple[ModelRequestParameters, _Request]:
        check_allow_model_requests()
        prepared, params = self.prepare_request(model_settings, model_request_parameters)
        settings = checked(prepared, self._model_name)
        engine = self.engine
        if not engine.started:
            engine.check_process()  # a forked process has no worker threads either
            await run_in_worker_thread(engine.start)
        chat = engine.chat_template is not None
        response_format = self._format_of(params, settings)
        messages = self.prepare_messages(messages)
        turns = conversation_turns(messages, response_format, self._model_name)
        system = system_of(messages, params, response_format)
        stops = list(settings.get('stop_sequences', ()))
        body: dict[str, Any] = {
            'max_tokens': MAX_TOKENS if self._requested_name else DEFAULT_WEIGHTS_TOKENS,
            'temperature': 0.0,
            'cache_prompt': True,
            **{name: settings[key] for key, name in _SAMPLING.items() if key in settings},  # type: ignore[literal-required]
        }
        if chat:
            body['messages'] = as_chat(system, turns, engine.chat_template)
        else:
            body['prompt'] = as_questions(system, turns, response_format)
        if response_format.schema is not None:
            body['grammar'] = response_format.grammar('' if chat else ' ', engine.language)
            if chat:  # JSON from the first character on
                body.update(reasoning_format='none', chat_template_kwargs={'enable_thinking': False})
        elif stop := [*stops, *(() if chat else STOPS)]:
            body['stop'] = stop
        if chat and response_format.schema is None and params.thinking is not None:
            body['chat_template_kwargs'] = {'enable_thinking': bool(params.thinking)}
        body.update(as_dict(settings.get('extra_body')))
        loops = settings.get('llamacpp_stop_loops', True)
        return params, _Request(body, chat, response_format, stops, loops, _seconds(settings.get('timeout')))


def _seconds(timeout: Any) -> float | None:
    """Return a timeout in seconds; of a timeout of `httpx`, the one for reading."""
    if timeout is None or isinstance(timeout, (int, float)):
        return timeout
    return getattr(timeout, 'read', None)
