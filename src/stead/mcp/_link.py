"""A connection to a server: opening it, and the other side of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from typing import Any, cast

from .._kit.aio import within
from ._transports import Given
from ._wire import CONNECTION_CLOSED, MCPError, field, is_v1, sdk, sdk_error

LIST_CHANGES = {
    'notifications/tools/list_changed': 'tools',
    'notifications/resources/list_changed': 'resources',
    'notifications/prompts/list_changed': 'prompts',
}
MOST_PAGES = 1000


@dataclass(kw_only=True)
class Wiring:
    """What a connection is made with."""

    transport: Any
    sampling: Callable[..., Any] | None = None
    elicitation: Callable[..., Any] | None = None
    roots: Callable[..., Any] | None = None
    logging: Callable[..., Any] | None = None
    progress: Callable[..., Any] | None = None
    message: Callable[..., Any] | None = None
    log_level: str | None = None
    client_info: Any = None
    init_timeout: float | None = None
    read_timeout: float | None = None


class Peer:
    """The other side of a connection."""

    def __init__(self, session: Any, client: Any, initialized: Any, wiring: Wiring) -> None:
        self.session = session
        # Clients of the second generation answer what a server asks in the middle of a call.
        self.caller = session if client is None else client
        self.wiring = wiring
        self.server_info = field(initialized, 'server_info')
        self.capabilities = field(initialized, 'capabilities') or field(initialized, 'server_capabilities')
        self.instructions: str | None = initialized.instructions
        self.tells_changes = True
        """Whether lists may be kept until the server says that they changed."""

    async def listed(self, method: str, items: str) -> list[Any]:
        """Return all pages of a list."""
        from mcp.types import PaginatedRequestParams

        found: list[Any] = []
        cursor: str | None = None
        for _ in range(MOST_PAGES):
            page = await getattr(self.session, method)(params=PaginatedRequestParams(cursor=cursor))
            found += field(page, items)
            cursor = field(page, 'next_cursor')
            if not cursor:
                return found
        raise MCPError(f'The list of {items} did not end after {MOST_PAGES} pages.', CONNECTION_CLOSED)

    async def call_tool(self, name: str, arguments: dict[str, Any], meta: dict[str, Any] | None) -> Any:
        """Call a tool."""
        return await self.caller.call_tool(name, arguments, progress_callback=self.wiring.progress, meta=meta)

    async def read_resource(self, uri: str) -> Any:
        """Read a resource."""
        if is_v1():
            from pydantic import AnyUrl

            return await self.session.read_resource(AnyUrl(uri))
        return await self.caller.read_resource(uri)

    async def get_prompt(self, name: str, arguments: dict[str, str] | None) -> Any:
        """Return a prompt with its arguments filled in."""
        return await self.caller.get_prompt(name, arguments)


@asynccontextmanager
async def linked(wiring: Wiring, changed: Callable[[str], None]) -> AsyncIterator[Peer]:
    """Open a connection in time.

    Raises:
        MCPError: The server cannot be reached.
        ImportError: The extra `mcp` is not installed.
    """
    seconds = wiring.init_timeout
    async with AsyncExitStack() as stack:
        opening = stack.enter_async_context(connected(wiring, changed))
        try:
            peer = await (opening if seconds is None else within(seconds, opening))
        except Exception as error:
            explained = _explained(error, wiring)
            raise explained from explained.__cause__
        yield peer


def _explained(error: Exception, wiring: Wiring) -> Exception:
    label = wiring.transport.label
    late = isinstance(error, (asyncio.TimeoutError, TimeoutError)) and isinstance(
        error.__cause__, asyncio.CancelledError
    )
    inner: BaseException = error
    while causes := cast('tuple[BaseException, ...]', getattr(inner, 'exceptions', ())):  # of a group
        inner = causes[0]
    if isinstance(inner, (ImportError, MCPError)) or type(inner).__module__.startswith('stead.'):
        return inner if isinstance(inner, Exception) else error
    if late and wiring.init_timeout is not None:
        message = f'The MCP server {label} did not answer within {wiring.init_timeout} seconds.'
    else:
        reason = f'{type(inner).__name__}: {inner}' if str(inner) else type(inner).__name__
        message = f'Cannot connect to the MCP server {label}: {reason}'
    explained = MCPError(message, CONNECTION_CLOSED)
    explained.__cause__ = inner
    return explained


@asynccontextmanager
async def connected(wiring: Wiring, changed: Callable[[str], None]) -> AsyncIterator[Peer]:
    """Open a connection."""
    transport = wiring.transport
    hear = _listener(wiring, changed)
    sdk()
    if isinstance(transport, Given) and transport.is_client:
        async with _own_client(transport.target, wiring) as peer:
            yield peer
    elif isinstance(transport, Given) and transport.opens_sessions:
        async with transport.target.connect_session(**_callbacks(wiring, hear)) as session:
            yield await _initialized(session, wiring)
    elif is_v1():
        async with _first_generation(transport, wiring, hear) as peer:
            yield peer
    else:
        async with _second_generation(transport, wiring, hear, changed) as peer:
            yield peer


def _listener(wiring: Wiring, changed: Callable[[str], None]) -> Callable[[Any], Awaitable[None]]:
    async def hear(message: Any) -> None:
        what = LIST_CHANGES.get(getattr(getattr(message, 'root', message), 'method', ''))
        if what is not None:
            changed(what)
        if wiring.message is not None:
            await wiring.message(message)

    return hear


def _callbacks(wiring: Wiring, hear: Callable[[Any], Awaitable[None]]) -> dict[str, Any]:
    timeout: Any = wiring.read_timeout
    if timeout is not None and is_v1():
        from datetime import timedelta

        timeout = timedelta(seconds=timeout)
    return {
        'read_timeout_seconds': timeout,
        'sampling_callback': wiring.sampling,
        'elicitation_callback': wiring.elicitation,
        'list_roots_callback': wiring.roots,
        'logging_callback': wiring.logging,
        'message_handler': hear,
        'client_info': wiring.client_info,
    }


async def _initialized(session: Any, wiring: Wiring) -> Peer:
    answer = await session.initialize()
    if wiring.log_level is not None:
        await session.set_logging_level(wiring.log_level)
    return Peer(session, None, answer, wiring)


@asynccontextmanager
async def _own_client(client: Any, wiring: Wiring) -> AsyncIterator[Peer]:
    """Use a client that was passed; what it does on requests of the server is its own affair."""
    async with client:
        session = client.session
        about = getattr(client, 'initialize_result', None) or session
        second = not is_v1() and isinstance(client, sdk().Client)
        peer = Peer(session, client if second else None, about, wiring)
        peer.tells_changes = False
        if wiring.log_level is not None:
            await session.set_logging_level(wiring.log_level)
        yield peer


@asynccontextmanager
async def _first_generation(
    transport: Any, wiring: Wiring, hear: Callable[[Any], Awaitable[None]]
) -> AsyncIterator[Peer]:
    callbacks = _callbacks(wiring, hear)
    async with AsyncExitStack() as stack:
        opening = _opening(transport)
        if getattr(opening, '__aenter__', None) is not None:
            streams: Any = await stack.enter_async_context(opening)
            opening = sdk().ClientSession(streams[0], streams[1], **callbacks)
        else:
            memory: Any = import_module('mcp.shared.memory')  # its functions differ between the generations
            opening = memory.create_connected_server_and_client_session(opening, **callbacks)
        session: Any = await stack.enter_async_context(opening)
        yield await _initialized(session, wiring)


def _opening(transport: Any) -> Any:
    """Return what to open: streams, or a server of the `mcp` package, which may be under one of the `fastmcp` package."""
    if not isinstance(transport, Given):
        return transport.streams()
    target = transport.target
    return getattr(target, '_mcp_server', target) if type(target).__module__.startswith('fastmcp') else target


@asynccontextmanager
async def _second_generation(
    transport: Any, wiring: Wiring, hear: Callable[[Any], Awaitable[None]], changed: Callable[[str], None]
) -> AsyncIterator[Peer]:
    options = {name: value for name, value in _callbacks(wiring, hear).items() if value is not None}
    async with AsyncExitStack() as stack:
        client: Any = None
        for mode in _modes(wiring):
            try:
                client = await stack.enter_async_context(
                    sdk().Client(_opening(transport), mode=mode, log_level=wiring.log_level, **options)
                )
                break
            except sdk_error():
                if mode == 'auto':
                    raise
        peer = Peer(client.session, client, client.session, wiring)
        if client.session.initialize_result is None:
            peer.tells_changes = await _subscribe(stack, client, changed)
        elif wiring.log_level is not None:
            await client.session.set_logging_level(wiring.log_level)
        yield peer


def _modes(wiring: Wiring) -> tuple[str, ...]:
    """Return how to agree on a version of the protocol.

    Since the version of July 2026 servers cannot ask in the middle of a call, and those that are written to do so fail there.
    So who has answers to give is heard of first under the older versions.
    """
    answers = wiring.sampling or wiring.elicitation or wiring.roots
    return ('legacy', 'auto') if answers is not None else ('auto',)


async def _subscribe(stack: AsyncExitStack, client: Any, changed: Callable[[str], None]) -> bool:
    """Let a server say when its lists change; servers of the newer protocol do so only when asked."""
    try:
        listening = client.listen(tools_list_changed=True, prompts_list_changed=True, resources_list_changed=True)
        events = await stack.enter_async_context(listening)
    except (RuntimeError, asyncio.TimeoutError, TimeoutError, sdk_error()):
        return False

    async def watch() -> None:
        with suppress(Exception):  # the subscription is lost with the connection
            async for _ in events:
                for what in LIST_CHANGES.values():
                    changed(what)

    task = asyncio.ensure_future(watch())

    async def stop() -> None:
        task.cancel()
        await asyncio.wait([task])

    stack.push_async_callback(stop)
    return bool(getattr(events.honored, 'tools_list_changed', False))
