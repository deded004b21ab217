"""Google's Gemini API."""

from __future__ import annotations

import os
import warnings
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from types import ModuleType
from typing import Any, Literal

from typing_extensions import TypeAlias

from .._kit.extras import load_extra, shared_tls
from .._kit.sdk_types import GoogleClient, GoogleCredentials, HttpxAsyncClient, HttpxRequest, HttpxResponse
from .._kit.secret import Secret
from ..exceptions import PydanticAIDeprecationWarning, UserError
from ..profiles import ModelProfile
from ..profiles.google import google_model_profile
from ._client import CONNECT_TIMEOUT, TIMEOUT, ClientProvider, missing_key

GoogleCloudLocation: TypeAlias = Literal[
    'asia-east1',
    'asia-east2',
    'asia-northeast1',
    'asia-northeast3',
    'asia-south1',
    'asia-southeast1',
    'australia-southeast1',
    'europe-central2',
    'europe-north1',
    'europe-southwest1',
    'europe-west1',
    'europe-west2',
    'europe-west3',
    'europe-west4',
    'europe-west6',
    'europe-west8',
    'europe-west9',
    'me-central1',
    'me-central2',
    'me-west1',
    'northamerica-northeast1',
    'southamerica-east1',
    'us-central1',
    'us-east1',
    'us-east4',
    'us-east5',
    'us-south1',
    'us-west1',
    'us-west4',
]
"""A location where Google Cloud runs models."""
VertexAILocation: TypeAlias = GoogleCloudLocation
"""Deprecated name of `GoogleCloudLocation`."""


class BaseGoogleProvider(ClientProvider):
    """A provider with a client of Google's SDK for each event loop. Subclasses choose the API."""

    sdk_module = 'google.genai'
    sdk_extra = 'google'
    label = 'Google'

    _http_client: HttpxAsyncClient | None = None
    _credentials: GoogleCredentials | None = None
    _project: str | None = None
    _location: str | None = None

    @property
    @abstractmethod
    def is_cloud(self) -> bool:
        """Whether requests go to Google Cloud."""

    def _connect(self, client: GoogleClient | None, http_client: HttpxAsyncClient | None, base_url: str | None) -> None:
        """Use the client that was passed in, or prepare to build one for each event loop."""
        self._http_client = http_client
        self._url = base_url
        if not self._use_client(client):
            self._prepare(http_client)

    def _new_client(self, sdk: ModuleType) -> Any:
        return sdk.Client(**self._client_options(sdk))

    def _client_options(self, sdk: ModuleType) -> dict[str, Any]:
        tls = shared_tls()
        http: dict[str, Any] = {
            'httpx_async_client': self._http_client or _http_class()(verify=tls),
            # For clients that the SDK always builds, and that are never used: it would load the certificates for each.
            'client_args': {'verify': tls},
            'async_client_args': {'verify': tls, 'ssl': tls},
        }
        if self._url is not None:
            http['base_url'] = self._url
        options: dict[str, Any] = {'http_options': http, 'vertexai': self.is_cloud}
        if not self.is_cloud or self._key is not None:
            return {**options, 'api_key': self._key}
        options.update(project=self._project, location=self._location, credentials=self._credentials)
        return options

    def _find_project(self) -> None:
        """Find the credentials for Google Cloud and their project, unless a project was passed.

        Raises:
            ImportError: The package google-genai is not installed.
            UserError: There are no credentials.
        """
        if self._project is not None:
            return
        load_extra('google.genai', extra='google', what=f'The provider {self.name!r}')
        import google.auth
        from google.auth.exceptions import DefaultCredentialsError

        try:
            credentials, project = google.auth.default(scopes=['https://www.googleapis.com/auth/cloud-platform'])  # type: ignore[reportUnknownMemberType]
        except DefaultCredentialsError as error:
            raise UserError(
                'There is no access to Google Cloud. Pass `api_key`, or `project` and `credentials`, set the environment '
                'variable `GOOGLE_API_KEY`, or log in with `gcloud auth application-default login`.'
            ) from error
        self._credentials = self._credentials or credentials
        self._project = project

    @staticmethod
    async def _close_client(client: Any) -> None:
        await client._api_client._http_options.httpx_async_client.aclose()
        client.close()

    @staticmethod
    def _url_of(client: Any) -> str:
        return str(client._api_client._http_options.base_url)

    @staticmethod
    def _key_of(client: Any) -> object:
        return getattr(getattr(client, '_api_client', None), 'api_key', None)

    @property
    def base_url(self) -> str:
        """The URL that requests go to."""
        return super().base_url or self._default_url()

    def _default_url(self) -> str:
        if not self.is_cloud:
            return os.environ.get('GOOGLE_GEMINI_BASE_URL') or 'https://generativelanguage.googleapis.com/'
        if url := os.environ.get('GOOGLE_VERTEX_BASE_URL'):
            return url
        if self._key is not None or self._location in (None, 'global'):
            return 'https://aiplatform.googleapis.com/'
        return f'https://{self._location}-aiplatform.googleapis.com/'

    @property
    def secret(self) -> str | None:
        """The API key, or the current access token of the credentials, which errors must not show."""
        key: object = super().secret or getattr(self._credentials, 'token', None)
        return key if isinstance(key, str) else None

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return the profile of a model by its name."""
        return google_model_profile(model_name)


class GoogleProvider(BaseGoogleProvider):
    """The provider for Google's Gemini API."""

    provider_name = 'google'

    def __init__(
        self,
        *,
        api_key: str | None = None,
        credentials: GoogleCredentials | None = None,
        project: str | None = None,
        location: GoogleCloudLocation | str | None = None,
        vertexai: bool | None = None,
        client: GoogleClient | None = None,
        http_client: HttpxAsyncClient | None = None,
        base_url: str | None = None,
    ) -> None:
        """Connect to the Gemini API.

        Args:
            api_key: The API key; by default from the environment variable `GOOGLE_API_KEY`, or `GEMINI_API_KEY`.
            credentials: Deprecated: use `GoogleCloudProvider`.
            project: Deprecated: use `GoogleCloudProvider`.
            location: Deprecated: use `GoogleCloudProvider`.
            vertexai: Deprecated: use `GoogleCloudProvider`.
            client: A `google.genai.Client` to use as is.
            http_client: An `httpx.AsyncClient` to use. It belongs to one event loop.
            base_url: A URL to use instead of the default.

        Raises:
            ImportError: The package google-genai is not installed.
            UserError: There is no API key, or, with the deprecated arguments, no access to Google Cloud.
        """
        on_cloud = bool(vertexai) or project is not None or location is not None or credentials is not None
        self._vertexai = on_cloud if client is None else bool(getattr(client, 'vertexai', False))
        if client is None and on_cloud:
            warnings.warn(
                '`GoogleProvider` is for the Gemini API: use `GoogleCloudProvider(...)` for Google Cloud, with the same '
                'arguments but `vertexai`.',
                PydanticAIDeprecationWarning,
                stacklevel=2,
            )
            choose_credentials(self, api_key, credentials, project, location)
        elif client is None:
            if vertexai is not None:
                warnings.warn(
                    '`vertexai=False` is the default of `GoogleProvider`, and deprecated: leave it out.',
                    PydanticAIDeprecationWarning,
                    stacklevel=2,
                )
            key = api_key or key_from_environment()
            if not key:
                raise missing_key(self.label, 'GOOGLE_API_KEY', where='GoogleProvider(api_key=...)')
            self._key = Secret(key)
        self._connect(client, http_client, base_url)

    @property
    def is_cloud(self) -> bool:
        """Whether requests go to Google Cloud."""
        return self._vertexai


