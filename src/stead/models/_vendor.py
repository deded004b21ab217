"""`VendorModel`: the base class of vendors' models."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any, ClassVar, NamedTuple
from urllib.parse import urlsplit

from typing_extensions import Self

from .._contracts.model import ModelRequestParameters
from .._contracts.run_context import RunContext
from .._kit.json_types import JsonObject, as_dict, as_list, plain
from .._kit.sdk_types import SdkObject
from .._kit.secret import hide_secret
from ..exceptions import UserError
from ..messages import CheckedHistory, ModelMessage, ModelResponse, well_formed_response
from ..profiles import ModelProfile, ModelProfileSpec
from ..providers import Provider, infer_provider
from ..settings import ModelSettings, cache_choice, fitting_retention
from . import check_allow_model_requests, get_user_agent
from ._base import Model
from ._streaming.fold import VendorStream
from ._streaming.streamed import StreamedResponse
from ._wire.body import check_numbers, write_body
from ._wire.door import Door
from ._wire.events import ServerEvent
from ._wire.kept import KeptMessages
from ._wire_errors import AsModelError, error_in, in_stream, model_errors, unusable


class VendorRequest(NamedTuple):
    """A request, adapted to the model that gets it."""

    messages: list[ModelMessage]
    settings: Any
    """The settings; each vendor has a type of its own."""
    params: ModelRequestParameters
    stream: bool
    """Whether the response is streamed."""


class CacheSettings(NamedTuple):
    """The names of the settings that decide what a vendor caches."""

    instructions: str
    tools: str
    messages: str
    others: tuple[str, ...] = ()
    """Settings that are about its cache too."""


class VendorModel(Model):
    """A model of a provider with an SDK client. Subclasses encode requests, send them, and decode responses.

    Each vendor has settings, responses and events of its own types, which have the type `Any` here.
    """

    _as_model_error: ClassVar[AsModelError]
    """Translates the errors of the SDK to stead's."""
    _stream_class: ClassVar[Callable[..., VendorStream]]
    """The class of streamed responses."""
    _decoder: ClassVar[Callable[..., ModelResponse]]
    """Returns stead's response for the plain data of a response."""
    _door: ClassVar[Door | None] = None
    """The way to the API below the SDK's typed method; `None` if there is none."""
    _cache_settings: ClassVar[CacheSettings | None] = None
    """The settings that decide what the vendor caches; `None` if it has none."""
    _model_name: str
    _provider: Provider
    _history: CheckedHistory
    _kept: KeptMessages
    """The messages that were written for the API."""

    def _connect(
        self,
        model_name: str,
        provider: str | Provider,
        profile: ModelProfileSpec | None,
        settings: ModelSettings | None,
    ) -> None:
        """Initialize the model.

        Args:
            model_name: The name of the model.
            provider: The provider, or its name.
            profile: What the model can do; by default the provider's profile for the name.
            settings: Settings for all requests.

        Raises:
            ImportError: The vendor's package is not installed.
            UserError: There is no API key for the provider.
            ValueError: The provider is not known.
        """
        self._model_name = model_name
        self._provider = infer_provider(provider) if isinstance(provider, str) else provider
        self._history = CheckedHistory()
        self._kept = KeptMessages()
        super().__init__(settings=settings, profile=profile or self._provider.model_profile)

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Send a request; see `Model.request`.

        Raises:
            ModelHTTPError: The provider responded with an HTTP error status.
            ModelAPIError: The provider cannot be reached, or reports an error.
            UnexpectedModelBehavior: The response is invalid.
            UserError: The model does not support something in the request.
            RuntimeError: Requests to models are not allowed; see `check_allow_model_requests`.
        """
        request = self._request(messages, model_settings, model_request_parameters)
        return well_formed_response(self._decode(await self._send(request), request.settings))

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncIterator[StreamedResponse]:
        """Stream a response, once its first event has arrived; arguments and errors as `request`."""
        request = self._request(messages, model_settings, model_request_parameters, stream=True)
        stream = await self._send(request)
        async with stream:
            first = await self._first_of(stream)
            yield self._streamed(stream, first, request)

    def _request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        *,
        stream: bool = False,
    ) -> VendorRequest:
        """Return a request with messages, settings and parameters that are adapted to the model."""
        check_allow_model_requests()
        settings, params = self.prepare_request(model_settings, model_request_parameters)
        if settings:
            check_settings(settings)
            if 'cache' in settings:
                settings = with_cache(settings, self._cache_settings, self.profile)
        return VendorRequest(self._history.sendable(messages), settings or {}, params, stream)

    async def _send(self, request: VendorRequest) -> Any:
        """Send a request, and return the response or the stream: as plain data, or as objects of the SDK."""
        door = self._door
        if door is not None and request.settings.get('wire', 'auto') == 'auto' and door.is_open(client := self.client):
            written = await self._write(request)
            if written is not None:
                with model_errors(self._error):
                    response = await door.post(client, *written, stream=request.stream)
                    return door.events(client, response, self._reported) if request.stream else door.read(response)
        check_numbers_of(request.settings, request.params)
        return await self._send_typed(request)

    @abstractmethod
    async def _send_typed(self, request: VendorRequest) -> Any:
        """Send a request with the typed method of the SDK, and return the response or the stream of the SDK."""

    async def _write(self, request: VendorRequest) -> tuple[bytes, JsonObject] | None:
        """Return the body of a request as JSON, and the options for `client.post`; `None` leaves it to the typed method."""
        try:
            fields, options = await self._body(request)
            return write_body({**fields, **as_dict(options['extra_body'])}), post_options(options, request.settings)
        except (TypeError, ValueError):  # the SDK may know better, and has errors of its own
            return None

    async def _body(self, request: VendorRequest) -> tuple[JsonObject, JsonObject]:
        """Return the fields of a request, with messages as JSON, and options for the SDK; models with a `_door` override this."""
        raise NotImplementedError

    def _reported(self, client: SdkObject, response: SdkObject, event: ServerEvent, data: object) -> Exception | None:
        """Return the SDK's error for an event of a stream that reports one; here by the format of OpenAI."""
        return error_in(type(client).__module__.partition('.')[0], response, data)

    def _decode(self, answer: Any, settings: Any) -> ModelResponse:
        """Return stead's response for a response of the SDK."""
        return self._decoder(plain(answer), **self._origin, **self._decoder_options(settings))

    @property
    def _origin(self) -> JsonObject:
        """Where responses come from, as decoders are told."""
        return {'model_name': self._model_name, 'provider_name': self.system, 'provider_url': self.base_url}

    def _decoder_options(self, settings: Any) -> JsonObject:
        """Return what the decoder of responses needs in addition; with `_` before their names, fields of streamed responses."""
        return {}

    async def _first_of(self, stream: Any) -> Any:
        """Return the first event of a stream, and raise the errors that prevent one.

        Only the first event shows that there is a response, which callers such as `FallbackModel` need to know.
        """
        with model_errors(lambda error: in_stream(self._error(error))):
            try:
                return await stream.__anext__()
            except StopAsyncIteration:
                raise unusable(self._model_name, 'the stream ended without content or tool calls') from None

    def _streamed(self, stream: Any, first: object, request: VendorRequest, **extra: object) -> VendorStream:
        """Return the response for a stream of the SDK; `extra` are further fields of its class."""
        return self._stream_class(
            model_request_parameters=request.params,
            _model_name=self._model_name,
            _response=stream,
            _first=first,
            _provider_name=self.system,
            _provider_url=self.base_url,
            _secret=self._secret,
            **{f'_{name}': value for name, value in self._decoder_options(request.settings).items()},
            **extra,
        )

    def _error(self, error: Exception) -> Exception:
        hide_secret(error, self._secret)
        return type(self)._as_model_error(error, self._model_name, self._secret)

    async def __aenter__(self) -> Self:
        """Return the model. It opens nothing, since its connections are those of the provider."""
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> bool | None:
        """Close nothing. Other models may share the connections, which close with their event loop."""
        return None

    def __repr__(self) -> str:
        return f'{type(self).__name__}({self._model_name!r}, provider={self._provider.name!r})'

    @property
    def provider(self) -> Provider:
        """The provider, with its client."""
        return self._provider

    @property
    def client(self) -> Any:
        """The client of the SDK, for the running event loop."""
        return self._provider.client

    def _client_for(self, settings: ModelSettings) -> Any:
        """Return the client for one request: with retries of its own, where the settings say so."""
        client, retries = self.client, settings.get('max_retries')
        if retries is None or getattr(client, 'max_retries', retries) == retries:
            return client
        return client.with_options(max_retries=retries)

    @property
    def base_url(self) -> str:
        """The URL that requests go to."""
        return self._provider.base_url

    @property
    def model_name(self) -> str:
        """The name of the model."""
        return self._model_name

    @property
    def system(self) -> str:
        """The name of the provider."""
        return self._provider.name

    @property
    def _secret(self) -> str | None:
        return getattr(self._provider, 'secret', None)


