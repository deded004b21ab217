"""`FastMCPToolset`: the old name of `MCPToolset`, with the types of its results."""

from __future__ import annotations

from typing import Any, Literal, Union

from typing_extensions import TypeAlias, deprecated

from .._contracts.run_context import AgentDepsT
from .._kit.json_types import JsonObject
from ..mcp import MCPToolset, MCPToolsetClient, ProcessToolCallback, _wire as wire
from ..messages import BinaryContent

FastMCPToolResult: TypeAlias = Union[BinaryContent, JsonObject, str, None]
"""The result of a tool call."""
ToolErrorBehavior: TypeAlias = Literal['model_retry', 'error']
"""How to handle an error of a tool: let the model retry, or raise an exception."""
UNKNOWN_BINARY_MEDIA_TYPE = 'application/octet-stream'
"""The media type of binary content for which a server does not name one."""

__all__ = ('UNKNOWN_BINARY_MEDIA_TYPE', 'FastMCPToolResult', 'FastMCPToolset', 'ToolErrorBehavior')


@deprecated('`FastMCPToolset` is an old name; use `stead.mcp.MCPToolset`.')
class FastMCPToolset(MCPToolset[AgentDepsT]):
    """The tools of an MCP server. Text that they return stays text, even if it is JSON."""

    reads_json = False

    def __init__(
        self,
        client: MCPToolsetClient,
        *,
        max_retries: int | None = None,
        tool_error_behavior: ToolErrorBehavior = 'model_retry',
        include_instructions: bool = False,
        include_return_schema: bool | None = None,
        id: str | None = None,
        process_tool_call: ProcessToolCallback | None = None,
    ) -> None:
        """Build a toolset. Arguments are the same as for `MCPToolset`, except `tool_error_behavior`.

        Args:
            client: The server to connect to.
            max_retries: As for `MCPToolset`.
            tool_error_behavior: Whether the model is asked to retry after an error of a tool, or an exception is raised.
            include_instructions: As for `MCPToolset`.
            include_return_schema: As for `MCPToolset`.
            id: As for `MCPToolset`.
            process_tool_call: As for `MCPToolset`.

        Raises:
            UserError: `client` cannot be connected to.
        """
        super().__init__(
            client,
            max_retries=max_retries,
            tool_error_behavior='error' if tool_error_behavior == 'error' else 'retry',
            include_instructions=include_instructions,
            include_return_schema=include_return_schema,
            id=id,
            process_tool_call=process_tool_call,
        )

    def _metadata(self, tool: Any) -> JsonObject:
        return {
            'meta': tool.meta,
            'annotations': wire.dump(tool.annotations),
            'output_schema': wire.field(tool, 'output_schema') or None,
        }
