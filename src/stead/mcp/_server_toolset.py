"""Base class of MCP toolsets: tools, resources, prompts and instructions of a server over one connection."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable
from contextlib import asynccontextmanager
from typing import Any, Protocol, Union

from pydantic import ValidationError
from pydantic_core import SchemaValidator, core_schema
from typing_extensions import Self, TypeAlias, TypeVar

from .._contracts.call_policy import CallPolicy, Effect
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.tool_definition import ToolDefinition
from .._contracts.toolset import AbstractToolset, ToolsetTool
from .._kit.json_types import JsonObject
from .._kit.shared import Opening, Shared
from .._kit.short import short_repr
from ..exceptions import ModelRetry
from ..messages import BinaryContent, InstructionPart
from . import _content as content
from ._callbacks import RunsUnderWay
from ._connection import Connection, ConnectionOptions, connect
from ._records import Prompt, PromptResult, Resource, ResourceTemplate, ServerCapabilities
from ._wire import CONNECTION_CLOSED, INTERNAL_ERROR, MCPError, SdkObject, dump, field, sdk_error

T = TypeVar('T')

ARGUMENTS = SchemaValidator(core_schema.dict_schema(core_schema.str_schema(), core_schema.any_schema()))
"""Accepts any object; the server validates its properties."""

_LONGEST_NAME = 256

ToolResult: TypeAlias = Union[str, BinaryContent, dict[str, Any], list[Any], Any]
"""The result of a tool call."""


def effect_of(annotations: JsonObject) -> Effect | None:
    """Return the effect that the annotations of a tool describe; `None` if they do not, or contradict each other.

    A tool that destroys nothing is not thereby one that may run twice: `destructiveHint: false` says that it only adds.
    """
    if annotations.get('readOnlyHint') is True:
        return 'read' if annotations.get('destructiveHint') is not True else None
    return 'idempotent' if annotations.get('idempotentHint') is True else None


class CallToolFunc(Protocol):
    """A function that calls a tool of a server, passed to a `ProcessToolCallback`."""

    async def __call__(self, name: str, args: JsonObject, *, metadata: JsonObject | None = None) -> ToolResult: ...


ProcessToolCallback: TypeAlias = Callable[[RunContext[Any], CallToolFunc, str, JsonObject], Awaitable[ToolResult]]
"""Called instead of each tool, with the run context, the function that calls the tool, its name and its arguments."""


class ServerToolset(AbstractToolset[AgentDepsT]):
    """The tools of an MCP server. All users share a connection while it is entered; otherwise each call opens its own."""

    max_retries: int | None
    process_tool_call: ProcessToolCallback | None
    cache_tools: bool
    cache_resources: bool
    cache_prompts: bool
    include_instructions: bool
    include_return_schema: bool | None
    trust_annotations: bool = False
    """Whether what the server says of the effects of its tools is believed, see `Effect`."""
    retries_errors = True
    """Whether the model is asked to retry when a tool fails."""
    reads_json = True
    """Whether to parse text that is JSON."""
    _id: str | None

    @abstractmethod
    def _connection_options(self) -> ConnectionOptions:
        """Return the options to connect with."""

    def _start(self) -> None:
        """Set up the state of the connection."""
        self._shared: Shared[Connection] = Shared()
        self._current: Connection | None = None
        self._cached: dict[str, list[Any]] = {}
        self._changes = 0
        self._runs = RunsUnderWay()

    # The connection.

    async def __aenter__(self) -> Self:
        """Open the connection, unless it is open.

        Raises:
            MCPError: The server cannot be reached.
            ImportError: The extra `mcp` is not installed.
        """
        self._current = (await self._shared.enter(lambda: connect(self._connection_options(), self._forget))).value
        return self

    async def __aexit__(self, *args: object) -> bool | None:
        """Close the connection, unless it has other users."""
        opening = self._shared.get()
        if opening is None:
            return None
        try:
            await opening.leave()  # errors while closing do not help the caller
        finally:
            if opening.users <= 0:
                if not self._shared.users:
                    self._current = None
                for what in tuple(self._cached):
                    self._forget(what)
        return None

    @property
    def is_running(self) -> bool:
        """Whether there is a connection."""
        return self._shared.users > 0

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[Opening[Connection]]:
        async with self:
            opening = self._shared.get()
            assert opening is not None, 'it has a user'
            yield opening

    def _connected(self, name: str) -> Connection:
        if self._current is None:
            raise AttributeError(
                f'`{type(self).__name__}.{name}` is known while the toolset is connected. Enter the toolset first: '
                '`async with toolset: ...`'
            )
        return self._current

    @property
    def server_info(self) -> SdkObject:
        """Name and version of the server.

        Raises:
            AttributeError: There is no connection.
        """
        return self._connected('server_info').server_info

    @property
    def capabilities(self) -> ServerCapabilities:
        """The capabilities of the server.

        Raises:
            AttributeError: There is no connection.
        """
        return ServerCapabilities.from_mcp_sdk(self._connected('capabilities').capabilities)

    @property
    def instructions(self) -> str | None:
        """The instructions of the server for the use of its tools.

        Raises:
            AttributeError: There is no connection.
        """
        return self._connected('instructions').instructions

    # Lists, which are cached until the server reports a change.

    def _forget(self, what: str) -> None:
        self._cached.pop(what, None)
        self._changes += 1

    async def _listed(self, what: str, cache: bool, ask: Callable[[Connection], Awaitable[list[T]]]) -> list[T]:
        if cache and what in self._cached:
            return self._cached[what]
        async with self._connection() as connection:
            changes = self._changes
            connection, listed = await self._answer_of(connection, ask)
            # Cached only while the connection lasts: without one, no change would be reported.
            lasting = connection.value.reports_changes and connection.users > 1
            if cache and lasting and changes == self._changes:
                self._cached[what] = listed
            return listed

    async def _answer_of(
        self, opening: Opening[Connection], ask: Callable[[Connection], Awaitable[T]]
    ) -> tuple[Opening[Connection], T]:
        """Return what a server answers, and the connection, which is another one if the server had forgotten its session.

        A server that was restarted refuses requests of sessions of before, and does not handle them. Errors as `_response`.
        """
        transport = opening.value.options.transport
        lost = getattr(transport, 'lost_sessions', 0)
        try:
            return opening, await self._response(ask(opening.value))
        except MCPError:
            if getattr(transport, 'lost_sessions', 0) == lost:
                raise
        opening = await self._shared.renew(opening, lambda: connect(self._connection_options(), self._forget))
        self._current = opening.value
        for what in tuple(self._cached):
            self._forget(what)
        return opening, await self._response(ask(opening.value))

    async def _response(self, response: Awaitable[T]) -> T:
        """Wait for a response of the server.

        Raises:
            MCPError: The response is an error, or the connection is closed.
        """
        from anyio import BrokenResourceError, ClosedResourceError

        try:
            with self._runs.expecting():
                return await response
        except sdk_error() as error:
            failure = MCPError.from_mcp_sdk(error)
            if failure.code == CONNECTION_CLOSED:
                failure = self._closed()
            raise failure from error
        except (BrokenResourceError, ClosedResourceError) as error:
            raise self._closed() from error
        except (RuntimeError, ValidationError) as error:  # the checks of the `mcp` package
            raise MCPError(f'The response of {self.label} violates the protocol: {error}', INTERNAL_ERROR) from error

    def _closed(self) -> MCPError:
        return MCPError(
            f'{self.label} is no longer connected: the server closed the connection, or has exited.', CONNECTION_CLOSED
        )

    async def list_tools(self) -> list[SdkObject]:
        """Return the tools in the form in which the server lists them, `mcp.types.Tool`.

        Raises:
            MCPError: The server cannot be reached, or returned an error.
        """
        return await self._listed(
            'tools', self.cache_tools, lambda connection: connection.listed('list_tools', 'tools')
        )

    async def list_resources(self) -> list[Resource]:
        """Return the resources; an empty list if the server does not support them.

        Raises:
            MCPError: The server cannot be reached, or returned an error.
        """

        async def ask(connection: Connection) -> list[Resource]:
            if connection.capabilities.resources is None:
                return []
            return [Resource.from_mcp_sdk(one) for one in await connection.listed('list_resources', 'resources')]

        return await self._listed('resources', self.cache_resources, ask)

    async def list_resource_templates(self) -> list[ResourceTemplate]:
        """Return the resource templates; an empty list if the server does not support resources.

        Raises:
            MCPError: The server cannot be reached, or returned an error.
        """
        async with self._connection() as connection:
            if connection.value.capabilities.resources is None:
                return []
            _, listed = await self._answer_of(
                connection, lambda value: value.listed('list_resource_templates', 'resource_templates')
            )
            return [ResourceTemplate.from_mcp_sdk(one) for one in listed]

    async def list_prompts(self) -> list[Prompt]:
        """Return the prompts; an empty list if the server does not support them.

        Raises:
            MCPError: The server cannot be reached, or returned an error.
        """

        async def ask(connection: Connection) -> list[Prompt]:
            if connection.capabilities.prompts is None:
                return []
            return [Prompt.from_mcp_sdk(one) for one in await connection.listed('list_prompts', 'prompts')]

        return await self._listed('prompts', self.cache_prompts, ask)

    async def get_prompt(self, name: str, arguments: dict[str, str] | None = None) -> PromptResult:
        """Return a prompt.

        Args:
            name: The name of the prompt.
            arguments: The arguments of the prompt.

        Raises:
            MCPError: The server cannot be reached, or there is no such prompt.
        """
        async with self._connection() as connection:
            _, answer = await self._answer_of(connection, lambda value: value.get_prompt(name, arguments))
        return content.prompt_result(answer)

    async def read_resource(self, uri: str | Resource) -> str | BinaryContent | list[str | BinaryContent]:
        """Return the content of a resource; a list unless it has exactly one part.

        Args:
            uri: The URI of the resource, or the resource itself.

        Raises:
            MCPError: The server cannot be reached, or there is no such resource.
        """
        async with self._connection() as connection:
            address = uri if isinstance(uri, str) else uri.uri
            _, response = await self._answer_of(connection, lambda value: value.read_resource(address))
        parts = [content.resource_content(part) for part in response.contents]
        return parts[0] if len(parts) == 1 else parts

    # The interface of toolsets.

    @property
    def id(self) -> str | None:
        """The id of the toolset."""
        return self._id

    @id.setter
    def id(self, value: str | None) -> None:
        self._id = value

    @property
    def tools_version(self) -> Hashable | None:
        """Changes with the list of tools; `None` while it is not cached."""
        if 'tools' not in self._cached:
            return None
        return self._changes, self.max_retries, self.include_return_schema, self.trust_annotations

    @property
    def has_instructions(self) -> bool:
        """Whether the instructions of the server are included."""
        return self.include_instructions

    async def get_instructions(self, ctx: RunContext[AgentDepsT]) -> InstructionPart | None:
        """Return the instructions of the server, if `include_instructions` is set."""
        if not self.include_instructions or self._current is None or self._current.instructions is None:
            return None
        return InstructionPart(content=self._current.instructions)

    def _name_for_model(self, name: str) -> str:
        return name

    def _name_for_server(self, name: str) -> str:
        return name

    def _metadata(self, tool: SdkObject) -> JsonObject:
        return {
            'meta': tool.meta,
            'annotations': dump(tool.annotations),
            'output_schema': field(tool, 'output_schema') or None,
        }

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools.

        Raises:
            MCPError: The server cannot be reached, or returned an error.
        """
        limit = ctx.max_retries if self.max_retries is None else self.max_retries
        with self._runs.waiting(ctx):
            listed = await self.list_tools()
        definitions = [
            ToolDefinition(
                name=self._name_for_model(tool.name),
                description=tool.description,
                parameters_json_schema=field(tool, 'input_schema'),
                metadata=self._metadata(tool),
                return_schema=field(tool, 'output_schema') or None,
                include_return_schema=self.include_return_schema,
            )
            for tool in self._usable(listed)
        ]
        return {
            definition.name: ToolsetTool(
                toolset=self,
                tool_def=definition,
                max_retries=limit,
                args_validator=ARGUMENTS,
                policy=self._policy_of(definition),
            )
            for definition in definitions
        }

    def _usable(self, tools: list[SdkObject]) -> list[SdkObject]:
        """Return the tools that a model can call by their names; a warning says which ones are left out.

        A vendor refuses a request with a name that it does not take: one tool of a server would stop all runs.
        """
        usable: dict[str, SdkObject] = {}
        for tool in tools:
            name: str = tool.name
            if not name or len(name) > _LONGEST_NAME or not name.isprintable():
                why = f'its name is empty, not printable, or has more than {_LONGEST_NAME} characters'
            elif name in usable:
                why = 'another one has its name; the last one counts'
            else:
                why = None
            if why is not None:
                warnings.warn(
                    f'{self.label} lists a tool {short_repr(name, 80)} that is left out: {why}.', stacklevel=2
                )
            if why is None or name in usable:
                usable[name] = tool
        return list(usable.values())

    def tool_for_tool_def(self, tool_def: ToolDefinition) -> ToolsetTool[AgentDepsT]:
        """Return the tool of a definition, without asking the server."""
        return ToolsetTool(
            toolset=self,
            tool_def=tool_def,
            max_retries=1 if self.max_retries is None else self.max_retries,
            args_validator=ARGUMENTS,
            policy=self._policy_of(tool_def),
        )

    def _policy_of(self, definition: ToolDefinition) -> CallPolicy | None:
        annotations = (definition.metadata or {}).get('annotations')
        effect = effect_of(annotations) if self.trust_annotations and annotations else None
        return CallPolicy(effect=effect) if effect is not None else None

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[AgentDepsT], tool: ToolsetTool[AgentDepsT]
    ) -> Any:
        """Call a tool, through `process_tool_call` if it is set.

        Raises:
            ModelRetry: The tool failed, and the model is asked to retry.
            MCPError: The tool failed and errors are raised, or the server cannot be reached.
        """
        name = self._name_for_server(name)
        call = self._call_of(tool.tool_def)
        with self._runs.waiting(ctx):
            if self.process_tool_call is not None:
                return await self.process_tool_call(ctx, call, name, tool_args)
            return await call(name, tool_args)

    def _call_of(self, definition: ToolDefinition) -> CallToolFunc:
        """Return the function that calls a tool."""
        return self.direct_call_tool

    async def direct_call_tool(self, name: str, args: JsonObject, metadata: JsonObject | None = None) -> ToolResult:
        """Call a tool by its name on the server.

        Args:
            name: The name of the tool.
            args: The arguments.
            metadata: Metadata to send in addition to the arguments.

        Raises:
            ModelRetry: The tool failed, and the model is asked to retry.
            MCPError: The tool failed and errors are raised, or the server cannot be reached.
        """
        return await self._call(name, args, metadata)

    async def _call(
        self, name: str, args: JsonObject, metadata: JsonObject | None, *, as_task: bool = False
    ) -> ToolResult:
        async with self._connection() as connection:

            def call(value: Connection) -> Awaitable[SdkObject]:
                return (value.call_as_task if as_task else value.call_tool)(name, args, metadata)

            try:
                _, result = await self._answer_of(connection, call)
                if field(result, 'is_error'):
                    raise MCPError(content.error_text(result) or f'Tool {name!r} returned an error', INTERNAL_ERROR)
                return await content.tool_result(result, self._follow, read_json=self.reads_json)
            except MCPError as error:
                if self.retries_errors and error.code != CONNECTION_CLOSED:  # other arguments would not help
                    raise ModelRetry(error.message) from error
                raise

    async def _follow(self, uri: str) -> object:
        return uri