def check_numbers_of(settings: ModelSettings, params: ModelRequestParameters) -> None:
    """Check the numbers in the settings and the tools of a request: not all SDKs do, and their own errors would not say where.

    Raises:
        UserError: One of them is one that JSON does not have.
    """
    tools = {tool.name: tool.parameters_json_schema for tool in (*params.function_tools, *params.output_tools)}
    check_numbers({**settings, 'timeout': None, 'tools': tools})


def check_settings(settings: ModelSettings) -> None:
    """Check settings of types that SDKs do not check: their own errors would not name the setting.

    Raises:
        UserError: A setting has a value of the wrong type.
    """
    for name in ('extra_headers', 'extra_body'):
        if not isinstance(value := settings.get(name), (Mapping, type(None))):
            raise UserError(f'The setting `{name}` must be a dict, not {value!r}.')
    for name, value in (settings.get('extra_headers') or {}).items():
        if _is_no_header(value):
            raise UserError(
                f'The header {name!r} in the setting `extra_headers` must be one line of text, not {value!r}.'
            )
    timeout = settings.get('timeout')
    if isinstance(timeout, (str, bytes, list, dict)) or (isinstance(timeout, (int, float)) and not timeout >= 0):
        raise UserError(f'The setting `timeout` must be a number of seconds or an `httpx.Timeout`, not {timeout!r}.')
    retries: object = settings.get('max_retries')
    if retries is not None and (type(retries) is not int or retries < 0):
        raise UserError(f'The setting `max_retries` must be a whole number from 0, not {retries!r}.')
    if isinstance(limit := settings.get('max_tokens'), (str, bytes, list, dict)):
        raise UserError(f'The setting `max_tokens` must be a number, not {limit!r}.')
    stops: object = settings.get('stop_sequences')
    if any(not isinstance(stop, str) for stop in as_list(stops)):
        raise UserError(f'The setting `stop_sequences` must be a list of texts, not {stops!r}.')
    if (wire := as_dict(settings).get('wire', 'auto')) not in ('auto', 'sdk'):
        raise UserError(f"The setting `wire` must be 'auto' or 'sdk', not {wire!r}.")


