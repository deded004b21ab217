"""`OutlinesModel`: a model that Outlines runs."""

from __future__ import annotations

import threading
import warnings
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from typing_extensions import Self, deprecated

from ..._contracts.model import ModelRequestParameters
from ..._contracts.run_context import RunContext
from ..._kit.json_types import JsonObject
from ..._kit.sdk_types import SdkObject
from ..._kit.threads import run_in_worker_thread
from ...exceptions import PydanticAIDeprecationWarning
from ...messages import CheckedHistory, ModelMessage, ModelResponse, TextPart, ThinkingPart
from ...native_tools import AbstractNativeTool
from ...profiles import ModelProfileSpec
from ...providers import Provider
from ...providers.outlines import PROFILE
from ...settings import ModelSettings
from .. import check_allow_model_requests
from .._base import Model
from .._chat_completions.response import split_thinking
from .._media import download_all
from .._streaming.streamed import StreamedResponse
from .._vendor import check_numbers_of, check_settings
from .._wire_errors import model_errors, unusable
from ._backends import as_model_error, chat_of, load_outlines, require_backend, require_decoder, sampling_parameters
from ._request import (
    VLLM,
    arguments_of,
    check_parameters,
    download_format,
    encode,
    generation_arguments,
    kind_of,
    request_options,
)
from ._stream import OutlinesStreamedResponse, Pieces

_NAME = 'outlines-model'
_DEPRECATED = (
    '`OutlinesModel` is deprecated, as it is in the mirrored interface; `local:` runs models in this process, too.'
)


