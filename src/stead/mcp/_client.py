"""Additions of the package `fastmcp`: clients for programs, and OAuth with a browser."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module

from .._kit.extras import load_extra
from ._transports import HttpTransport, ObjectTransport, ProcessTransport
from ._wire import SdkObject


def client_for(
    target: SdkObject, transport: HttpTransport | ProcessTransport | ObjectTransport, settings: Mapping[str, object]
) -> SdkObject:
    """Return a `fastmcp.Client` for a server, not connected; the target itself if that is not possible.

    Args:
        target: The server, as it was passed.
        transport: The transport to it.
        settings: The arguments of the client.
    """
    with suppress(ImportError):
        library: SdkObject = import_module('fastmcp')
        kinds: SdkObject = import_module('fastmcp.client.transports')
        options = dict(settings)
        server: SdkObject = target
        if isinstance(transport, HttpTransport):
            if transport.http_client is not None:  # a client would close it
                return target
            server = (kinds.SSETransport if transport.sse else kinds.StreamableHttpTransport)(
                transport.url, headers=transport.headers
            )
            options.update(auth=transport.auth, verify=transport.verify)
        elif isinstance(transport, ProcessTransport):
            cwd = None if transport.cwd is None else str(transport.cwd)
            server = kinds.StdioTransport(transport.command, transport.args, env=transport.env, cwd=cwd)
        with suppress(TypeError, ValueError):  # a server or transport of another package
            return library.Client(server, **{name: value for name, value in options.items() if value is not None})
    return target


def oauth(url: str) -> SdkObject:
    """Return what authorizes requests with OAuth: the user allows them in a browser, and tokens are kept in memory.

    Args:
        url: The URL of the server.

    Raises:
        ImportError: The package `fastmcp` is not installed.
    """
    return load_extra('fastmcp.client.auth', extra='fastmcp', what="`auth='oauth'` of MCP toolsets").OAuth(mcp_url=url)