def with_cache(settings: ModelSettings, names: CacheSettings | None, profile: ModelProfile) -> ModelSettings:
    """Return settings in which those of a vendor stand for the setting `cache`, unless they have one of those.

    Raises:
        UserError: `cache` is none of its values.
    """
    retention, messages = cache_choice(settings.get('cache'))
    if names is None or not retention or not profile.supports_cache:
        return settings
    if any(name in settings for name in (names.instructions, names.tools, names.messages, *names.others)):
        return settings
    retention = fitting_retention(retention, profile.supported_cache_retentions)
    own: JsonObject = {names.instructions: retention, names.tools: retention}
    if messages:
        own[names.messages] = retention
    return {**settings, **own}  # type: ignore[return-value]


def _is_no_header(value: object) -> bool:
    if isinstance(value, str):
        return '\n' in value or '\r' in value or '\0' in value
    return value is None or isinstance(value, (int, float, list, dict))


def options_of(settings: ModelSettings) -> dict[str, Any]:
    """Return the options that all SDKs accept for a request: headers, further fields of the body, and the timeout."""
    headers: dict[str, str] = {'User-Agent': get_user_agent(), **(settings.get('extra_headers') or {})}
    options: dict[str, Any] = {'extra_headers': headers, 'extra_body': settings.get('extra_body')}
    if 'timeout' in settings:
        options['timeout'] = settings['timeout']
    return options


def post_options(options: JsonObject, settings: ModelSettings) -> JsonObject:
    """Return the options of a typed method, from `options_of`, in the form that `client.post` takes them."""
    posted = {'headers': options['extra_headers']}
    if (retries := settings.get('max_retries')) is not None:
        posted['max_retries'] = retries
    if 'timeout' in options:
        posted['timeout'] = options['timeout']
    return posted


def with_slash(url: str) -> str:
    """Return a URL in the form of the SDKs: with a slash at the end, if it has a path."""
    return url if url.endswith('/') or not urlsplit(url).path else f'{url}/'
