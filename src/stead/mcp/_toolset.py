"""`MCPToolset`: the tools of an MCP server, over any way to reach it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Union

from typing_extensions import TypeAlias

from .._contracts.model import AbstractModel
from .._contracts.run_context import AgentDepsT
from ..exceptions import UserError
from ._callbacks import elicitation_with_handler, roots_callback, sampling_with_handler, sampling_with_model
from ._link import Wiring
from ._server_toolset import ProcessToolCallback, ServerToolset, ToolResult
from ._transports import Given, Http, as_transport
from ._wire import dump, field

MCPToolsetClient: TypeAlias = Union[str, Path, 'dict[str, Any]', AbstractAsyncContextManager[Any], Any]
"""A URL, the path of a script, a configuration with one server; a transport, server or client of the `mcp` or `fastmcp`
package."""

INIT_TIMEOUT = 30.0
READ_TIMEOUT = 300.0
_DEFAULT: Any = object()


@dataclass(init=False, repr=False, eq=False)
class MCPToolset(ServerToolset[AgentDepsT]):
    """The tools of an MCP server.

    The connection is open while the toolset is entered, which runs do; whoever enters it first opens it for all.
    """

    client: MCPToolsetClient
    """The server, as it was passed."""
    tool_error_behavior: Literal['retry', 'error']
    """What a tool that fails leads to: another try of the model, or an exception."""
    max_retries: int | None
    """How often the model may try again; the number of the agent if `None`."""
    cache_tools: bool
    """Whether the list of tools is kept until the server says that it changed."""
    cache_resources: bool
    """Whether the list of resources is."""
    cache_prompts: bool
    """Whether the list of prompts is."""
    include_instructions: bool
    """Whether the instructions of the server become instructions of the agent."""
    include_return_schema: bool | None
    """Whether return schemas are sent to the model."""
    process_tool_call: ProcessToolCallback | None
    """Called instead of each tool."""
    sampling_model: AbstractModel | None
    """Answers when the server wants to ask a model."""
    log_level: str | None
    """The least important level of logs that the server is to send."""

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
        sampling_model: AbstractModel | None = None,
        sampling_handler: Callable[..., Any] | None = None,
        elicitation_handler: Callable[..., Any] | None = None,
        log_handler: Callable[[Any], Awaitable[None]] | None = None,
        log_level: str | None = None,
        progress_handler: Callable[[float, float | None, str | None], Awaitable[None]] | None = None,
        message_handler: Callable[[Any], Awaitable[None]] | None = None,
        client_info: Any = None,
        init_timeout: float | None = _DEFAULT,
        read_timeout: float | None = _DEFAULT,
        roots: Sequence[Any] | Callable[..., Any] | None = None,
        auth: Any = None,
        verify: Any = None,
        headers: dict[str, str] | None = None,
        http_client: Any = None,
    ) -> None:
        """Build a toolset.

        Args:
            client: The server: a URL (`/sse` at its end means server-sent events, others streamable HTTP), the path of a
                script, a configuration with one server, or a transport, server or client.
            id: An id for the toolset.
            max_retries: How often the model may try again; the number of the agent if `None`.
            tool_error_behavior: What a tool that fails leads to: `'retry'` tells the model, `'error'` raises.
            process_tool_call: Called instead of each tool; it may change arguments and result, and pass metadata.
            cache_tools: Whether the list of tools is kept until the server says that it changed.
            cache_resources: Whether the list of resources is.
            cache_prompts: Whether the list of prompts is.
            include_instructions: Whether the instructions of the server become instructions of the agent.
            include_return_schema: Whether return schemas are sent to the model.
            sampling_model: Answers when the server wants to ask a model.
            sampling_handler: A function that answers instead, of messages, parameters and context.
            elicitation_handler: A function that asks the user, of message, type of the answer, parameters and context.
            log_handler: Called with each log message of the server.
            log_level: The least important level of logs that the server is to send.
            progress_handler: Called with progress, total and message while a tool runs.
            message_handler: Called with everything that the server sends unasked.
            client_info: Name and version of the client, an `mcp.types.Implementation`.
            init_timeout: Seconds that connecting may take; `None` for no limit.
            read_timeout: Seconds that an answer may take; `None` for no limit.
            roots: Folders that the server may use: URIs, or a function of the context that returns some.
            auth: For URLs: a bearer token, or an auth object of the HTTP client.
            verify: For URLs: how certificates are verified, as for the HTTP client.
            headers: For URLs: headers of all requests.
            http_client: For URLs: the HTTP client, which then has all these settings.

        Raises:
            UserError: The server is nothing of that kind, or settings do not go together.
        """
        if sampling_model is not None and sampling_handler is not None:
            raise UserError('`sampling_model` and `sampling_handler` both answer for a model. Pass one of them.')
        options = {'headers': headers, 'http_client': http_client, 'auth': auth, 'verify': verify}
        self.client = client
        self._transport = as_transport(client, {name: value for name, value in options.items() if value is not None})
        if isinstance(self._transport, Http):
            self._transport.stream_timeout = READ_TIMEOUT if read_timeout is _DEFAULT else read_timeout or 3600.0
        if isinstance(self._transport, Given) and self._transport.is_client:
            handlers: dict[str, Any] = {
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
        self.process_tool_call = process_tool_call
        self.sampling_model = sampling_model
        self.log_level = log_level
        self._id = id
        self._sampling_handler = sampling_handler
        self._settings: dict[str, Any] = {
            'elicitation': elicitation_with_handler(elicitation_handler) if elicitation_handler is not None else None,
            'roots': roots_callback(roots) if roots is not None else None,
            'logging': log_handler,
            'progress': progress_handler,
            'message': message_handler,
            'client_info': client_info,
            'init_timeout': INIT_TIMEOUT if init_timeout is _DEFAULT else init_timeout,
            'read_timeout': READ_TIMEOUT if read_timeout is _DEFAULT else read_timeout,
        }
        self._start()

    def _wiring(self) -> Wiring:
        sampling = None
        if self._sampling_handler is not None:
            sampling = sampling_with_handler(self._sampling_handler)
        elif self.sampling_model is not None:
            sampling = sampling_with_model(lambda: self.sampling_model)
        return Wiring(transport=self._transport, sampling=sampling, log_level=self.log_level, **self._settings)

    @property
    def retries_errors(self) -> bool:  # type: ignore[reportIncompatibleVariableOverride]
        """Whether the model is asked to try again when a tool fails."""
        return self.tool_error_behavior != 'error'

    @property
    def label(self) -> str:
        """The name of the toolset in error messages."""
        return f'{type(self).__name__} {self._id or self._transport.label!r}'

    @property
    def tool_name_conflict_hint(self) -> str:
        """What to do when two servers have tools of one name."""
        return 'Wrap the toolset with `.prefixed("...")` to tell tools of several MCP servers apart.'

    def _metadata(self, tool: Any) -> dict[str, Any]:
        execution = field(tool, 'execution')
        support = field(execution, 'task_support') if execution is not None else None
        annotations = dump(tool.annotations)
        return {'meta': tool.meta, 'annotations': annotations, 'task': support in ('optional', 'required')}

    async def direct_call_tool(
        self,
        name: str,
        args: dict[str, Any],
        metadata: dict[str, Any] | None = None,
        *,
        use_task: bool = False,
    ) -> ToolResult:
        """Call a tool by the name that the server gave it.

        Args:
            name: The name of the tool.
            args: The arguments.
            metadata: Data for the server, besides the arguments.
            use_task: Not supported: tools are called and waited for.

        Raises:
            ModelRetry: The tool failed, and the model should try again.
            MCPError: The tool failed and errors are not for the model, or the server cannot be reached.
            UserError: `use_task` is set.
        """
        if use_task:
            raise UserError(
                f'The tool {name!r} cannot be called as a task: stead waits for tools. Leave out `use_task`.'
            )
        return await super().direct_call_tool(name, args, metadata)

    def __repr__(self) -> str:
        name = f', id={self._id!r}' if self._id is not None else ''
        return f'{type(self).__name__}({self._transport.label!r}{name})'