@deprecated(_DEPRECATED, category=PydanticAIDeprecationWarning)
@dataclass(init=False, repr=False)
class OutlinesModel(Model):
    """A model that Outlines runs: text and images in, text or JSON out, no tools.

    A model in this process works in a thread, for one request at a time.
    """

    def __init__(
        self,
        model: SdkObject,
        *,
        provider: Literal['outlines'] | Provider = 'outlines',
        profile: ModelProfileSpec | None = None,
        settings: ModelSettings | None = None,
    ) -> None:
        """Wrap a model.

        Args:
            model: A model of Outlines, an `outlines.models.base.Model` or `AsyncModel`.
            provider: The provider, which only has the profile; or its name.
            profile: The capabilities of the model; by default, those of Outlines.
            settings: Settings for all requests; those of agents and runs override them.

        Raises:
            ImportError: The package outlines is not installed.
        """
        base = load_outlines('outlines.models.base')
        self.model: SdkObject = model
        self._provider = None if isinstance(provider, str) else provider
        self._is_async = isinstance(model, base.AsyncModel)
        self._turn = threading.Lock()
        self._history = CheckedHistory()
        default = PROFILE if self._provider is None else self._provider.model_profile(_NAME) or PROFILE
        super().__init__(settings=settings, profile=profile or default)

    @classmethod
    def _of(
        cls, model: SdkObject, provider: Any, profile: ModelProfileSpec | None, settings: ModelSettings | None
    ) -> Self:
        """Return a model for a class method, with a warning that names the line that called it."""
        warnings.warn(_DEPRECATED, PydanticAIDeprecationWarning, stacklevel=3)
        wrapped = object.__new__(cls)
        cls.__init__(wrapped, model, provider=provider, profile=profile, settings=settings)
        return wrapped

    @classmethod
    def from_transformers(
        cls,
        hf_model: SdkObject,
        hf_tokenizer_or_processor: SdkObject,
        *,
        provider: Literal['outlines'] | Provider = 'outlines',
        profile: ModelProfileSpec | None = None,
        settings: ModelSettings | None = None,
    ) -> Self:
        """Return a model that Transformers runs.

        Args:
            hf_model: The model, a `transformers.PreTrainedModel`.
            hf_tokenizer_or_processor: Its tokenizer, or its processor if it reads images, too.
            provider: As for the class; so are `profile` and `settings`.
            profile: The capabilities of the model.
            settings: Settings for all requests.

        Raises:
            ImportError: A package is not installed.
        """
        require_backend('transformers', extra='transformers', what='`OutlinesModel.from_transformers`')
        model = load_outlines('outlines.models.transformers').from_transformers(hf_model, hf_tokenizer_or_processor)
        return cls._of(model, provider, profile, settings)

    @classmethod
    def from_llamacpp(
        cls,
        llama_model: SdkObject,
        *,
        provider: Literal['outlines'] | Provider = 'outlines',
        profile: ModelProfileSpec | None = None,
        settings: ModelSettings | None = None,
    ) -> Self:
        """Return a model that llama.cpp runs, a `llama_cpp.Llama`; the rest is as in `from_transformers`."""
        require_backend('llama_cpp', extra='llamacpp', what='`OutlinesModel.from_llamacpp`')
        model = load_outlines('outlines.models.llamacpp').from_llamacpp(llama_model)
        return cls._of(model, provider, profile, settings)

    @classmethod
    def from_mlxlm(
        cls,
        mlx_model: SdkObject,
        mlx_tokenizer: SdkObject,
        *,
        provider: Literal['outlines'] | Provider = 'outlines',
        profile: ModelProfileSpec | None = None,
        settings: ModelSettings | None = None,
    ) -> Self:
        """Return a model that MLX runs on Apple's processors, with its tokenizer; the rest is as in `from_transformers`."""
        require_backend('mlx_lm', extra='mlxlm', what='`OutlinesModel.from_mlxlm`')
        model = load_outlines('outlines.models.mlxlm').from_mlxlm(mlx_model, mlx_tokenizer)
        return cls._of(model, provider, profile, settings)

    @classmethod
    def from_sglang(
        cls,
        base_url: str,
        api_key: str | None = None,
        model_name: str | None = None,
        *,
        provider: Literal['outlines'] | Provider = 'outlines',
        profile: ModelProfileSpec | None = None,
        settings: ModelSettings | None = None,
    ) -> Self:
        """Return a model on a server of SGLang.

        Args:
            base_url: The URL of the server.
            api_key: Its key, if it needs one.
            model_name: The name of the model there.
            provider: As for the class; so are `profile` and `settings`.
            profile: The capabilities of the model.
            settings: Settings for all requests.

        Raises:
            ImportError: A package is not installed.
        """
        require_backend('openai', extra='sglang', what='`OutlinesModel.from_sglang`')
        client: SdkObject = load_outlines('openai').AsyncOpenAI(
            base_url=base_url,
            api_key=api_key or 'api-key-not-set',
            default_headers={
                'Connection': 'close'
            },  # it may be used in several event loops, which share no connections
        )
        model = load_outlines('outlines.models.sglang').from_sglang(client, model_name)
        return cls._of(model, provider, profile, settings)

    @classmethod
    def from_vllm_offline(
        cls,
        vllm_model: SdkObject,
        *,
        provider: Literal['outlines'] | Provider = 'outlines',
        profile: ModelProfileSpec | None = None,
        settings: ModelSettings | None = None,
    ) -> Self:
        """Return a model that vLLM runs in this process, a `vllm.LLM`; the rest is as in `from_transformers`."""
        require_backend('vllm', extra=None, what='`OutlinesModel.from_vllm_offline`')
        model = load_outlines('outlines.models.vllm_offline').from_vllm_offline(vllm_model)
        return cls._of(model, provider, profile, settings)

    @property
    def provider(self) -> Provider | None:
        """The provider, if one was passed."""
        return self._provider

    @property
    def model_name(self) -> str:
        """The name of the model, which is the same for all of them."""
        return _NAME

    @property
    def system(self) -> str:
        """The name of the provider."""
        return 'outlines'

    @classmethod
    def supported_native_tools(cls) -> frozenset[type[AbstractNativeTool]]:
        """Return the native tools that the model class supports: none."""
        return frozenset()

    def format_inference_kwargs(self, model_settings: ModelSettings | None) -> dict[str, Any]:
        """Return the arguments that the backend of the model takes for settings, and those in `extra_body`.

        Raises:
            ImportError: vLLM is not installed.
        """
        settings: JsonObject = {**(model_settings or {})}
        kind = kind_of(self.model)
        return sampling_parameters(settings) if kind == VLLM else arguments_of(settings, kind)

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Ask the model; see `Model.request`.

        Raises:
            ImportError: A package that holds answers to the schema of the output is not installed.
            ModelAPIError: A server failed, or cannot be reached.
            UnexpectedModelBehavior: The answer is not a text.
            UserError: The model does not support something in the request.
        """
        chat, output, arguments = await self._prepare(messages, model_settings, model_request_parameters)
        with model_errors(self._error):
            if self._is_async:
                text = await self.model(chat, output, **arguments)
            else:
                text = await run_in_worker_thread(partial(self._ask, chat, output, arguments))
        if not isinstance(text, str):
            raise unusable(_NAME, 'it is not one text', text)
        pieces = split_thinking(text, self.profile.thinking_tags)
        return ModelResponse(
            parts=[ThinkingPart(piece) if is_thinking else TextPart(piece) for is_thinking, piece in pieces],
            model_name=_NAME,
            provider_name=self.system,
        )

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncIterator[StreamedResponse]:
        """Stream an answer, once its first text has come; arguments and errors as `request`."""
        chat, output, arguments = await self._prepare(messages, model_settings, model_request_parameters)

        async def read(pieces: Pieces) -> None:
            if self._is_async:
                async for text in self.model.stream(chat, output, **arguments):
                    pieces.put(text)
            else:
                begin = partial(self.model.stream, chat, output, **arguments)
                await run_in_worker_thread(partial(self._write, begin, pieces))

        pieces = Pieces(read, _NAME)
        try:
            with model_errors(self._error):
                try:
                    first = await pieces.__anext__()
                except StopAsyncIteration:
                    raise unusable(_NAME, 'it is empty') from None
            yield OutlinesStreamedResponse(
                model_request_parameters=self._adapted(model_settings, model_request_parameters)[1],
                _model_name=_NAME,
                _model_profile=self.profile,
                _response=pieces,
                _provider_name=self.system,
                _first=first,
                _translate=self._error,
            )
        finally:
            await pieces.close()

    def _adapted(
        self, model_settings: ModelSettings | None, params: ModelRequestParameters
    ) -> tuple[ModelSettings | None, ModelRequestParameters]:
        return self.prepare_request(model_settings, params)

    async def _prepare(
        self, messages: list[ModelMessage], model_settings: ModelSettings | None, params: ModelRequestParameters
    ) -> tuple[SdkObject, SdkObject, dict[str, Any]]:
        """Return the chat, the type of the output, and the arguments of the backend."""
        check_allow_model_requests()
        settings, params = self._adapted(model_settings, params)
        check_parameters(params)
        if settings:
            check_settings(settings)
            check_numbers_of(settings, params)
        output = None
        if params.output_object is not None:
            require_decoder(kind_of(self.model))
            output = load_outlines('outlines.types').JsonSchema(params.output_object.json_schema)
        sendable = self._history.sendable(messages)
        downloads = await download_all(sendable, download_format)
        kind = kind_of(self.model)
        arguments = generation_arguments(self.format_inference_kwargs(settings), kind)
        arguments = {**request_options({**(settings or {})}, kind), **arguments}
        return chat_of(encode(sendable, params, downloads)), output, arguments

    def _ask(self, chat: SdkObject, output: SdkObject, arguments: dict[str, Any]) -> SdkObject:
        """Ask a model in this process, in a worker thread."""
        with self._turn:
            return self.model(chat, output, **arguments)

    def _write(self, begin: Callable[[], Iterator[str]], pieces: Pieces) -> None:
        """Let a model in this process write, in a worker thread, until it ends or its reader has left."""
        with self._turn:
            for text in () if pieces.left.is_set() else begin():
                if pieces.left.is_set():
                    return
                pieces.put(text)

    def _error(self, error: Exception) -> Exception:
        client = getattr(self.model, 'client', None)
        secret = getattr(client, 'api_key', None)
        return as_model_error(error, _NAME, secret if isinstance(secret, str) else None, remote=client is not None)

    def __repr__(self) -> str:
        return f'{type(self).__name__}({type(self.model).__name__})'
