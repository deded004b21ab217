"""`OpenAICompatibleProvider`: the mould of providers that speak OpenAI's protocol."""

from __future__ import annotations

import os
from types import TracebackType
from typing import Any

from .._kit.extras import load_extra, require_extra, shared_tls
from .._kit.per_loop import PerLoop
from ..exceptions import UserError
from ..profiles import ModelProfile
from ..profiles.openai import OpenAIJsonSchemaTransformer, OpenAIModelProfile
from . import Provider


class OpenAICompatibleProvider(Provider[Any]):
    """A provider that speaks OpenAI's protocol. Subclasses say its name, address and environment variables."""

    provider_name: str
    """The name of the provider."""
    label: str
    """Its name for people."""
    api_url: str
    """Where requests go unless told otherwise."""
    key_variables: tuple[str, ...]
    """The environment variables that may have the key."""
    url_variable: str | None = None
    """The environment variable that may have another URL."""

    def _connect(
        self,
        *,
        api_key: str | None,
        base_url: str | None = None,
        openai_client: Any = None,
        http_client: Any = None,
        headers: dict[str, str] | None = None,
        fallback_key: str | None = None,
    ) -> None:
        """Take the client that was passed in, or prepare to make one for each event loop."""
        require_extra('openai', extra='openai', what=f'The provider {self.provider_name!r}')
        self._given: Any = openai_client
        self._url = base_url or (os.environ.get(self.url_variable) if self.url_variable else None) or self.api_url
        self._clients: PerLoop[Any] | None = None
        if openai_client is not None:
            if http_client is not None or api_key is not None:
                raise UserError(
                    f'{type(self).__name__} takes `openai_client`, or what to make one of: not `api_key` or '
                    '`http_client` as well.'
                )
            return
        key = api_key or next((os.environ[name] for name in self.key_variables if os.environ.get(name)), fallback_key)
        if not key:
            variables = ' or '.join(f'`{name}`' for name in self.key_variables)
            raise UserError(
                f'There is no API key for {self.label}. Set the environment variable {variables}, '
                f'or pass it as `{type(self).__name__}(api_key=...)`.'
            )
        options: dict[str, Any] = {'base_url': self._url, 'api_key': key}
        if http_client is not None:
            options['http_client'] = http_client
        if headers:
            options['default_headers'] = headers
        self._options = options
        if http_client is not None:  # it decides on which event loop it is used
            self._given = self._make_client()
        else:
            self._clients = PerLoop(self._make_client, _close)

    def _make_client(self) -> Any:
        sdk = load_extra('openai', extra='openai', what=f'The provider {self.provider_name!r}')
        return sdk.AsyncOpenAI(**self._client_options(sdk))

    def _client_options(self, sdk: Any) -> dict[str, Any]:
        http = self._options.get('http_client') or sdk.DefaultAsyncHttpxClient(verify=shared_tls())
        return {**self._options, 'http_client': http}

    @property
    def name(self) -> str:
        """The name of the provider."""
        return self.provider_name

    @property
    def base_url(self) -> str:
        """The URL that requests go to."""
        return str(self._given.base_url) if self._given is not None else self._url

    @property
    def client(self) -> Any:
        """The `openai.AsyncOpenAI`: that which was passed in, or that of the running event loop."""
        return self._given if self._clients is None else self._clients.get()

    @property
    def secret(self) -> str | None:
        """The key, to keep it out of errors."""
        key = getattr(self._given, 'api_key', None) if self._clients is None else self._options['api_key']
        return key if isinstance(key, str) else None

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> bool | None:
        """Close the connections of the running event loop; a client that was passed in stays open."""
        if self._clients is not None:
            await self._clients.close()
        return None


async def _close(client: Any) -> None:
    await client.close()


def openai_compatible(profile: ModelProfile | None, **changes: Any) -> OpenAIModelProfile:
    """Return the profile of a model behind OpenAI's protocol: its family's, with a transformer of schemas.

    Args:
        profile: What is known about the family.
        changes: What the provider makes of it; the family's profile goes over these.
    """
    return OpenAIModelProfile(json_schema_transformer=OpenAIJsonSchemaTransformer, **changes).update(profile)


__all__ = ('OpenAICompatibleProvider', 'openai_compatible')
