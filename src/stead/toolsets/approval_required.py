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
from .._kit.plain_copies import own_copy
from .._kit.short import short_repr
from ..exceptions import ApprovalRequired, UserError
from .wrapper import WrapperToolset, check_callable


def _always(ctx: RunContext[Any], tool_def: ToolDefinition, tool_args: JsonObject) -> bool:
    return True


@dataclass
class ApprovalRequiredToolset(WrapperToolset[AgentDepsT]):
    """The tools of another toolset, whose calls need approval if a function returns `True` for them.

    A function that returns neither `True` nor `False` ends the run with a `UserError`: nothing is run without a decision.
    """

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
            UserError: The function did not return a `bool`.
        """
        if not ctx.tool_call_approved:
            required: object = self.approval_required_func(ctx, own_copy(tool.tool_def), tool_args)
            if inspect.isawaitable(required):
                required = await required
            if not isinstance(required, bool):
                raise UserError(
                    f'`approval_required_func` returned {short_repr(required, 100)} for the tool {name!r}, which was not run. '
                    'Return `True` if the call needs an approval, or `False` if it needs none.'
                )
            if required:
                raise ApprovalRequired
        return await self.wrapped.call_tool(name, tool_args, ctx, tool)
