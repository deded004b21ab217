"""`FastMCPToolset`: the older name of `MCPToolset`, and what its tools return."""

from __future__ import annotations

from typing import Any, Literal, Union

from typing_extensions import TypeAlias, deprecated

from .._contracts.run_context import AgentDepsT
from .._kit.warnings import PydanticAIDeprecationWarning
from ..mcp import MCPToolset, MCPToolsetClient, ProcessToolCallback
from ..mcp._wire import dump, field
from ..messages import BinaryContent

FastMCPToolResult: TypeAlias = Union[BinaryContent, dict[str, Any], str, None]
"""What a call comes to."""
ToolErrorBehavior: TypeAlias = Literal['model_retry', 'error']
"""What an error of a tool leads to: another try of the model, or an exception."""
UNKNOWN_BINARY_MEDIA_TYPE = 'application/octet-stream'
"""The media type of binary content that a server does not name."""

__all__ = ('UNKNOWN_BINARY_MEDIA_TYPE', 'FastMCPToolResult', 'FastMCPToolset', 'ToolErrorBehavior')


@deprecated('`FastMCPToolset` is an old name; use `stead.mcp.MCPToolset`.', category=PydanticAIDeprecationWarning)
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
        """Build a toolset. Arguments as for `MCPToolset`.

        Raises:
            UserError: The server is nothing that can be connected to.
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

    def _metadata(self, tool: Any) -> dict[str, Any]:
        return {
            'meta': tool.meta,
            'annotations': dump(tool.annotations),
            'output_schema': field(tool, 'output_schema') or None,
        }
