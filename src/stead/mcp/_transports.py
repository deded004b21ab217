"""Transports: what may be passed as a server, and the streams or session to reach it."""

from __future__ import annotations

import re
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, Union, cast
from urllib.parse import unquote, unquote_plus, urlsplit

from typing_extensions import TypeAlias

from .._kit.extras import require_extra
from ..exceptions import UserError
from ._wire import SdkObject, is_v1, sdk

HTTP_TIMEOUT = 30.0
STREAM_TIMEOUT = 300.0
_SCRIPTS = {'.py': sys.executable, '.js': 'node'}


def shown_url(url: str) -> str:
    """Return a URL without credentials and query, which may be secret."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition('@')[2], query='', fragment='').geturl()


def secrets_of_url(url: str) -> tuple[str, ...]:
    """Return what `shown_url` leaves out, in the forms that errors may have it in."""
    parts = urlsplit(url)
    user = parts.netloc.rpartition('@')[0]
    values = [one.partition('=')[2] for one in parts.query.split('&')]
    found = (user, user.partition(':')[2], parts.query, *values, parts.fragment)
    return tuple({form for one in found if one for form in (one, unquote(one), unquote_plus(one))})


def shown_args(args: Sequence[str]) -> list[str]:
    """Return the arguments of a program as they are shown: its script, and `…` for others, which may be secret."""
    shown = [arg if arg.endswith(tuple(_SCRIPTS)) else '…' for arg in args]
    return [arg for place, arg in enumerate(shown) if arg != '…' or shown[place - 1 : place] != ['…']]


def secrets_of_args(args: Sequence[str]) -> tuple[str, ...]:
    """Return what `shown_args` leaves out."""
    return tuple(arg for arg in args if not arg.endswith(tuple(_SCRIPTS)))


class StreamTransport(Protocol):
    """A transport that opens streams to a server."""

    @property
    def label(self) -> str:
        """Its name in messages."""
        ...

    @property
    def secrets(self) -> tuple[str, ...]:
        """What its name leaves out, since it may be secret, and errors of the package may have."""
        ...

    def streams(self) -> AbstractAsyncContextManager[SdkObject]:
        """Return a context manager of the streams to the server."""
        ...


@dataclass(repr=False)
class HttpTransport:
    """A server behind a URL.

    `sse` says whether it uses the older transport of server-sent events; by default the URL decides.
    """

    url: str
    headers: dict[str, str] | None = None
    http_client: SdkObject = None
    auth: SdkObject = None
    verify: SdkObject = None
    sse: bool | None = None
    timeout: float = HTTP_TIMEOUT
    stream_timeout: float = STREAM_TIMEOUT
    lost_sessions: int = field(default=0, init=False, repr=False, compare=False)
    """How many requests the server refused because it no longer knows their session."""

    def __post_init__(self) -> None:
        if self.http_client is not None and any(value is not None for value in (self.headers, self.auth, self.verify)):
            raise UserError(
                'Headers, `auth` and `verify` are settings of the HTTP client. Set them on your `http_client`, or leave it '
                'out.'
            )
        if self.auth == 'oauth':
            require_extra('fastmcp', extra='fastmcp', what="`auth='oauth'` of MCP toolsets")
        if self.sse is None:
            self.sse = bool(re.search(r'/sse(/|\?|&|$)', self.url))

    @property
    def label(self) -> str:
        """Its name in messages."""
        return shown_url(self.url)

    @property
    def secrets(self) -> tuple[str, ...]:
        """What its name leaves out."""
        return secrets_of_url(self.url)

    def __repr__(self) -> str:
        return f'{type(self).__name__}({self.label!r})'

    def streams(self) -> AbstractAsyncContextManager[SdkObject]:
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
    async def _streamable(self) -> AsyncIterator[SdkObject]:
        from mcp.client import streamable_http

        connect: SdkObject = getattr(streamable_http, 'streamable_http_client', None)
        if connect is None:
            raise ImportError('Streamable HTTP needs a newer release of the package `mcp`: 1.24 or later.', name='mcp')
        client = self._client()
        if self.http_client is not None:
            async with connect(self.url, http_client=client) as streams:
                yield streams
            return
        async with client, connect(self.url, http_client=client) as streams:
            yield streams

    def _client(self, **options: Any) -> SdkObject:
        """Return the HTTP client that was passed, or a new one with these settings."""
        if is_v1():
            import httpx as library
        else:
            import httpx2 as library  # type: ignore[reportMissingImports]
        client_type: SdkObject = library.AsyncClient
        if self.http_client is not None:
            if not isinstance(self.http_client, client_type):
                raise UserError(
                    f'The installed release of `mcp` takes a `{library.__name__}.AsyncClient` as `http_client`, not '
                    f'{type(self.http_client).__module__}.{type(self.http_client).__name__}.'
                )
            return self.http_client
        auth, headers = self.auth, dict(self.headers or {})
        if auth == 'oauth':
            from ._client import oauth

            auth = self.auth = oauth(self.url)  # one for all connections, which share its tokens
        if isinstance(auth, str):
            auth, headers = None, {**headers, 'Authorization': f'Bearer {auth}'}
        settings: dict[str, object] = {} if self.verify is None else {'verify': self.verify}
        timeout: SdkObject = library.Timeout(self.timeout, read=self.stream_timeout)
        return client_type(
            headers={**(options.get('headers') or {}), **headers},
            timeout=options.get('timeout') or timeout,
            event_hooks={'response': [self._note_lost_session]},
            auth=auth or options.get('auth'),
            follow_redirects=is_v1(),  # later generations follow redirects to the same server themselves
            **settings,
        )

    async def _note_lost_session(self, response: SdkObject) -> None:
        if response.status_code == 404 and 'mcp-session-id' in response.request.headers:
            self.lost_sessions += 1


@dataclass(repr=False)
class ProcessTransport:
    """A server that is a program, reached over its standard input and output."""

    command: str
    args: list[str]
    env: dict[str, str] | None = None
    cwd: str | Path | None = None

    @property
    def label(self) -> str:
        """Its name in messages."""
        return ' '.join([self.command, *shown_args(self.args)])

    @property
    def secrets(self) -> tuple[str, ...]:
        """What its name leaves out."""
        return secrets_of_args(self.args)

    def __repr__(self) -> str:
        return f'{type(self).__name__}({self.label!r})'

    def streams(self) -> AbstractAsyncContextManager[SdkObject]:
        """Return a context manager of the streams to it."""
        sdk()
        from mcp.client.stdio import StdioServerParameters, stdio_client

        return stdio_client(StdioServerParameters(command=self.command, args=self.args, env=self.env, cwd=self.cwd))


@dataclass
class ObjectTransport:
    """A server, transport or client that was passed as an object."""

    target: SdkObject

    @property
    def label(self) -> str:
        """Its name in messages."""
        name = getattr(self.target, 'name', None)
        return f'{type(self.target).__name__} {name!r}' if isinstance(name, str) else type(self.target).__name__

    @property
    def secrets(self) -> tuple[str, ...]:
        """What its name leaves out: nothing is known of the object."""
        return ()

    @property
    def is_client(self) -> bool:
        """Whether it is a client, with a session of its own."""
        return hasattr(cast('type[Any]', type(self.target)), 'session')

    @property
    def opens_sessions(self) -> bool:
        """Whether it is a transport of the `fastmcp` package."""
        return hasattr(self.target, 'connect_session')


Transport: TypeAlias = Union[StreamTransport, ObjectTransport]


def as_transport(target: SdkObject, options: Mapping[str, Any]) -> HttpTransport | ProcessTransport | ObjectTransport:
    """Return the transport for a server.

    Args:
        target: A URL, the path of a script, a configuration with one server, or an object.
        options: Settings of the HTTP client that are not `None`.

    Raises:
        UserError: It is none of these, or there are settings but it is not a URL.
    """
    if isinstance(target, (HttpTransport, ProcessTransport)):
        return target
    if isinstance(target, str) or type(target).__name__ == 'AnyUrl':
        text = str(target)
        if urlsplit(text).scheme in ('http', 'https'):
            return HttpTransport(text, **options)
    if options:
        names = ', '.join(f'`{name}`' for name in options)
        raise UserError(
            f'{names}: settings of the HTTP client, which are for URLs only. Set them on the object that you pass.'
        )
    if isinstance(target, (str, Path)):
        path = Path(target)
        if path.suffix in _SCRIPTS and path.is_file():
            return ProcessTransport(_SCRIPTS[path.suffix], [str(path)])
        raise UserError(
            f'{str(target)!r} is neither an http(s):// URL nor the path of a script (.py or .js) that exists.'
        )
    if isinstance(target, Mapping):
        from ._config import transports_of

        config = cast('Mapping[str, Any]', target)
        transports = transports_of(config if 'mcpServers' in config else {'mcpServers': config})
        if len(transports) != 1:
            raise UserError(
                f'The configuration names {len(transports)} servers. Create a toolset for each with `load_mcp_toolsets`.'
            )
        return next(iter(transports.values()))
    if target is None or isinstance(target, (bool, int, float, bytes)):
        raise UserError(
            f'{target!r} is not an MCP server: pass a URL, the path of a script, a transport, a server or a client.'
        )
    return ObjectTransport(target)
