"""`Door`: sends requests with the client of an SDK, below its typed methods.

A typed method walks through all of a request by the types of its fields, and builds objects of its own types for all of an
answer, which takes many times as long as the rest of a request. `client.post`, which the method calls in the end, is
documented for requests that the SDK has no types for. Key, URL, headers, retries, timeouts, hooks and errors are the client's on
both ways.

People and packages put things on clients that they rely on: subclasses, mocks, tracing that replaces the typed method, or the
`request` below it. A door is open only if there is nothing of that kind. `is_open` asks for each request, since tracing may
be turned on at any time.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from os.path import dirname
from types import FunctionType
from typing import Optional
from urllib.parse import urlencode

from typing_extensions import TypeAlias

from ..._kit.json_types import JsonObject
from ..._kit.sdk_types import SdkObject
from .._streaming.fold import EventStream
from .._wire_errors import is_transport_error
from .body import parse
from .events import EventReader, ServerEvent

AsError: TypeAlias = Callable[[SdkObject, SdkObject, ServerEvent, object], Optional[Exception]]
"""A function that returns the error that an event reports, or `None`. Its arguments are the client, the response, the event and
its data."""
_POSTING = ('post', 'request', '_request', '_send_request')
"""The methods of clients that all requests go through; releases of the SDKs differ in the private ones."""
_METHOD = 'create'
"""The typed method."""
_DRAIN = 0.1
"""Seconds to wait for the end of a response after its last event, so that its connection can be used again."""


@dataclass(frozen=True)
class Door:
    """The way to one endpoint of an API, for clients that are generated as OpenAI's are."""

    sdk: str
    """The module of the SDK."""
    client: str
    """The class of clients."""
    path: str
    """The path of the endpoint."""
    resources: tuple[str, ...]
    """The attributes of clients that lead to the typed method."""
    module: str
    """The module of the class with the typed method."""
    owner: str
    """That class."""
    end: bytes | None = None
    """The data that ends a stream, if there is one."""
    has_names: bool = False
    """Whether the events of streams have names; those without one, and pings, are then no part of the response."""
    qualifiers: Mapping[str, str] | None = None
    """What older releases of the SDK have in the query of the path, and newer ones beside it."""
    security: bool = False
    """Whether the client has several kinds of keys; each request names the kind that it needs."""

    def is_open(self, client: SdkObject) -> bool:
        """Return whether nothing is lost if a request goes past the typed method of a client."""
        sdk: SdkObject = sys.modules.get(self.sdk)
        cls: SdkObject = type(client)  # type: ignore[reportUnknownVariableType]
        if getattr(client, '_middleware', None) or _is_traced(client):  # they may want the objects of the SDK
            return False
        if sdk is None or cls is not getattr(sdk, self.client, None) or cls.__module__.partition('.')[0] != self.sdk:
            return False
        folder = dirname(sdk.__file__ or '')
        held: JsonObject = client.__dict__
        for name in _POSTING:
            if name in held or not _is_own(getattr(cls, name, _nothing), folder):
                return False
        for name in self.resources:
            if name not in held:  # it was never asked for, and so never changed
                break
            resource = held[name]
            if not type(resource).__module__.startswith(f'{self.sdk}.'):
                return False
            held = resource.__dict__
        else:
            if _METHOD in held:
                return False
        module = sys.modules.get(self.module)
        if module is None:
            return not _is_awaited(self.module)
        return _is_own(getattr(getattr(module, self.owner, None), _METHOD, None), folder)

    async def post(self, client: SdkObject, body: bytes, options: JsonObject, *, stream: bool) -> SdkObject:
        """Send a request.

        Args:
            client: A client that the door is open for.
            body: The body, as JSON.
            options: Headers, timeout and so on, as `client.post` takes them.
            stream: Whether to return as soon as the response begins.

        Returns:
            The response of the HTTP library.
        """
        path = self.path
        if self.security:
            options = {**options, 'security': {'bearer_auth': True}}
        if self.qualifiers is not None:
            known: SdkObject = sys.modules[f'{self.sdk}._models'].FinalRequestOptions.model_fields
            if 'qualifiers' in known:
                options = {**options, 'qualifiers': self.qualifiers}
            else:
                path = f'{path}?{urlencode(self.qualifiers)}'
        http: SdkObject = sys.modules[f'{self.sdk}._base_client']
        kind = (getattr(http, 'httpx2', None) or http.httpx).Response
        sent: JsonObject = {'stream': True, 'stream_cls': http.AsyncStream[object]} if stream else {}
        names: tuple[str, ...] = client.post.__code__.co_varnames
        sent['content' if 'content' in names else 'body'] = body  # older releases have one parameter for both
        return await client.post(path, cast_to=kind, options=options, **sent)

    def read(self, response: SdkObject) -> SdkObject:
        """Return the data in a response; the text of one that is not JSON.

        Raises:
            ValueError: It says that it is JSON, and is not.
        """
        kind, _, _ = response.headers.get('content-type', '*').partition(';')
        return parse(response.content) if kind.endswith('json') else response.text

    def events(self, client: SdkObject, response: SdkObject, as_error: AsError) -> EventStream:
        """Return the events of a streamed response.

        Args:
            client: The client.
            response: The response.
            as_error: Returns the error for an event that reports one.
        """
        return EventStream(self._events(client, response, as_error), response.aclose)

    async def _events(self, client: SdkObject, response: SdkObject, as_error: AsError) -> AsyncIterator[SdkObject]:
        sdk: SdkObject = sys.modules[self.sdk]
        reader = EventReader()
        pieces: SdkObject = response.aiter_bytes()
        try:
            async for piece in pieces:
                for event in reader.feed(piece):
                    if event.data == self.end:
                        await _drain(response, pieces)
                        return
                    if self.has_names and event.name in ('', 'ping'):
                        continue
                    data = _data(event)
                    if b'error' in event.data or event.name:
                        if (error := as_error(client, response, event, data)) is not None:
                            raise error
                    yield data
        except Exception as error:
            if isinstance(error, sdk.APIError) or not is_transport_error(error):
                raise
            late = 'Timeout' in type(error).__name__
            raise (sdk.APITimeoutError if late else sdk.APIConnectionError)(request=response.request) from error
        finally:
            await response.aclose()


