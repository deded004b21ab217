"""The mould of toolsets behind MCP servers: their tools, resources, prompts and instructions over one connection."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable
from contextlib import asynccontextmanager
from typing import Any, Protocol, Union

from pydantic import ValidationError
from pydantic_core import SchemaValidator, core_schema
from typing_extensions import Self, TypeAlias

from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.tool_definition import ToolDefinition
from .._contracts.toolset import AbstractToolset, ToolsetTool
from .._kit.shared import Opening, Shared
from ..exceptions import ModelRetry
from ..messages import BinaryContent, InstructionPart
from . import _content as content
from ._link import Peer, Wiring, linked
from ._records import Prompt, PromptResult, Resource, ResourceTemplate, ServerCapabilities
from ._wire import CONNECTION_CLOSED, INTERNAL_ERROR, MCPError, dump, field, sdk_error

ARGUMENTS = SchemaValidator(core_schema.dict_schema(core_schema.str_schema(), core_schema.any_schema()))
"""Takes any object; the server validates what is in it."""

ToolResult: TypeAlias = Union[str, BinaryContent, dict[str, Any], list[Any], Any]
"""What a call comes to."""


class CallToolFunc(Protocol):
    """Calls a tool of a server; what a `ProcessToolCallback` is given."""

    async def __call__(
        self, name: str, args: dict[str, Any], *, metadata: dict[str, Any] | None = None
    ) -> ToolResult: ...


ProcessToolCallback: TypeAlias = Callable[[RunContext[Any], CallToolFunc, str, dict[str, Any]], Awaitable[ToolResult]]
"""Called instead of each tool, with the run context, the function that calls the tool, its name and its arguments."""


class ServerToolset(AbstractToolset[AgentDepsT]):
    """The tools of an MCP server. Those who enter it share a connection; a call outside of that makes one of its own."""

    max_retries: int | None
    process_tool_call: ProcessToolCallback | None
    cache_tools: bool
    cache_resources: bool
    cache_prompts: bool
    include_instructions: bool
    include_return_schema: bool | None
    retries_errors = True
    """Whether the model is asked to try again when a tool fails."""
    reads_json = True
    """Whether text that is JSON is read."""
    _id: str | None

    @abstractmethod
    def _wiring(self) -> Wiring:
        """Return what a connection is to be made with."""

    def _start(self) -> None:
        """Set up what is not a setting; constructors end with it."""
        self._shared: Shared[Peer] = Shared()
        self._peer: Peer | None = None
        self._kept: dict[str, list[Any]] = {}
        self._changes = 0

    # The connection.

    async def __aenter__(self) -> Self:
        """Open the connection, unless it is.

        Raises:
            MCPError: The server cannot be reached.
            ImportError: The extra `mcp` is not installed.
        """
        self._peer = (await self._shared.enter(lambda: linked(self._wiring(), self._forget))).value
        return self

    async def __aexit__(self, *args: Any) -> bool | None:
        """Close the connection, if nobody uses it any more."""
        opening = self._shared.get()
        if opening is None:
            return None
        try:
            await opening.leave()  # what goes wrong on the way out would help no one
        finally:
            if opening.users <= 0:
                if not self._shared.users:
                    self._peer = None
                for what in tuple(self._kept):
                    self._forget(what)
        return None

    @property
    def is_running(self) -> bool:
        """Whether there is a connection."""
        return self._shared.users > 0

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[Opening[Peer]]:
        async with self:
            opening = self._shared.get()
            assert opening is not None, 'it has a user'
            yield opening

    def _connected(self, name: str) -> Peer:
        if self._peer is None:
            raise AttributeError(
                f'`{type(self).__name__}.{name}` is what the server says when a connection is made. Enter the toolset first: '
                '`async with toolset: ...`'
            )
        return self._peer

    @property
    def server_info(self) -> Any:
        """Name and version of the server.

        Raises:
            AttributeError: There is no connection.
        """
        return self._connected('server_info').server_info

    @property
    def capabilities(self) -> ServerCapabilities:
        """What the server can do.

        Raises:
            AttributeError: There is no connection.
        """
        return ServerCapabilities.from_mcp_sdk(self._connected('capabilities').capabilities)

    @property
    def instructions(self) -> str | None:
        """What the server says about the use of its tools.

        Raises:
            AttributeError: There is no connection.
        """
        return self._connected('instructions').instructions

    # Lists, which are kept until the server says that they changed.

    def _forget(self, what: str) -> None:
        self._kept.pop(what, None)
        self._changes += 1

    async def _listed(self, what: str, keep: bool, ask: Callable[[Peer], Awaitable[list[Any]]]) -> list[Any]:
        if keep and what in self._kept:
            return self._kept[what]
        async with self._connection() as connection:
            changes = self._changes
            found = await self._answer(ask(connection.value))
            # Only as long as the connection lasts: nobody would say that the list changed.
            lasting = connection.value.tells_changes and connection.users > 1
            if keep and lasting and changes == self._changes:
                self._kept[what] = found
            return found

    async def _answer(self, answer: Awaitable[Any]) -> Any:
        """Wait for an answer of the server.

        Raises:
            MCPError: It is an error, or the connection is gone.
        """
        from anyio import BrokenResourceError, ClosedResourceError

        try:
            return await answer
        except sdk_error() as error:
            failure = MCPError.from_mcp_sdk(error)
            if failure.code == CONNECTION_CLOSED:
                failure = self._closed()
            raise failure from error
        except (BrokenResourceError, ClosedResourceError) as error:
            raise self._closed() from error
        except (RuntimeError, ValidationError) as error:  # the checks of the `mcp` package
            raise MCPError(f'The answer of {self.label} breaks the protocol: {error}', INTERNAL_ERROR) from error

    def _closed(self) -> MCPError:
        return MCPError(
            f'{self.label} has no connection any more: the server closed it, or has ended.', CONNECTION_CLOSED
        )

    async def list_tools(self) -> list[Any]:
        """Return the tools as the server lists them.

        Raises:
            MCPError: The server cannot be reached, or answered with an error.
        """
        return await self._listed('tools', self.cache_tools, lambda peer: peer.listed('list_tools', 'tools'))

    async def list_resources(self) -> list[Resource]:
        """Return the resources; none if the server has no such thing.

        Raises:
            MCPError: The server cannot be reached, or answered with an error.
        """

        async def ask(peer: Peer) -> list[Any]:
            if peer.capabilities.resources is None:
                return []
            return [Resource.from_mcp_sdk(one) for one in await peer.listed('list_resources', 'resources')]

        return await self._listed('resources', self.cache_resources, ask)

    async def list_resource_templates(self) -> list[ResourceTemplate]:
        """Return the templates of resources; none if the server has no such thing.

        Raises:
            MCPError: The server cannot be reached, or answered with an error.
        """
        async with self._connection() as connection:
            if connection.value.capabilities.resources is None:
                return []
            found = await self._answer(connection.value.listed('list_resource_templates', 'resource_templates'))
            return [ResourceTemplate.from_mcp_sdk(one) for one in found]

    async def list_prompts(self) -> list[Prompt]:
        """Return the prompts; none if the server has no such thing.

        Raises:
            MCPError: The server cannot be reached, or answered with an error.
        """

        async def ask(peer: Peer) -> list[Any]:
            if peer.capabilities.prompts is None:
                return []
            return [Prompt.from_mcp_sdk(one) for one in await peer.listed('list_prompts', 'prompts')]

        return await self._listed('prompts', self.cache_prompts, ask)

    async def get_prompt(self, name: str, arguments: dict[str, str] | None = None) -> PromptResult:
        """Return a prompt.

        Args:
            name: The name of the prompt.
            arguments: What to fill in.

        Raises:
            MCPError: The server cannot be reached, or there is no such prompt.
        """
        async with self._connection() as connection:
            return content.prompt_result(await self._answer(connection.value.get_prompt(name, arguments)))

    async def read_resource(self, uri: str | Resource) -> str | BinaryContent | list[str | BinaryContent]:
        """Return what is in a resource; a list if it has not exactly one part.

        Args:
            uri: Where it is, or the resource itself.

        Raises:
            MCPError: The server cannot be reached, or there is no such resource.
        """
        async with self._connection() as connection:
            answer = await self._answer(connection.value.read_resource(uri if isinstance(uri, str) else uri.uri))
        parts = [content.resource_content(part) for part in answer.contents]
        return parts[0] if len(parts) == 1 else parts

    # What agents ask for.

    @property
    def id(self) -> str | None:
        """The id of the toolset."""
        return self._id

    @property
    def tools_version(self) -> Hashable | None:
        """Changes with the list of tools; `None` while it is not kept."""
        return (id(self), self._changes) if 'tools' in self._kept else None

    @property
    def has_instructions(self) -> bool:
        """Whether those of the server are passed on."""
        return self.include_instructions

    async def get_instructions(self, ctx: RunContext[AgentDepsT]) -> InstructionPart | None:
        """Return what the server says about the use of its tools, if `include_instructions` is set."""
        if not self.include_instructions or self._peer is None or self._peer.instructions is None:
            return None
        return InstructionPart(content=self._peer.instructions, dynamic=True)

    def _name_for_model(self, name: str) -> str:
        return name

    def _name_for_server(self, name: str) -> str:
        return name

    def _metadata(self, tool: Any) -> dict[str, Any]:
        return {
            'meta': tool.meta,
            'annotations': dump(tool.annotations),
            'output_schema': field(tool, 'output_schema') or None,
        }

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools.

        Raises:
            MCPError: The server cannot be reached, or answered with an error.
        """
        limit = ctx.max_retries if self.max_retries is None else self.max_retries
        definitions = [
            ToolDefinition(
                name=self._name_for_model(tool.name),
                description=tool.description,
                parameters_json_schema=field(tool, 'input_schema'),
                metadata=self._metadata(tool),
                return_schema=field(tool, 'output_schema') or None,
                include_return_schema=self.include_return_schema,
            )
            for tool in await self.list_tools()
        ]
        return {
            definition.name: ToolsetTool(toolset=self, tool_def=definition, max_retries=limit, args_validator=ARGUMENTS)
            for definition in definitions
        }

    def tool_for_tool_def(self, tool_def: ToolDefinition) -> ToolsetTool[AgentDepsT]:
        """Return the tool of a definition, without asking the server."""
        return ToolsetTool(toolset=self, tool_def=tool_def, max_retries=self.max_retries or 0, args_validator=ARGUMENTS)

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[AgentDepsT], tool: ToolsetTool[AgentDepsT]
    ) -> Any:
        """Call a tool, through `process_tool_call` if there is such a function.

        Raises:
            ModelRetry: The tool failed, and the model should try again.
            MCPError: The tool failed and errors are not for the model, or the server cannot be reached.
        """
        name = self._name_for_server(name)
        if self.process_tool_call is not None:
            return await self.process_tool_call(ctx, self.direct_call_tool, name, tool_args)
        return await self.direct_call_tool(name, tool_args)

    async def direct_call_tool(
        self, name: str, args: dict[str, Any], metadata: dict[str, Any] | None = None
    ) -> ToolResult:
        """Call a tool by the name that the server gave it.

        Args:
            name: The name of the tool.
            args: The arguments.
            metadata: Data for the server, besides the arguments.

        Raises:
            ModelRetry: The tool failed, and the model should try again.
            MCPError: The tool failed and errors are not for the model, or the server cannot be reached.
        """
        async with self._connection() as connection:
            try:
                result = await self._answer(connection.value.call_tool(name, args, metadata))
                if field(result, 'is_error'):
                    raise MCPError(content.error_text(result) or f'Tool {name!r} returned an error', INTERNAL_ERROR)
                return await content.tool_result(result, self._follow, read_json=self.reads_json)
            except MCPError as error:
                if self.retries_errors and error.code != CONNECTION_CLOSED:  # which no other arguments would mend
                    raise ModelRetry(error.message) from error
                raise

    async def _follow(self, uri: str) -> Any:
        return uri
