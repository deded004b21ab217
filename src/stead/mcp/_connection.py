"""Connections to servers, for both generations of the `mcp` package."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from typing import cast

from typing_extensions import TypeAlias

from .._kit.aio import TimeLimitReached, cancel_and_drain, within
from .._kit.json_types import JsonObject
from .._kit.secret import hide_secret
from ._transports import ObjectTransport, Transport
from ._wire import CONNECTION_CLOSED, Callback, MCPError, SdkObject, field, is_v1, sdk, sdk_error

LIST_CHANGES = {
    'notifications/tools/list_changed': 'tools',
    'notifications/resources/list_changed': 'resources',
    'notifications/prompts/list_changed': 'prompts',
}
MAX_PAGES = 1000
MAX_ITEMS = 10_000
"""How many items a list of a server may have: the event loop stands still while they are read and shown to a model."""
_CANCEL_SECONDS = 2.0


MessageHandler: TypeAlias = Callable[[SdkObject], Awaitable[None]]
"""Handles messages that the server sends on its own."""


@dataclass(kw_only=True)
class ConnectionOptions:
    """The transport, callbacks and limits of a connection."""

    transport: Transport
    sampling: Callback | None = None
    elicitation: Callback | None = None
    roots: Callback | None = None
    logging: Callback | None = None
    progress: Callback | None = None
    message: Callback | None = None
    log_level: str | None = None
    client_info: SdkObject = None
    init_timeout: float | None = None
    read_timeout: float | None = None


class Connection:
    """An open connection to a server."""

    def __init__(
        self, session: SdkObject, client: SdkObject, initialized: SdkObject, options: ConnectionOptions
    ) -> None:
        self.session = session
        # Only clients of the second generation answer requests that a server sends during a call.
        self.caller = session if client is None else client
        self.options = options
        self.server_info = field(initialized, 'server_info')
        self.capabilities = field(initialized, 'capabilities') or field(initialized, 'server_capabilities')
        self.instructions: str | None = initialized.instructions
        self.reports_changes = True
        """Whether the server reports that its lists changed, so that they can be cached."""

    async def listed(self, method: str, items: str) -> list[SdkObject]:
        """Return the items on all pages of a list.

        Raises:
            MCPError: There are more than `MAX_PAGES` pages, or `MAX_ITEMS` items.
        """
        from mcp.types import PaginatedRequestParams

        listed: list[SdkObject] = []
        cursor: str | None = None
        for _ in range(MAX_PAGES):
            page = await getattr(self.session, method)(params=PaginatedRequestParams(cursor=cursor))
            listed += field(page, items)
            if len(listed) > MAX_ITEMS:
                raise MCPError(f'The list of {items} has more than {MAX_ITEMS} items.', CONNECTION_CLOSED)
            cursor = field(page, 'next_cursor')
            if not cursor:
                return listed
        raise MCPError(f'The list of {items} did not end after {MAX_PAGES} pages.', CONNECTION_CLOSED)

    async def call_tool(self, name: str, arguments: JsonObject, meta: JsonObject | None) -> SdkObject:
        """Call a tool."""
        return await self.caller.call_tool(name, arguments, progress_callback=self.options.progress, meta=meta)

    @property
    def has_tasks(self) -> bool:
        """Whether tools can be called as tasks: the first generation of the package has them from 1.23 on."""
        return hasattr(cast('type[object]', type(self.session)), 'experimental')

    async def call_as_task(self, name: str, arguments: JsonObject, meta: JsonObject | None) -> SdkObject:
        """Begin a tool as a task of the server, and wait for its result; the task is cancelled if the wait is."""
        from mcp.types import CallToolResult

        tasks: SdkObject = self.session.experimental
        started = await tasks.call_tool_as_task(name, arguments, meta=meta)
        task_id = started.task.taskId
        try:
            async for _ in tasks.poll_task(task_id):
                pass
            return await tasks.get_task_result(task_id, CallToolResult)
        except asyncio.CancelledError:
            with suppress(Exception):  # the connection may be gone
                await within(_CANCEL_SECONDS, tasks.cancel_task(task_id))
            raise

    async def read_resource(self, uri: str) -> SdkObject:
        """Read a resource."""
        if is_v1():
            from pydantic import AnyUrl

            return await self.session.read_resource(AnyUrl(uri))
        return await self.caller.read_resource(uri)

    async def get_prompt(self, name: str, arguments: dict[str, str] | None) -> SdkObject:
        """Return a prompt with its arguments filled in."""
        return await self.caller.get_prompt(name, arguments)


@asynccontextmanager
async def connect(options: ConnectionOptions, changed: Callable[[str], None]) -> AsyncIterator[Connection]:
    """Open a connection within the time limit.

    Raises:
        MCPError: The server cannot be reached.
        ImportError: The extra `mcp` is not installed.
    """
    seconds = options.init_timeout
    sdk()  # which may take seconds on a busy machine, and is not time of the server
    async with AsyncExitStack() as stack:
        opening = stack.enter_async_context(open_connection(options, changed))
        try:
            connection = await (opening if seconds is None else within(seconds, opening))
        except Exception as error:
            explained = _explained(error, options)
            raise explained from explained.__cause__
        yield connection


def _explained(error: Exception, options: ConnectionOptions) -> Exception:
    label = options.transport.label
    # A time limit of the transport raises `TimeoutError` too.
    timed_out = isinstance(error, TimeLimitReached)
    inner: BaseException = error
    while causes := cast(
        'tuple[BaseException, ...]', getattr(inner, 'exceptions', ())
    ):  # an exception group, from the task group of a transport
        inner = causes[0]
    if not timed_out and (isinstance(inner, (ImportError, MCPError)) or type(inner).__module__.startswith('stead.')):
        return inner if isinstance(inner, Exception) else error
    if isinstance(inner, Exception):
        for secret in options.transport.secrets:
            hide_secret(inner, secret)
    if timed_out and options.init_timeout is not None:
        message = f'The MCP server {label} did not answer within {options.init_timeout} seconds.'
    else:
        reason = f'{type(inner).__name__}: {inner}' if str(inner) else type(inner).__name__
        message = f'Cannot connect to the MCP server {label}: {reason}'
    explained = MCPError(message, CONNECTION_CLOSED)
    explained.__cause__ = inner
    return explained


@asynccontextmanager
async def open_connection(options: ConnectionOptions, changed: Callable[[str], None]) -> AsyncIterator[Connection]:
    """Open a connection."""
    transport = options.transport
    on_message = _message_handler(options, changed)
    sdk()
    if isinstance(transport, ObjectTransport) and transport.is_client:
        async with _existing_client(transport.target, options) as connection:
            yield connection
    elif isinstance(transport, ObjectTransport) and transport.opens_sessions:
        async with transport.target.connect_session(**_callbacks(options, on_message)) as session:
            yield await _initialized(session, options)
    elif is_v1():
        async with _first_generation(transport, options, on_message) as connection:
            yield connection
    else:
        async with _second_generation(transport, options, on_message, changed) as connection:
            yield connection


def _message_handler(options: ConnectionOptions, changed: Callable[[str], None]) -> MessageHandler:
    async def on_message(message: SdkObject) -> None:
        what = LIST_CHANGES.get(getattr(getattr(message, 'root', message), 'method', ''))
        if what is not None:
            changed(what)
        if options.message is not None:
            await options.message(message)

    return on_message


def _callbacks(options: ConnectionOptions, on_message: MessageHandler) -> dict[str, object]:
    timeout: object = options.read_timeout
    if options.read_timeout is not None and is_v1():
        from datetime import timedelta

        timeout = timedelta(seconds=options.read_timeout)
    return {
        'read_timeout_seconds': timeout,
        'sampling_callback': options.sampling,
        'elicitation_callback': options.elicitation,
        'list_roots_callback': options.roots,
        'logging_callback': options.logging,
        'message_handler': on_message,
        'client_info': options.client_info,
    }


async def _initialized(session: SdkObject, options: ConnectionOptions) -> Connection:
    initialized = await session.initialize()
    if options.log_level is not None:
        await session.set_logging_level(options.log_level)
    return Connection(session, None, initialized, options)


@asynccontextmanager
async def _existing_client(client: SdkObject, options: ConnectionOptions) -> AsyncIterator[Connection]:
    """Use a client that was passed; it handles requests of the server itself."""
    async with client:
        session = client.session
        initialized = getattr(client, 'initialize_result', None) or session
        is_second = not is_v1() and isinstance(client, sdk().Client)
        connection = Connection(session, client if is_second else None, initialized, options)
        connection.reports_changes = False
        if options.log_level is not None:
            await session.set_logging_level(options.log_level)
        yield connection


@asynccontextmanager
async def _first_generation(
    transport: Transport, options: ConnectionOptions, on_message: MessageHandler
) -> AsyncIterator[Connection]:
    callbacks = _callbacks(options, on_message)
    async with AsyncExitStack() as stack:
        opening = await _opening(transport, stack)
        if getattr(opening, '__aenter__', None) is not None:
            streams: SdkObject = await stack.enter_async_context(opening)
            opening = sdk().ClientSession(streams[0], streams[1], **callbacks)
        else:
            memory: SdkObject = import_module('mcp.shared.memory')  # its functions differ between the generations
            opening = memory.create_connected_server_and_client_session(opening, **callbacks)
        session: SdkObject = await stack.enter_async_context(opening)
        yield await _initialized(session, options)


async def _opening(transport: Transport, stack: AsyncExitStack) -> SdkObject:
    """Return the streams to open, or the server of the `mcp` package, which one of the `fastmcp` package wraps.

    A server of `fastmcp` has a lifespan of its own around that of the server that it wraps, which is entered here.
    """
    if not isinstance(transport, ObjectTransport):
        return transport.streams()
    target = transport.target
    if not type(target).__module__.startswith('fastmcp'):
        return target
    if (lifespan := getattr(target, '_lifespan_manager', None)) is not None:
        await stack.enter_async_context(lifespan())
    return getattr(target, '_mcp_server', target)


@asynccontextmanager
async def _second_generation(
    transport: Transport, options: ConnectionOptions, on_message: MessageHandler, changed: Callable[[str], None]
) -> AsyncIterator[Connection]:
    arguments = {name: value for name, value in _callbacks(options, on_message).items() if value is not None}
    async with AsyncExitStack() as stack:
        client: SdkObject = None
        for mode in _modes(options):
            try:
                client = await stack.enter_async_context(
                    sdk().Client(await _opening(transport, stack), mode=mode, log_level=options.log_level, **arguments)
                )
                break
            except sdk_error():
                if mode == 'auto':
                    raise
        connection = Connection(client.session, client, client.session, options)
        if client.session.initialize_result is None:
            connection.reports_changes = await _subscribe(stack, client, changed)
        elif options.log_level is not None:
            await client.session.set_logging_level(options.log_level)
        yield connection


def _modes(options: ConnectionOptions) -> tuple[str, ...]:
    """Return the ways to negotiate a version of the protocol, in the order to try them.

    From the version of July 2026 on, servers cannot send requests during a call, and those written to do so fail. A client
    with callbacks for such requests therefore tries the older versions first.
    """
    callback = options.sampling or options.elicitation or options.roots
    return ('legacy', 'auto') if callback is not None else ('auto',)


async def _subscribe(stack: AsyncExitStack, client: SdkObject, changed: Callable[[str], None]) -> bool:
    """Subscribe to changes of the lists of a server, and return whether it reports them.

    Servers of the newer protocol report changes only to subscribers.
    """
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

    stack.push_async_callback(cancel_and_drain, asyncio.ensure_future(watch()))
    return bool(getattr(events.honored, 'tools_list_changed', False))
