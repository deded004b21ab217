"""`ApprovalRequiredToolset`: calls wait until somebody approves them."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.tool_definition import ToolDefinition
from .._contracts.toolset import ToolsetTool
from ..exceptions import ApprovalRequired
from .wrapper import StaticWrapperToolset, check_callable


def _always(ctx: RunContext[Any], tool_def: ToolDefinition, tool_args: dict[str, Any]) -> bool:
    return True


@dataclass
class ApprovalRequiredToolset(StaticWrapperToolset[AgentDepsT]):
    """The tools of another toolset; calls for which a function returns true must be approved."""

    static_tools = True
    approval_required_func: Callable[
        [RunContext[AgentDepsT], ToolDefinition, dict[str, Any]], bool | Awaitable[bool]
    ] = _always
    """The function, sync or async."""

    def __post_init__(self) -> None:
        check_callable(self.approval_required_func, 'approval_required_func', self.wrapped)

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[AgentDepsT], tool: ToolsetTool[AgentDepsT]
    ) -> Any:
        """Call the tool if it was approved, or needs no approval.

        Raises:
            ApprovalRequired: It has to be approved first.
        """
        if not ctx.tool_call_approved:
            answer = self.approval_required_func(ctx, tool.tool_def, tool_args)
            if await answer if inspect.isawaitable(answer) else answer:
                raise ApprovalRequired
        return await self.wrapped.call_tool(name, tool_args, ctx, tool)
