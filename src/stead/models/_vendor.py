"""`VendorModel`: what the models of all vendors share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any, ClassVar
from urllib.parse import urlsplit

from typing_extensions import Self

from .._contracts.model import ModelRequestParameters
from .._contracts.run_context import RunContext
from ..exceptions import UserError
from ..messages import ModelMessage, ModelResponse
from ..profiles import ModelProfileSpec
from ..providers import Provider, infer_provider
from ..settings import ModelSettings
from . import check_allow_model_requests, get_user_agent
from ._base import Model
from ._streaming.fold import VendorStream
from ._streaming.streamed import StreamedResponse
from ._wire_errors import AsModelError, hide_secret, model_errors, unusable


class VendorModel(Model[Any]):
    """A model behind a provider with a client. Subclasses send requests, and read answers."""

    _as_model_error: ClassVar[AsModelError]
    """What the errors of the SDK are in stead."""
    _stream_class: ClassVar[type[Any]]
    """What a streamed answer becomes."""
    _model_name: str
    _provider: Provider[Any]

    def _connect(
        self,
        model_name: str,
        provider: str | Provider[Any],
        profile: ModelProfileSpec | None,
        settings: ModelSettings | None,
    ) -> None:
        """Take what all models are made of."""
        self._model_name = model_name
        self._provider = infer_provider(provider) if isinstance(provider, str) else provider
        super().__init__(settings=settings, profile=profile or self._provider.model_profile)

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Send a request; see `Model.request`.

        Raises:
            ModelHTTPError: The provider answered with an error.
            ModelAPIError: It cannot be reached, or says that something went wrong.
            UnexpectedModelBehavior: It answered with something that is no response.
            UserError: The model does not take what is in the request.
        """
        settings, params = self._prepare(model_settings, model_request_parameters)
        answer = await self._send(messages, settings, params, stream=False)
        return self._decode(answer, settings)

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncIterator[StreamedResponse]:
        """Stream a response; arguments and errors as `request`. It begins when the first event is there."""
        settings, params = self._prepare(model_settings, model_request_parameters)
        stream = await self._send(messages, settings, params, stream=True)
        async with stream:
            first = await self._first_of(stream)
            yield self._streamed(stream, first, settings, params)

    def _prepare(
        self, model_settings: ModelSettings | None, model_request_parameters: ModelRequestParameters
    ) -> tuple[Any, ModelRequestParameters]:
        """Return the settings and the parameters of a request, as they fit the model."""
        check_allow_model_requests()
        settings, params = self.prepare_request(model_settings, model_request_parameters)
        if settings:
            _check_settings(settings)
        return settings or {}, params

    @abstractmethod
    async def _send(
        self, messages: list[ModelMessage], settings: Any, params: ModelRequestParameters, *, stream: bool
    ) -> Any:
        """Send a request, and return what the SDK makes of the answer."""

    @abstractmethod
    def _decode(self, answer: Any, settings: Any) -> ModelResponse:
        """Return the response in an answer."""

    async def _first_of(self, stream: Any) -> Any:
        """Return the first event of a stream: only then is it known that there is an answer."""
        with model_errors(self._error):
            try:
                return await stream.__anext__()
            except StopAsyncIteration:
                raise unusable(self._model_name, 'the stream ended without content or tool calls') from None

    def _streamed(
        self, stream: Any, first: Any, settings: Any, params: ModelRequestParameters, **more: Any
    ) -> VendorStream:
        """Return the response that a stream becomes; `more` is what its class has besides."""
        return self._stream_class(
            model_request_parameters=params,
            _model_name=self._model_name,
            _response=stream,
            _first=first,
            _provider_name=self.system,
            _provider_url=self.base_url,
            _secret=self._secret,
            **more,
        )

    def _error(self, error: Exception) -> Exception:
        hide_secret(error, self._secret)
        return type(self)._as_model_error(error, self._model_name, self._secret)

    async def __aenter__(self) -> Self:
        """Use the connections of the provider."""
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> bool | None:
        """Leave the connections to the event loop, with which they close: other models may use them."""
        return None

    def __repr__(self) -> str:
        return f'{type(self).__name__}({self._model_name!r}, provider={self._provider.name!r})'

    @property
    def provider(self) -> Provider[Any]:
        """The provider, with its client."""
        return self._provider

    @property
    def client(self) -> Any:
        """The client of the vendor's SDK, for the running event loop."""
        return self._provider.client

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


def _check_settings(settings: Any) -> None:
    """Raise `UserError` for a setting that SDKs would stumble over, far from who set it."""
    for name in ('extra_headers', 'extra_body'):
        if not isinstance(settings.get(name), (Mapping, type(None))):
            raise UserError(f'The setting `{name}` is a dict of what to add, not {settings[name]!r}.')
    if isinstance(timeout := settings.get('timeout'), (str, bytes, list, dict)):
        raise UserError(f'The setting `timeout` is a number of seconds, or an `httpx.Timeout`, not {timeout!r}.')


def options_of(settings: Any) -> dict[str, Any]:
    """Return the options of a request that all SDKs have: headers, further fields of the body, and the timeout."""
    headers: dict[str, str] = {'User-Agent': get_user_agent(), **(settings.get('extra_headers') or {})}
    options: dict[str, Any] = {'extra_headers': headers, 'extra_body': settings.get('extra_body')}
    if 'timeout' in settings:
        options['timeout'] = settings['timeout']
    return options


def with_slash(url: str) -> str:
    """Return a URL as SDKs write it: with a slash at its end, if it has a path."""
    return url if url.endswith('/') or not urlsplit(url).path else f'{url}/'
