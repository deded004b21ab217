"""`VendorModel` and `VendorStream`: what the models of all vendors share."""

from __future__ import annotations

from datetime import datetime
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

from typing_extensions import Self

from .._contracts.model import Model
from .._contracts.streamed import StreamedResponse
from ..exceptions import ModelAPIError
from ..profiles import ModelProfileSpec
from ..providers import Provider, infer_provider
from ..settings import ModelSettings
from . import get_user_agent


class VendorStream(StreamedResponse):
    """The response of a vendor's model while it comes in; subclasses are records that have these fields."""

    _model_name: str
    _provider_name: str
    _provider_url: str
    _response: Any
    _timestamp: datetime

    async def close_stream(self) -> None:
        """Close the connection."""
        await self._response.close()

    def get_stream_cancel_errors(self) -> tuple[type[BaseException], ...]:
        """Return the errors of a connection that is closed under its reader."""
        return (ModelAPIError,)

    @property
    def model_name(self) -> str:
        """The name of the model, as the provider says it."""
        return self._model_name

    @property
    def provider_name(self) -> str:
        """The provider."""
        return self._provider_name

    @property
    def provider_url(self) -> str:
        """The URL that the response comes from."""
        return self._provider_url

    @property
    def timestamp(self) -> datetime:
        """When the response began."""
        return self._timestamp


class VendorModel(Model[Any]):
    """A model behind a provider with a client."""

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


def plain(value: Any) -> Any:
    """Return an object of an SDK as plain data; SDKs do not check what servers send, and neither does this."""
    dump = getattr(value, 'model_dump', None)
    return value if dump is None else dump(exclude_unset=True, warnings=False)
