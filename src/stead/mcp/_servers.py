"""`MCPServer` and its subclasses, one for each transport: the older API of `MCPToolset`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from typing_extensions import ParamSpec, TypedDict, TypeVar, Unpack, deprecated

from .._contracts.model import RequestedModel
from .._contracts.run_context import AgentDepsT
from .._kit.deprecated import warn_deprecated
from ..exceptions import UserError
from ._callbacks import sampling_with_model
from ._connection import ConnectionOptions, MessageHandler
from ._server_toolset import ProcessToolCallback, ServerToolset
from ._transports import HttpTransport, ProcessTransport, secrets_of_args, secrets_of_url, shown_args, shown_url
from ._wire import Callback, SdkObject

P = ParamSpec('P')
T = TypeVar('T')


class _Options(TypedDict, total=False):
    tool_prefix: str | None
    """The prefix of the names of tools, without the underscore that follows it."""
    log_level: str | None
    """The lowest level of log messages that the server should send."""
    log_handler: MessageHandler | None
    """Called with each log message of the server."""
    timeout: float
    """The time limit for connecting, in seconds."""
    process_tool_call: ProcessToolCallback | None
    """Called instead of each tool."""
    allow_sampling: bool
    """Whether the server may ask `sampling_model`."""
    sampling_model: RequestedModel | None
    """The model that answers sampling requests of the server."""
    max_retries: int
    """How many times the model may retry a call."""
    elicitation_callback: Callback | None
    """A callback of the `mcp` package, called when the server asks the user."""
    cache_prompts: bool
    """Whether to cache the list of prompts until the server reports a change."""
    cache_tools: bool
    """Whether to cache the list of tools."""
    cache_resources: bool
    """Whether to cache the list of resources."""
    include_instructions: bool
    """Whether to add the instructions of the server to those of the agent."""
    include_return_schema: bool | None
    """Whether to send return schemas to the model."""
    trust_annotations: bool
    """Whether what the server says of the effects of its tools is believed, so that a journal may repeat their calls."""
    id: str | None
    """The id of the toolset; by default the prefix."""
    client_info: SdkObject
    """The name and version of the client."""


class ServerOptions(_Options, total=False):
    """The options of all kinds of servers."""

    read_timeout: float
    """The time limit for a response, in seconds."""


@dataclass
class _Streams:
    """The transport of an `MCPServer`: the streams it opens."""

    server: MCPServer[Any]

    @property
    def label(self) -> str:
        return self.server.label

    @property
    def secrets(self) -> tuple[str, ...]:
        return self.server._secrets()  # pyright: ignore[reportPrivateUsage]

    def streams(self) -> AbstractAsyncContextManager[SdkObject]:
        return self.server.client_streams()

    @property
    def lost_sessions(self) -> int:
        """See `HttpTransport`."""
        transport = self.server._transport
        return 0 if transport is None else transport.lost_sessions


class MCPServer(ServerToolset[AgentDepsT]):
    """The tools of an MCP server; base class of one class for each transport."""

    def __init__(
        self,
        tool_prefix: str | None = None,
        log_level: str | None = None,
        log_handler: MessageHandler | None = None,
        timeout: float = 5,
        read_timeout: float = 300,
        process_tool_call: ProcessToolCallback | None = None,
        allow_sampling: bool = True,
        sampling_model: RequestedModel | None = None,
        max_retries: int = 1,
        elicitation_callback: Callback | None = None,
        *,
        cache_prompts: bool = True,
        cache_tools: bool = True,
        cache_resources: bool = True,
        include_instructions: bool = False,
        include_return_schema: bool | None = None,
        trust_annotations: bool = False,
        id: str | None = None,
        client_info: SdkObject = None,
    ) -> None:
        """Create a toolset. See `ServerOptions` for the arguments."""
        self.tool_prefix = tool_prefix
        self.log_level = log_level
        self.log_handler = log_handler
        self.timeout = timeout
        self.read_timeout = read_timeout
        self.process_tool_call = process_tool_call
        self.allow_sampling = allow_sampling
        self.sampling_model = sampling_model
        self.max_retries: int | None = max_retries
        self.elicitation_callback = elicitation_callback
        self.cache_prompts = cache_prompts
        self.cache_tools = cache_tools
        self.cache_resources = cache_resources
        self.include_instructions = include_instructions
        self.include_return_schema = include_return_schema
        self.trust_annotations = trust_annotations
        self.client_info = client_info
        self._id = id or tool_prefix
        self._transport: HttpTransport | None = None
        """The transport of the last connection, if it is one over HTTP."""
        self._start()

    @abstractmethod
    def client_streams(self) -> AbstractAsyncContextManager[SdkObject]:
        """Return a context manager of the streams to the server."""
        raise NotImplementedError

    def _connection_options(self) -> ConnectionOptions:
        return ConnectionOptions(
            transport=_Streams(self),
            sampling=sampling_with_model(lambda: self.sampling_model, self._runs) if self.allow_sampling else None,
            elicitation=self.elicitation_callback,
            logging=self.log_handler,
            log_level=self.log_level,
            client_info=self.client_info,
            init_timeout=self.timeout,
            read_timeout=self.read_timeout,
        )

    @property
    def label(self) -> str:
        """The name of the toolset in error messages."""
        return f'{type(self).__name__} {self._id!r}' if self._id else repr(self)

    @property
    def tool_name_conflict_hint(self) -> str:
        """What to do about tools of the same name."""
        return 'Set the `tool_prefix` attribute to avoid name conflicts.'

    def _name_for_model(self, name: str) -> str:
        return f'{self.tool_prefix}_{name}' if self.tool_prefix else name

    def _name_for_server(self, name: str) -> str:
        return name.removeprefix(f'{self.tool_prefix}_') if self.tool_prefix else name

    async def _follow(self, uri: str) -> object:
        return await self.read_resource(uri)

    def _address(self) -> dict[str, object]:
        """Return the settings that identify the server."""
        return {}

    def _shown(self) -> dict[str, object]:
        """Return what `repr` shows of them."""
        return {}

    def _secrets(self) -> tuple[str, ...]:
        """Return what `repr` leaves out, since it may be secret."""
        return ()

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        server = cast('MCPServer[Any]', other)
        settings = ('tool_prefix', 'timeout', 'read_timeout', 'max_retries', 'allow_sampling', '_id')
        return self._address() == server._address() and all(
            getattr(self, one) == getattr(server, one) for one in settings
        )

    def __hash__(self) -> int:
        return object.__hash__(self)

    def __repr__(self) -> str:
        shown = self._shown()
        if self._id is not None:
            shown['id'] = self._id
        return f'{type(self).__name__}({", ".join(f"{name}={value!r}" for name, value in shown.items())})'


@deprecated(
    '`MCPServerStdio` is an old name; use `MCPToolset` with the path of a script, or with `{"command": ..., "args": [...]}` '
    'under the name of the server.',
)
class MCPServerStdio(MCPServer[AgentDepsT]):
    """The tools of an MCP server that is a program, reached over its standard input and output."""

    def __init__(
        self,
        command: str,
        args: Sequence[str],
        *,
        env: dict[str, str] | None = None,
        cwd: str | Path | None = None,
        **options: Unpack[ServerOptions],
    ) -> None:
        """Create a toolset.

        Args:
            command: The program.
            args: Its arguments.
            env: Its environment variables, added to a few of this process.
            cwd: Its working directory.
            options: See `ServerOptions`.
        """
        self.command = command
        self.args = args
        self.env = env
        self.cwd = cwd
        super().__init__(**options)

    def client_streams(self) -> AbstractAsyncContextManager[SdkObject]:
        """Start the program, and return a context manager of the streams to it."""
        return ProcessTransport(self.command, list(self.args), self.env, self.cwd).streams()

    def _address(self) -> dict[str, object]:
        return {'command': self.command, 'args': list(self.args), 'env': self.env, 'cwd': self.cwd}

    def _shown(self) -> dict[str, object]:
        return {'command': self.command, 'args': shown_args(self.args)}

    def _secrets(self) -> tuple[str, ...]:
        return secrets_of_args(self.args)


class _MCPServerHTTP(MCPServer[AgentDepsT]):
    """The tools of an MCP server behind a URL."""

    _sse = False

    def __init__(
        self,
        url: str,
        *,
        headers: dict[str, str] | None = None,
        http_client: SdkObject = None,
        read_timeout: float | None = None,
        sse_read_timeout: float | None = None,
        **options: Unpack[_Options],
    ) -> None:
        """Create a toolset.

        Args:
            url: The URL.
            headers: Headers for all requests.
            http_client: The HTTP client to use, with its own headers.
            read_timeout: The time limit for a response, in seconds; 300 if `None`.
            sse_read_timeout: The old name of `read_timeout`.
            options: See `ServerOptions`.

        Raises:
            UserError: An argument is unknown.
            TypeError: There are `read_timeout` and its old name.
        """
        if unknown := options.keys() - _Options.__annotations__.keys():
            raise UserError(f'{type(self).__name__} does not take the arguments {", ".join(sorted(unknown))}.')
        if sse_read_timeout is not None:
            if read_timeout is not None:
                raise TypeError('`sse_read_timeout` is the old name of `read_timeout`: pass only one of them.')
            warn_deprecated('`sse_read_timeout` is an old name; use `read_timeout`.', DeprecationWarning)
            read_timeout = sse_read_timeout
        self.url = url
        self.headers = headers
        self.http_client = http_client
        super().__init__(read_timeout=300 if read_timeout is None else read_timeout, **options)

    def client_streams(self) -> AbstractAsyncContextManager[SdkObject]:
        """Return a context manager of the streams to the server.

        Raises:
            UserError: There are both headers and an HTTP client.
        """
        self._transport = HttpTransport(
            self.url,
            self.headers,
            self.http_client,
            sse=self._sse,
            timeout=self.timeout,
            stream_timeout=self.read_timeout,
        )
        return self._transport.streams()

    def _address(self) -> dict[str, object]:
        return {'url': self.url, 'headers': self.headers}

    def _shown(self) -> dict[str, object]:
        return {'url': shown_url(self.url)}

    def _secrets(self) -> tuple[str, ...]:
        return secrets_of_url(self.url)


@deprecated('`MCPServerSSE` is an old name; use `MCPToolset` with a URL that ends with `/sse`.')
class MCPServerSSE(_MCPServerHTTP[AgentDepsT]):
    """The tools of an MCP server that sends server-sent events."""

    _sse = True


@deprecated('`MCPServerHTTP` is an old name; use `MCPToolset`.')
class MCPServerHTTP(_MCPServerHTTP[AgentDepsT]):
    """The old name of `MCPServerSSE`."""

    _sse = True


@deprecated('`MCPServerStreamableHTTP` is an old name; use `MCPToolset` with the URL.')
class MCPServerStreamableHTTP(_MCPServerHTTP[AgentDepsT]):
    """The tools of an MCP server behind streamable HTTP."""

    _sse = False


def quietly(kind: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
    """Create an instance of a deprecated class without its warning, for functions that warn themselves."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter('ignore', DeprecationWarning)
        return kind(*args, **options)
