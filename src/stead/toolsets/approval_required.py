"""`ApprovalRequiredToolset`: calls wait until they are approved."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.tool_definition import ToolDefinition
from .._contracts.toolset import ToolsetTool
from .._kit.json_types import JsonObject
from ..exceptions import ApprovalRequired
from .wrapper import StaticWrapperToolset, check_callable


def _always(ctx: RunContext[Any], tool_def: ToolDefinition, tool_args: JsonObject) -> bool:
    return True


@dataclass
class ApprovalRequiredToolset(StaticWrapperToolset[AgentDepsT]):
    """The tools of another toolset, whose calls need approval if a function returns true for them."""

    static_tools = True
    approval_required_func: Callable[[RunContext[AgentDepsT], ToolDefinition, JsonObject], bool | Awaitable[bool]] = (
        _always
    )
    """The function of the run context, the definition and the validated arguments, sync or async."""

    def __post_init__(self) -> None:
        check_callable(self.approval_required_func, 'approval_required_func', self.wrapped)

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[AgentDepsT], tool: ToolsetTool[AgentDepsT]
    ) -> Any:
        """Call the tool if the call is approved or needs no approval.

        Raises:
            ApprovalRequired: The call must be approved first.
        """
        if not ctx.tool_call_approved:
            required = self.approval_required_func(ctx, tool.tool_def, tool_args)
            if await required if inspect.isawaitable(required) else required:
                raise ApprovalRequired
        return await self.wrapped.call_tool(name, tool_args, ctx, tool)
