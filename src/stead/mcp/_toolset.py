"""`MCPToolset`: the tools of an MCP server, over any transport."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path
from typing import Any, Literal, Union

from typing_extensions import TypeAlias

from .._contracts.model import RequestedModel
from .._contracts.run_context import AgentDepsT
from .._contracts.tool_definition import ToolDefinition
from .._kit.json_types import JsonObject
from .._kit.keywords import dataclass
from ..exceptions import UserError
from ._callbacks import as_handler, elicitation_with_handler, roots_callback, sampling_with_handler, sampling_with_model
from ._client import client_for
from ._connection import ConnectionOptions, MessageHandler
from ._server_toolset import CallToolFunc, ProcessToolCallback, ServerToolset, ToolResult
from ._transports import HttpTransport, ObjectTransport, as_transport
from ._wire import Callback, SdkObject, dump, field

MCPToolsetClient: TypeAlias = Union[str, Path, 'dict[str, Any]', AbstractAsyncContextManager[Any], Any]
"""A URL, the path of a script, a configuration with one server; a transport, server or client of the `mcp` or `fastmcp`
package."""

INIT_TIMEOUT = 30.0
OAUTH_TIMEOUT = 330.0
"""The seconds for connecting where a user has to agree in a browser first, for which `fastmcp` waits 300."""
READ_TIMEOUT = 300.0
_DEFAULT: Any = object()


class _LazyClient:
    """The attribute `client`: what was passed, or a client of the package `fastmcp`, which is created on first use."""

    def __get__(self, toolset: MCPToolset[Any] | None, owner: type[object]) -> MCPToolsetClient:
        if toolset is None:
            raise AttributeError('`client` is an attribute of toolsets')
        toolset.client = client_for(toolset._target, toolset._transport, toolset._settings_of_client)
        return toolset.client


@dataclass(init=False, repr=False, eq=False)
class MCPToolset(ServerToolset[AgentDepsT]):
    """The tools of an MCP server.

    The connection is open while the toolset is entered, which runs do; all of them share it.
    """

    client: MCPToolsetClient = _LazyClient()
    """A `fastmcp.Client` for the server, with connections of its own: the one that was passed, or a new one if the package is
    installed. Without it, the server that was passed."""
    tool_error_behavior: Literal['retry', 'error']
    """What to do when a tool fails: ask the model to retry, or raise an exception."""
    max_retries: int | None
    """How many times the model may retry a call; `None` means the setting of the agent."""
    cache_tools: bool
    """Whether to cache the list of tools until the server reports a change."""
    cache_resources: bool
    """Whether to cache the list of resources."""
    cache_prompts: bool
    """Whether to cache the list of prompts."""
    include_instructions: bool
    """Whether to add the instructions of the server to those of the agent."""
    include_return_schema: bool | None
    """Whether to send return schemas to the model."""
    trust_annotations: bool
    """Whether what the server says of the effects of its tools is believed."""
    process_tool_call: ProcessToolCallback | None
    """Called instead of each tool."""
    sampling_model: RequestedModel | None
    """The model that answers sampling requests of the server."""
    log_level: str | None
    """The lowest level of log messages that the server should send."""

    def __init__(
        self,
        client: MCPToolsetClient,
        *,
        id: str | None = None,
        max_retries: int | None = None,
        tool_error_behavior: Literal['retry', 'error'] = 'retry',
        process_tool_call: ProcessToolCallback | None = None,
        cache_tools: bool = True,
        cache_resources: bool = True,
        cache_prompts: bool = True,
        include_instructions: bool = False,
        include_return_schema: bool | None = None,
        trust_annotations: bool = False,
        sampling_model: RequestedModel | None = None,
        sampling_handler: Callback | None = None,
        elicitation_handler: Callback | None = None,
        log_handler: MessageHandler | None = None,
        log_level: str | None = None,
        progress_handler: Callable[[float, float | None, str | None], Awaitable[None]] | None = None,
        message_handler: MessageHandler | None = None,
        client_info: SdkObject = None,
        init_timeout: float | None = _DEFAULT,
        read_timeout: float | None = _DEFAULT,
        roots: Sequence[Any] | Callback | None = None,
        auth: SdkObject = None,
        verify: SdkObject = None,
        headers: dict[str, str] | None = None,
        http_client: SdkObject = None,
    ) -> None:
        """Create a toolset.

        Args:
            client: The server: a URL (one ending in `/sse` uses server-sent events, others streamable HTTP), the path of a
                script, a configuration with one server, or a transport, server or client.
            id: An id for the toolset.
            max_retries: How many times the model may retry a call; `None` means the setting of the agent.
            tool_error_behavior: What to do when a tool fails: `'retry'` asks the model to retry, `'error'` raises an exception.
            process_tool_call: Called instead of each tool; it may change arguments and result, and pass metadata.
            cache_tools: Whether to cache the list of tools until the server reports a change.
            cache_resources: Whether to cache the list of resources.
            cache_prompts: Whether to cache the list of prompts.
            include_instructions: Whether to add the instructions of the server to those of the agent.
            include_return_schema: Whether to send return schemas to the model.
            trust_annotations: Whether `readOnlyHint` and `idempotentHint`, which servers may set on tools, are taken for their
                effect, so that a journal may repeat their calls. Set it only for servers that you trust.
            sampling_model: The model that answers sampling requests of the server.
            sampling_handler: A function to call instead, with messages, parameters and context.
            elicitation_handler: A function that asks the user, called with message, type of the answer, parameters and context.
            log_handler: Called with each log message of the server.
            log_level: The lowest level of log messages that the server should send.
            progress_handler: Called with progress, total and message while a tool runs.
            message_handler: Called with every message that the server sends on its own.
            client_info: The name and version of the client, an `mcp.types.Implementation`.
            init_timeout: The time limit for connecting, in seconds; `None` for no limit. By default 30, with `auth='oauth'` 330.
            read_timeout: The time limit for a response, in seconds; `None` for no limit.
            roots: Folders that the server may use: URIs, or a function of the context that returns them.
            auth: For URLs: a bearer token, an auth object of the HTTP client, or `'oauth'`, which asks the user in a browser
                and needs the extra `fastmcp`.
            verify: For URLs: how certificates are verified, as for the HTTP client.
            headers: For URLs: headers for all requests.
            http_client: For URLs: the HTTP client to use, with its own settings of these kinds.

        Raises:
            UserError: `client` is none of these, or settings conflict.
            ImportError: `auth` is `'oauth'`, and the package `fastmcp` is not installed.
        """
        if sampling_model is not None and sampling_handler is not None:
            raise UserError('`sampling_model` and `sampling_handler` cannot be combined. Pass one of them.')
        options = {'headers': headers, 'http_client': http_client, 'auth': auth, 'verify': verify}
        self._target = client
        self._transport = as_transport(client, {name: value for name, value in options.items() if value is not None})
        if isinstance(self._transport, HttpTransport):
            self._transport.stream_timeout = READ_TIMEOUT if read_timeout is _DEFAULT else read_timeout or 3600.0
        self._own_client: SdkObject = None
        self._start()
        if isinstance(self._transport, ObjectTransport) and self._transport.is_client:
            self._own_client = self.client = client
            handlers: dict[str, object] = {
                'sampling_model': sampling_model,
                'sampling_handler': sampling_handler,
                'elicitation_handler': elicitation_handler,
                'log_handler': log_handler,
                'message_handler': message_handler,
                'client_info': client_info,
                'roots': roots,
                'init_timeout': None if init_timeout is _DEFAULT else init_timeout,
                'read_timeout': None if read_timeout is _DEFAULT else read_timeout,
            }
            if passed := [f'`{name}`' for name, value in handlers.items() if value is not None]:
                raise UserError(
                    f'{", ".join(passed)}: settings of the client. Set them on the {type(client).__name__} that you pass.'
                )
        self.tool_error_behavior = tool_error_behavior
        self.max_retries = max_retries
        self.cache_tools = cache_tools
        self.cache_resources = cache_resources
        self.cache_prompts = cache_prompts
        self.include_instructions = include_instructions
        self.include_return_schema = include_return_schema
        self.trust_annotations = trust_annotations
        self.process_tool_call = process_tool_call
        self.sampling_model = sampling_model
        self.log_level = log_level
        self._id = id
        self._sampling_handler = sampling_handler
        longest = OAUTH_TIMEOUT if isinstance(auth, str) and auth == 'oauth' else INIT_TIMEOUT
        self._settings: dict[str, Any] = {
            'elicitation': elicitation_with_handler(elicitation_handler) if elicitation_handler is not None else None,
            'roots': roots_callback(roots) if roots is not None else None,
            'logging': log_handler,
            'progress': progress_handler,
            'message': message_handler,
            'client_info': client_info,
            'init_timeout': longest if init_timeout is _DEFAULT else init_timeout,
            'read_timeout': READ_TIMEOUT if read_timeout is _DEFAULT else read_timeout,
        }
        handlers_of_client: dict[str, object] = {
            'sampling_handler': sampling_handler
            or (as_handler(sampling_model, self._runs) if sampling_model is not None else None),
            'elicitation_handler': elicitation_handler,
            'log_handler': log_handler,
            'progress_handler': progress_handler,
            'message_handler': message_handler,
            'client_info': client_info,
            'roots': roots,
            'timeout': self._settings['read_timeout'],
            'init_timeout': self._settings['init_timeout'],
        }
        self._settings_of_client = {name: value for name, value in handlers_of_client.items() if value is not None}

    def _connection_options(self) -> ConnectionOptions:
        sampling = None
        if self._sampling_handler is not None:
            sampling = sampling_with_handler(self._sampling_handler)
        elif self.sampling_model is not None:
            sampling = sampling_with_model(lambda: self.sampling_model, self._runs)
        return ConnectionOptions(
            transport=self._transport, sampling=sampling, log_level=self.log_level, **self._settings
        )

    @property
    def retries_errors(self) -> bool:  # type: ignore[reportIncompatibleVariableOverride]
        """Whether the model is asked to retry when a tool fails."""
        return self.tool_error_behavior != 'error'

    @property
    def label(self) -> str:
        """The name of the toolset in error messages."""
        return f'{type(self).__name__} {self._id or self._transport.label!r}'

    @property
    def tool_name_conflict_hint(self) -> str:
        """What to do about tools of the same name."""
        return 'Wrap the toolset with `.prefixed("...")` to tell tools of several MCP servers apart.'

    def _metadata(self, tool: SdkObject) -> JsonObject:
        execution = field(tool, 'execution')
        support = field(execution, 'task_support') if execution is not None else None
        annotations = dump(tool.annotations)
        return {'meta': tool.meta, 'annotations': annotations, 'task': support in ('optional', 'required')}

    async def direct_call_tool(
        self,
        name: str,
        args: JsonObject,
        metadata: JsonObject | None = None,
        *,
        use_task: bool = False,
    ) -> ToolResult:
        """Call a tool by its name on the server.

        Args:
            name: The name of the tool.
            args: The arguments.
            metadata: Metadata to send in addition to the arguments.
            use_task: Whether the server runs the tool as a task, whose result is then asked for. In runs, that is done with all
                tools that say so.

        Raises:
            ModelRetry: The tool failed, and the model is asked to retry.
            MCPError: The tool failed and errors are raised, or the server cannot be reached.
            UserError: `use_task` is set, and the installed release of `mcp` has no tasks.
        """
        if use_task:
            async with self._connection() as connection:
                if not connection.value.has_tasks:
                    raise UserError(
                        f'The tool {name!r} cannot be called as a task: the installed release of `mcp` has none. Leave out '
                        '`use_task`, or install `mcp>=1.23,<2`.'
                    )
        return await self._call(name, args, metadata, as_task=use_task)

    def _call_of(self, definition: ToolDefinition) -> CallToolFunc:
        connected = self._current
        if (definition.metadata or {}).get('task') and connected is not None and connected.has_tasks:
            return partial(self.direct_call_tool, use_task=True)
        return super()._call_of(definition)

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other) or not isinstance(other, MCPToolset):
            return NotImplemented
        if self is other:
            return True
        return self._own_client is not None and self._own_client is other._own_client and self._id == other._id

    def __hash__(self) -> int:
        return object.__hash__(self) if self._own_client is None else hash(id(self._own_client))

    def __repr__(self) -> str:
        name = f', id={self._id!r}' if self._id is not None else ''
        return f'{type(self).__name__}({self._transport.label!r}{name})'