def key_from_environment() -> str | None:
    """Return the API key in the environment variables, if there is one."""
    return os.environ.get('GOOGLE_API_KEY') or os.environ.get('GEMINI_API_KEY') or None


def choose_credentials(
    provider: BaseGoogleProvider,
    api_key: str | None,
    credentials: GoogleCredentials | None,
    project: str | None,
    location: str | None,
) -> None:
    """Choose between an API key and a project on Google Cloud. Arguments take precedence over the environment.

    Raises:
        UserError: There is neither a key nor access to a project.
    """
    by_project = credentials is not None or project is not None or location is not None
    key = None if by_project else api_key or key_from_environment()
    provider._key = None if key is None else Secret(key)
    if key is None:
        provider._credentials = credentials
        provider._project = project or os.environ.get('GOOGLE_CLOUD_PROJECT')
        provider._location = location or os.environ.get('GOOGLE_CLOUD_LOCATION') or 'us-central1'
        provider._find_project()


_watched: ContextVar[list[HttpxResponse] | None] = ContextVar('stead_google_connections', default=None)


@contextmanager
def watching_connections() -> Iterator[list[HttpxResponse]]:
    """Collect the HTTP responses of streams that are opened in the `with` block.

    They must be closed to cancel a stream, and the SDK does not expose them.
    """
    responses: list[HttpxResponse] = []
    token = _watched.set(responses)
    try:
        yield responses
    finally:
        _watched.reset(token)


def watch(response: Any) -> None:
    """Have a response collected by the `watching_connections` block around, unless it is already."""
    if (responses := _watched.get()) is not None and all(known is not response for known in responses):
        responses.append(response)


@cache
def _http_class() -> type[HttpxAsyncClient]:
    """Return the class of HTTP clients. It is built here so that httpx loads on first use."""
    import httpx

    class GoogleHttpClient(httpx.AsyncClient):
        """An HTTP client with default timeouts: the SDK passes `None` unless a request has one, which would mean no limit."""

        def __init__(self, **options: Any) -> None:
            super().__init__(timeout=httpx.Timeout(TIMEOUT, connect=CONNECT_TIMEOUT), follow_redirects=True, **options)

        def build_request(self, *args: Any, **options: Any) -> HttpxRequest:
            if options.get('timeout') is None:
                options['timeout'] = self.timeout
            return super().build_request(*args, **options)

        async def send(self, request: HttpxRequest, *, stream: bool = False, **options: Any) -> HttpxResponse:
            response = await super().send(request, stream=stream, **options)
            if stream and (responses := _watched.get()) is not None:
                responses.append(response)
            return response

    return GoogleHttpClient


__all__ = ('BaseGoogleProvider', 'GoogleCloudLocation', 'GoogleProvider', 'VertexAILocation')
