"""A loopback server that speaks HTTP as a provider does, from replies that a test lays out beforehand, and that records
what it is sent. Faults are replies, too: a connection that is reset, a stream that ends too early, a byte that comes late.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Reset:
    """In the pieces of a reply: the connection is reset here."""


class Cut:
    """In the pieces of a reply: the connection is closed here, although more was announced."""


@dataclass
class Reply:
    """What the server answers to one request."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    pieces: list[Any] = field(default_factory=list)
    """Bytes to send, seconds to wait, `Reset()` or `Cut()`."""
    content_type: str = 'application/json'


@dataclass
class Recorded:
    """A request as it came in."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any


def as_json(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Reply:
    return Reply(status, headers or {}, [json.dumps(value).encode()])


def as_sse(events: Iterable[Any], *, done: bool = True, named: bool = False) -> Reply:
    """A stream of server-sent events; `named` puts the `type` of each into its `event` line, as some providers do."""
    pieces: list[Any] = []
    for item in events:
        if isinstance(item, (bytes, float, Reset, Cut)):
            pieces.append(item)
            continue
        head = f'event: {item["type"]}\n' if named else ''
        pieces.append(f'{head}data: {json.dumps(item)}\n\n'.encode())
    if done:
        pieces.append(b'data: [DONE]\n\n')
    return Reply(pieces=pieces, content_type='text/event-stream')


class Wire:
    """The server; use it as a context manager. Replies are used up in order, and the last one is repeated."""

    def __init__(self, *replies: Reply) -> None:
        self.replies = list(replies)
        self.requests: list[Recorded] = []
        self.connections = 0
        self._lock = threading.Lock()
        self._closing = threading.Event()
        wire = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'

            def setup(self) -> None:
                super().setup()
                self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                with wire._lock:
                    wire.connections += 1

            def do_GET(self) -> None:
                wire._answer(self)

            def do_POST(self) -> None:
                wire._answer(self)

            def log_message(self, *args: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            block_on_close = False
            request_queue_size = 64

            def handle_error(self, request: Any, client_address: Any) -> None:
                """Clients that hang up are what some tests are about."""

        self._server = Server(('127.0.0.1', 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    def __enter__(self) -> Wire:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def expect(self, *replies: Reply) -> None:
        """Begin anew with other replies."""
        self.replies, self.requests = list(replies), []

    @property
    def url(self) -> str:
        return f'http://127.0.0.1:{self._server.server_address[1]}'

    @property
    def bodies(self) -> list[Any]:
        return [request.body for request in self.requests]

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        length = int(handler.headers.get('content-length') or 0)
        raw = handler.rfile.read(length)
        try:
            body = json.loads(raw) if raw else None
        except ValueError:
            body = raw
        with self._lock:
            headers = {name.lower(): value for name, value in handler.headers.items()}
            self.requests.append(Recorded(handler.command, handler.path, headers, body))
            reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        self._send(handler, reply)

    def _send(self, handler: BaseHTTPRequestHandler, reply: Reply) -> None:
        streamed = reply.content_type == 'text/event-stream' or any(not isinstance(p, bytes) for p in reply.pieces)
        handler.close_connection = True
        if reply.pieces and isinstance(reply.pieces[0], Reset):
            self._reset(handler)
            return
        handler.send_response(reply.status)
        handler.send_header('content-type', reply.content_type)
        for name, value in reply.headers.items():
            handler.send_header(name, value)
        if streamed:
            handler.send_header('transfer-encoding', 'chunked')
        else:
            handler.send_header('content-length', str(sum(len(piece) for piece in reply.pieces)))
            handler.close_connection = False
        handler.end_headers()
        handler.wfile.flush()
        for piece in reply.pieces:
            if isinstance(piece, (int, float)):
                self._closing.wait(piece)
            elif isinstance(piece, Reset):
                self._reset(handler)
                return
            elif isinstance(piece, Cut):
                return
            else:
                handler.wfile.write(b'%x\r\n%s\r\n' % (len(piece), piece) if streamed else piece)
                handler.wfile.flush()
        if streamed:
            handler.wfile.write(b'0\r\n\r\n')
            handler.close_connection = False

    @staticmethod
    def _reset(handler: BaseHTTPRequestHandler) -> None:
        handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
        handler.connection.close()
        handler.close_connection = True


def free_port() -> int:
    """A port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return int(probe.getsockname()[1])