def _data(event: ServerEvent) -> SdkObject:
    try:
        return parse(event.data)
    except ValueError:
        if event.name != 'error':
            raise
        return event.data.decode(errors='replace')


async def _drain(response: SdkObject, pieces: AsyncIterator[bytes]) -> None:
    """Read what comes after the last event, which is nothing but the end."""
    if response.http_version != 'HTTP/1.1':
        return
    import anyio

    with anyio.move_on_after(_DRAIN):
        async for _ in pieces:
            await anyio.lowlevel.checkpoint()


def _nothing() -> None:
    """Stand for a method that the release of the SDK does not have."""


def _is_traced(client: SdkObject) -> bool:
    """Return whether the SDK itself records spans for a client, which newer releases of Anthropic's do."""
    options: SdkObject = getattr(client, 'open_telemetry', None)
    if options is None or not options['traces']['enabled']:
        return False
    from opentelemetry.trace import ProxyTracerProvider, get_tracer_provider

    return options.get('tracer_provider') is not None or not isinstance(get_tracer_provider(), ProxyTracerProvider)


def _is_own(function: object, folder: str) -> bool:
    """Return whether a function is the SDK's own, rather than one that was put in its place."""
    if function is _nothing:
        return True
    return type(function) is FunctionType and function.__code__.co_filename.startswith(folder)


def _is_awaited(module: str) -> bool:
    """Return whether a package waits for a module to load, to change it then."""
    hooks: Mapping[str, object] = getattr(sys.modules.get('wrapt.importer'), '_post_import_hooks', {})
    return any(hooks.get(name) for name in hooks if name.startswith(module.partition('.')[0] + '.'))


class NotedError(Exception):
    """A request has been taken note of, rather than sent."""
