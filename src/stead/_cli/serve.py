"""`stead serve`: an agent of yours at one address, for people and for the interfaces of others."""

from __future__ import annotations

import argparse
import asyncio
import socket
import sys
from typing import Any

from .._kit.aio import cancel_and_drain
from .._kit.extras import load_extra
from ..exceptions import UserError
from .find import find_agent, find_object

HELP = 'Serve an agent: a page to talk with it, AG-UI, the AI SDK and A2A.'
_LOCAL = ('127.0.0.1', 'localhost', '::1')
_ANY = {'0.0.0.0': '127.0.0.1', '::': '::1', '': '127.0.0.1'}
_STOP_SECONDS = 5
_SEND_BUFFER = 64 * 1024
"""Bytes that the system takes for a client that does not read, which it doubles. By itself it takes up to 4 MB, and a run whose
client reads nothing would write, and hold, as much before it is made to wait."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument('agent', help='the agent, as module:variable')
    parser.add_argument('--host', default='127.0.0.1', help='the address to listen at (default: 127.0.0.1)')
    parser.add_argument('--port', type=int, default=8000, help='the port to listen at; 0 for any (default: 8000)')
    parser.add_argument('--model', action='append', default=[], help='a model to offer on the page; may be repeated')
    parser.add_argument(
        '--deps', metavar='PLACE', help='the dependencies, or a function that makes them, as module:variable'
    )
    parser.add_argument(
        '--allow-host', action='append', default=[], metavar='NAME', help='a name of this server; may be repeated'
    )
    parser.add_argument(
        '--allow-origin',
        action='append',
        default=[],
        metavar='URL',
        help='another site whose pages may use AG-UI and the AI SDK, such as http://localhost:3000; may be repeated',
    )
    parser.add_argument('--url', help='the address under which others reach the server, if it is behind a proxy')


def run(options: argparse.Namespace) -> int:
    """Serve the agent until Ctrl+C, and return the exit code."""
    try:
        uvicorn = load_extra('uvicorn', extra='web', what='`stead serve`')
        web = load_extra('stead.ui.web', extra='web', what='`stead serve`')
        agent = find_agent(options.agent)
        with listen(options.host, options.port) as listener:
            url = options.url.rstrip('/') if options.url else _address(options.host, listener)
            server = web.create_server(
                agent,
                url=url,
                models=options.model or None,
                deps=_deps(options.deps),
                allowed_hosts=options.allow_host,
                allowed_origins=options.allow_origin,
            )
            _announce(agent.name or options.agent, url, server, options.host)
            return _serve(uvicorn, server.app, listener)
    except (UserError, ValueError, ImportError, OSError) as error:
        print(f'stead serve: {error}', file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def _serve(uvicorn: Any, app: Any, listener: socket.socket) -> int:
    ending = _EndingStreams(app)

    class EndingServer(uvicorn.Server):
        async def shutdown(self, sockets: Any = None) -> None:
            ending.stop.set()
            await uvicorn.Server.shutdown(self, sockets)

    server = EndingServer(uvicorn.Config(ending, log_level='warning', timeout_graceful_shutdown=_STOP_SECONDS))
    server.run(sockets=[listener])
    return 0 if server.started else 1


class _EndingStreams:
    """Ends the answers that are being written when the server stops, as if their clients had left.

    The server would wait for them, and then tear them down with a traceback for each.
    """

    def __init__(self, app: Any) -> None:
        self._app = app
        self.stop = asyncio.Event()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope['type'] != 'http':
            return await self._app(scope, receive, send)
        started = complete = False

        async def receive_or_stop() -> Any:
            received, stopped = asyncio.ensure_future(receive()), asyncio.ensure_future(self.stop.wait())
            try:
                await asyncio.wait([received, stopped], return_when=asyncio.FIRST_COMPLETED)
                return received.result() if received.done() else {'type': 'http.disconnect'}
            finally:
                await cancel_and_drain(received, stopped)

        async def send_on(message: Any) -> None:
            nonlocal started, complete
            started, complete = True, message['type'] == 'http.response.body' and not message.get('more_body')
            await send(message)

        await self._app(scope, receive_or_stop, send_on)
        if self.stop.is_set() and not complete:
            if not started:  # all of the request had not come
                await send({'type': 'http.response.start', 'status': 503, 'headers': [(b'retry-after', b'5')]})
            await send({'type': 'http.response.body', 'body': b''})


def _deps(place: str | None) -> Any:
    if place is None:
        return None
    value = find_object(place, what='dependencies')
    if value is None:
        raise UserError(f'There are no dependencies at {place!r}: the module has no such variable.')
    return value() if callable(value) else value


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that is bound.

    Raises:
        UserError: It cannot be bound.
    """
    if not 0 <= port <= 65535:
        raise UserError(f'--port {port} is not a port: ports are between 0 and 65535.')
    family = socket.AF_INET6 if ':' in host else socket.AF_INET
    # asyncio sends small pieces at once (TCP_NODELAY) only if a socket says that it speaks TCP; otherwise each waits 40 ms.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)
        listener.bind((host, port))
        listener.listen(2048)
    except OSError as error:
        listener.close()
        message = f'Cannot listen at {host}, port {port}: {error.strerror or error}.'
        raise UserError(f'{message} Choose others with --host and --port.') from error
    return listener


def _address(host: str, listener: socket.socket) -> str:
    name = _ANY.get(host, host)
    return f'http://{f"[{name}]" if ":" in name else name}:{listener.getsockname()[1]}'


def _announce(name: str, url: str, server: Any, host: str) -> None:
    print(f'{name} is served at {url} (Ctrl+C to stop)')
    for part in server.parts:
        print(f'  {part.name:<9} {url + part.path if part.path else "not served: " + part.missing}')
    if host not in _LOCAL:
        print(f'Everyone who can reach {host} can run this agent: there is no password.', file=sys.stderr)
    sys.stdout.flush()
