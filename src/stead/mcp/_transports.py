"""Ways to reach a server: what may be passed as one, and the streams or session it leads to."""

from __future__ import annotations

import re
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

from ..exceptions import UserError
from ._wire import is_v1, sdk

HTTP_TIMEOUT = 30.0
STREAM_TIMEOUT = 300.0
_SCRIPTS = {'.py': sys.executable, '.js': 'node'}


@dataclass
class Http:
    """A server behind a URL.

    `sse` says whether it speaks the older transport of server-sent events; by default that is told from the URL.
    """

    url: str
    headers: dict[str, str] | None = None
    http_client: Any = None
    auth: Any = None
    verify: Any = None
    sse: bool | None = None
    timeout: float = HTTP_TIMEOUT
    stream_timeout: float = STREAM_TIMEOUT

    def __post_init__(self) -> None:
        if self.http_client is not None and any(value is not None for value in (self.headers, self.auth, self.verify)):
            raise UserError(
                'Headers, `auth` and `verify` are settings of the HTTP client. Set them on your `http_client`, or let one be '
                'made.'
            )
        if self.auth == 'oauth':
            raise UserError(
                "`auth='oauth'` is not supported. Pass the `OAuthClientProvider` of `mcp.client.auth` with your storage and "
                'handlers, or a bearer token as text.'
            )
        if self.sse is None:
            self.sse = bool(re.search(r'/sse(/|\?|&|$)', self.url))

    @property
    def label(self) -> str:
        """What it is called in messages: the URL without what may be secret in it."""
        parts = urlsplit(self.url)
        return parts._replace(netloc=parts.netloc.rpartition('@')[2], query='', fragment='').geturl()

    def streams(self) -> AbstractAsyncContextManager[Any]:
        """Return a context manager of the streams to it."""
        sdk()
        if self.sse:
            from mcp.client.sse import sse_client

            return sse_client(
                self.url,
                timeout=self.timeout,
                sse_read_timeout=self.stream_timeout,
                httpx_client_factory=lambda **options: self._client(**options),  # type: ignore[reportArgumentType]
            )
        return self._streamable()

    @asynccontextmanager
    async def _streamable(self) -> AsyncIterator[Any]:
        from mcp.client import streamable_http

        connect: Any = getattr(streamable_http, 'streamable_http_client', None)
        if connect is None:
            raise ImportError('Streamable HTTP needs a newer release of the package `mcp`: 1.24 or later.', name='mcp')
        client = self._client()
        if self.http_client is not None:
            async with connect(self.url, http_client=client) as streams:
                yield streams
            return
        async with client, connect(self.url, http_client=client) as streams:
            yield streams

    def _client(self, **options: Any) -> Any:
        """Return the HTTP client: your own, or one with these settings."""
        if is_v1():
            import httpx as library
        else:
            import httpx2 as library  # type: ignore[reportMissingImports]
        client_type: Any = library.AsyncClient
        if self.http_client is not None:
            if not isinstance(self.http_client, client_type):
                raise UserError(
                    f'The installed release of `mcp` takes a `{library.__name__}.AsyncClient` as `http_client`, not '
                    f'{type(self.http_client).__module__}.{type(self.http_client).__name__}.'
                )
            return self.http_client
        auth, headers = self.auth, dict(self.headers or {})
        if isinstance(auth, str):
            auth, headers = None, {**headers, 'Authorization': f'Bearer {auth}'}
        settings: dict[str, Any] = {} if self.verify is None else {'verify': self.verify}
        timeout: Any = library.Timeout(self.timeout, read=self.stream_timeout)
        return client_type(
            headers={**(options.get('headers') or {}), **headers},
            timeout=options.get('timeout') or timeout,
            auth=auth or options.get('auth'),
            follow_redirects=is_v1(),  # later releases follow those that stay with the server themselves
            **settings,
        )


@dataclass
class Process:
    """A server that is a program, which talks over its standard input and output."""

    command: str
    args: list[str]
    env: dict[str, str] | None = None
    cwd: str | Path | None = None

    @property
    def label(self) -> str:
        """What it is called in messages."""
        return ' '.join([self.command, *self.args])

    def streams(self) -> AbstractAsyncContextManager[Any]:
        """Return a context manager of the streams to it."""
        sdk()
        from mcp.client.stdio import StdioServerParameters, stdio_client

        return stdio_client(StdioServerParameters(command=self.command, args=self.args, env=self.env, cwd=self.cwd))


@dataclass
class Given:
    """A server, transport or client that was passed as an object."""

    target: Any

    @property
    def label(self) -> str:
        """What it is called in messages."""
        name = getattr(self.target, 'name', None)
        return f'{type(self.target).__name__} {name!r}' if isinstance(name, str) else type(self.target).__name__

    @property
    def is_client(self) -> bool:
        """Whether it is a client, with a session of its own."""
        return hasattr(cast('type[Any]', type(self.target)), 'session')

    @property
    def opens_sessions(self) -> bool:
        """Whether it is a transport of the `fastmcp` package."""
        return hasattr(self.target, 'connect_session')


def as_transport(target: Any, options: Mapping[str, Any]) -> Any:
    """Return the way to a server.

    Args:
        target: A URL, the path of a script, a configuration with one server, or an object.
        options: Settings of the HTTP client that are not `None`.

    Raises:
        UserError: It is nothing of that kind, or the settings are for something else than a URL.
    """
    if isinstance(target, (Http, Process)):
        return target
    if isinstance(target, str) or type(target).__name__ == 'AnyUrl':
        text = str(target)
        if urlsplit(text).scheme in ('http', 'https'):
            return Http(text, **options)
    if options:
        names = ', '.join(f'`{name}`' for name in options)
        raise UserError(
            f'{names}: settings of the HTTP client, which are for URLs only. Set them on what you pass instead.'
        )
    if isinstance(target, (str, Path)):
        path = Path(target)
        if path.suffix in _SCRIPTS and path.is_file():
            return Process(_SCRIPTS[path.suffix], [str(path)])
        raise UserError(
            f'{str(target)!r} is neither an http(s):// URL nor the path of a script (.py or .js) that exists.'
        )
    if isinstance(target, Mapping):
        from ._config import transports_of

        config = cast('Mapping[str, Any]', target)
        found = transports_of(config if 'mcpServers' in config else {'mcpServers': config})
        if len(found) != 1:
            raise UserError(
                f'The configuration names {len(found)} servers. Make a toolset for each: `load_mcp_toolsets` does that.'
            )
        return next(iter(found.values()))
    if target is None or isinstance(target, (bool, int, float, bytes)):
        raise UserError(
            f'{target!r} is no MCP server: pass a URL, the path of a script, a transport, a server or a client.'
        )
    return Given(target)
