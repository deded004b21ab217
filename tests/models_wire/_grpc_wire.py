"""A loopback server that speaks xAI's protocol: gRPC with the messages of the SDK, from replies that a test lays out.

Clients reach it through a relay of plain sockets, which counts connections and can break them.
"""

from __future__ import annotations

import socket
import struct
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import grpc
from _wire import Cut, Recorded, Reset
from google.protobuf.json_format import MessageToDict, ParseDict
from xai_sdk.proto import chat_pb2, files_pb2


@dataclass
class Status:
    """In the pieces of a reply: the call ends with this status."""

    code: str
    details: str = ''
    metadata: tuple[tuple[str, str], ...] = ()


@dataclass
class Answer:
    """What the server answers to one call: messages as plain data or as bytes, seconds to wait, `Status`, `Reset()`, `Cut()`."""

    pieces: list[Any] = field(default_factory=list)
    stream: bool = False


class GrpcWire:
    """The server; use it as a context manager. Replies are used up in order, and the last one is repeated."""

    def __init__(self, *replies: Answer) -> None:
        self.replies = list(replies)
        self.requests: list[Recorded] = []
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._uploads = 0

    def __enter__(self) -> GrpcWire:
        self._server = grpc.server(
            ThreadPoolExecutor(16),
            handlers=[_Handler(self)],
            options=[('grpc.max_receive_message_length', -1), ('grpc.max_send_message_length', -1)],
        )
        port = self._server.add_insecure_port('127.0.0.1:0')
        self._server.start()
        self._relay = Relay(port)
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._relay.close()
        self._server.stop(0).wait()

    def expect(self, *replies: Answer) -> None:
        """Begin anew with other replies."""
        self.replies, self.requests, self._uploads = list(replies), [], 0

    @property
    def host(self) -> str:
        return f'127.0.0.1:{self._relay.port}'

    @property
    def connections(self) -> int:
        return self._relay.count

    @property
    def bodies(self) -> list[Any]:
        return [request.body for request in self.requests]

    def note(self, path: str, body: Any, context: Any) -> None:
        headers = dict(tuple(pair) for pair in context.invocation_metadata())
        with self._lock:
            self.requests.append(Recorded('POST', path, headers, body))

    def upload(self, chunks: Any, context: Any) -> Any:
        parsed = [files_pb2.UploadFileChunk.FromString(chunk) for chunk in chunks]
        name = next(chunk.init.name for chunk in parsed if chunk.HasField('init'))
        data = b''.join(chunk.data for chunk in parsed)
        self.note('UploadFile', {'name': name, 'data': repr(data)}, context)
        failure = next((piece for reply in self.replies[:1] for piece in reply.pieces), None)
        if isinstance(failure, Status):
            self._fail(failure, context)
        with self._lock:
            self._uploads += 1
            return files_pb2.File(id=f'file-{self._uploads}', filename=name, size=len(data)).SerializeToString()

    def unary(self, request: bytes, context: Any) -> Any:
        for piece in self._pieces('GetCompletion', request, context):
            return _packed(piece, chat_pb2.GetChatCompletionResponse())
        return b''

    def stream(self, request: bytes, context: Any) -> Any:
        for piece in self._pieces('GetCompletionChunk', request, context):
            yield _packed(piece, chat_pb2.GetChatCompletionChunk())

    def _pieces(self, path: str, request: bytes, context: Any) -> Any:
        parsed = chat_pb2.GetCompletionsRequest.FromString(request)
        self.note(path, MessageToDict(parsed, preserving_proto_field_name=True), context)
        with self._lock:
            reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        for piece in reply.pieces:
            if isinstance(piece, (int, float)):
                self._closing.wait(piece)
            elif isinstance(piece, Status):
                self._fail(piece, context)
            elif isinstance(piece, Reset):
                time.sleep(0.05)  # what was sent before shall arrive
                self._relay.reset()
                time.sleep(0.2)
                return
            elif isinstance(piece, Cut):
                return
            else:
                yield piece

    @staticmethod
    def _fail(status: Status, context: Any) -> None:
        context.set_trailing_metadata(status.metadata)
        context.abort(getattr(grpc.StatusCode, status.code), status.details)


def _packed(piece: Any, message: Any) -> bytes:
    return piece if isinstance(piece, bytes) else ParseDict(piece, message).SerializeToString()


class _Handler(grpc.GenericRpcHandler):
    def __init__(self, wire: GrpcWire) -> None:
        self._wire = wire

    def service(self, handler_call_details: Any) -> Any:
        method = handler_call_details.method.rpartition('/')[2]
        if method == 'GetCompletion':
            return grpc.unary_unary_rpc_method_handler(self._wire.unary)
        if method == 'GetCompletionChunk':
            return grpc.unary_stream_rpc_method_handler(self._wire.stream)
        if method == 'UploadFile':
            return grpc.stream_unary_rpc_method_handler(self._wire.upload)
        return None


class Relay:
    """Passes bytes on between clients and a port, and can break its connections."""

    def __init__(self, target: int) -> None:
        self.count = 0
        self._target = target
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._listener = socket.create_server(('127.0.0.1', 0), backlog=64)
        self.port = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.create_connection(('127.0.0.1', self._target))
            for each in (client, server):
                each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.count += 1
            self._pairs.append((client, server))
            for source, sink in ((client, server), (server, client)):
                threading.Thread(target=self._pump, args=(source, sink), daemon=True).start()

    @staticmethod
    def _pump(source: socket.socket, sink: socket.socket) -> None:
        try:
            while data := source.recv(1 << 20):
                sink.sendall(data)
        except OSError:
            pass
        for each in (source, sink):
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            each.close()

    def reset(self) -> None:
        """Break all connections, as a machine does that falls over."""
        for client, server in self._pairs:
            try:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
                server.shutdown(socket.SHUT_RDWR)
                client.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self._pairs.clear()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.reset()
        self._thread.join()
