"""`ToolManager`: the tools of a run step, and the methods that validate, execute and answer calls of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, get_args

from .._contracts.call_policy import Effect, ParallelExecutionMode
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.tool_definition import ToolDefinition
from .._contracts.toolset import AbstractToolset, ToolsetTool
from ..exceptions import ToolFailedError, UserError
from ..messages import ToolCallPart, ToolReturnPart
from ..output import OutputSchema
from ..tools import DeferredToolRequests, DeferredToolResults
from .approvals import handle_call, validate_with_consent
from .around import ask_capabilities
from .execute import execute_apart, execute_call, run_step
from .outputs import execute_output_call, validate_output_call
from .running import chosen_mode, execution_mode
from .step_tools import StepTools
from .validate import ValidatedToolCall

FAILURES_ARE_RAISED = False
"""Whether a call that a tool makes raises if it failed, as in 2.x, and does not return the part that says so."""
RETRIES_LAST = False
"""Whether the retries of a tool count until it returns something, as in 2.x, and not only from one step to the next."""


@dataclass
class ToolManager(StepTools[AgentDepsT]):
    """The tools of one run step, with methods to validate and execute calls of them.

    Toolsets that dispatch calls themselves find the manager of the step at `ctx.tool_manager`.
    """

    @classmethod
    @contextmanager
    def parallel_execution_mode(cls, mode: ParallelExecutionMode = 'parallel') -> Iterator[None]:
        """Choose how tool calls run inside the `with` block, whatever the run.

        Args:
            mode: `'parallel'`, `'sequential'`, or `'parallel_ordered_events'`: together, but with result events in
                the order of the calls.

        Raises:
            UserError: There is no such mode.
        """
        if mode not in get_args(ParallelExecutionMode):
            raise UserError(
                f'There is no parallel execution mode {mode!r}; there are {get_args(ParallelExecutionMode)}.'
            )
        token = chosen_mode.set(mode)
        try:
            yield
        finally:
            chosen_mode.reset(token)

    @classmethod
    @contextmanager
    def sequential_tool_calls(cls) -> Iterator[None]:
        """Run tool calls one after the other; the old name of `parallel_execution_mode('sequential')`."""
        with cls.parallel_execution_mode('sequential'):
            yield

    async def for_run_step(self, ctx: RunContext[AgentDepsT]) -> ToolManager[AgentDepsT]:
        """Return the manager for a new step; tools that failed in the last one have one retry more behind them."""
        if self.ctx is not None:
            if ctx.run_step == self.ctx.run_step:
                return self
            before = self.ctx.retries
            retries = {name: before.get(name, 0) + 1 for name in self.failed_tools}
            if before and RETRIES_LAST:
                ended = self.failed_tools | self.succeeded_tools
                retries.update({name: count for name, count in before.items() if name not in ended})
        else:
            retries = ctx.retries
        ctx.retries = retries
        toolset = self.toolset
        if type(toolset).for_run_step is not AbstractToolset.for_run_step:
            toolset = await toolset.for_run_step(ctx)
        manager = self._following(toolset, ctx)
        listing = await toolset.tool_listing(ctx)
        manager.listing = listing
        if listing is self.listing:
            manager.tools, manager.used_up = self.tools, self.used_up
        else:
            manager.tools = listing.tools.copy()  # users find them at `ctx.tool_manager`
        ctx.tool_manager = manager  # until here, functions that list tools see the names of the last step
        if manager.tools is not self.tools or self.call_counts:
            manager._hide_used_up()
        return manager

    def _following(self, toolset: AbstractToolset[AgentDepsT], ctx: RunContext[AgentDepsT]) -> ToolManager[AgentDepsT]:
        """Return the manager for the next step, whose tools are not listed yet.

        It is made without the constructor, whose defaults take as long as all else that a step does about tools.
        """
        manager: Any = object.__new__(ToolManager)
        manager.toolset, manager.root_capability, manager.ctx, manager.tools = toolset, self.root_capability, ctx, None
        manager.failed_tools, manager.default_max_retries = set(), self.default_max_retries
        manager.chain, manager.listing, manager.policy = self.chain, None, self.policy
        manager.call_counts, manager.budget, manager.used_up = self.call_counts, self.budget, {}
        manager.asked_inside, manager.unknown_calls, manager.retries_exceeded = self.asked_inside, 0, ()
        manager.is_own, manager.watched, manager.succeeded_tools = False, None, frozenset()
        # By identity: proxies of a method are equal to it.
        if ToolManager.validate_tool_call is not _VALIDATE or ToolManager.execute_tool_call is not _EXECUTE:
            manager.watched = manager
        return manager

    def _hide_used_up(self) -> None:
        """Leave out tools that have used up their calls; if the model still calls one, the call is answered without it."""
        tools = self.listed()
        used_up = {
            name: tool for name, tool in tools.items() if tool.policy and not self.has_calls_left(name, tool.policy)
        }
        if used_up:
            self.tools: dict[str, ToolsetTool[AgentDepsT]] | None = {
                name: tool for name, tool in tools.items() if name not in used_up
            }
            self.used_up: dict[str, ToolsetTool[AgentDepsT]] = {**self.used_up, **used_up}

    @property
    def tool_defs(self) -> list[ToolDefinition]:
        """The definitions of the tools of the step.

        Raises:
            ValueError: The manager belongs to no step yet.
        """
        return [tool.tool_def for tool in self.listed().values()]

    def get_tool_def(self, name: str) -> ToolDefinition | None:
        """Return the definition of a tool of the step, or `None`."""
        tool = self.listed().get(name)
        return tool.tool_def if tool is not None else None

    def get_parallel_execution_mode(self, calls: list[ToolCallPart]) -> ParallelExecutionMode:
        """Return how these calls run: as chosen by context, and one by one if any of their tools is sequential."""
        tools = self.listed()
        return execution_mode(tools.get(call.tool_name) for call in calls)

    # One call

    async def validate_tool_call(
        self,
        call: ToolCallPart,
        *,
        approved: bool = False,
        metadata: object = None,
        wrap_validation_errors: bool = True,
    ) -> ValidatedToolCall[AgentDepsT]:
        """Validate the arguments of a call.

        Args:
            call: The call.
            approved: Whether the call was approved.
            metadata: What the tool sees as `ctx.tool_call_metadata`.
            wrap_validation_errors: Whether invalid arguments become a message to the model; otherwise they raise.

        Returns:
            The call, ready to be executed, or with `args_valid` false and the message for the model.

        Raises:
            UnexpectedModelBehavior: The tool has used up its retries.
            ValidationError: The arguments are invalid and errors are not wrapped.
            ModelRetry: The tool is unknown, or its `args_validator` objects, and errors are not wrapped.
        """
        return await validate_with_consent(
            self, call, approved=approved, metadata=metadata, wrap_errors=wrap_validation_errors
        )

    async def execute_tool_call(
        self, validated: ValidatedToolCall[AgentDepsT], *, wrap_validation_errors: bool = True
    ) -> Any:
        """Execute a validated call.

        Returns:
            What the tool returned.

        Raises:
            ToolRetryError: The arguments were invalid or the tool asks for a retry; it carries the retry prompt.
            UnexpectedModelBehavior: The tool asks for a retry and has none left.
            CallDeferred: The result comes from outside of the run.
            ApprovalRequired: The call has to be approved.
        """
        execute = execute_call if validated.of_batch else execute_apart
        return await execute(self, validated, wrap_errors=wrap_validation_errors)

    async def handle_call(
        self,
        call: ToolCallPart,
        *,
        approved: bool = False,
        metadata: object = None,
        wrap_validation_errors: bool = True,
    ) -> Any:
        """Validate and execute a call, and ask the capabilities of the run about it if it is deferred.

        Arguments and errors as for `validate_tool_call` and `execute_tool_call`. For a call that is denied, the result
        is a `ToolDenied`.

        Raises:
            ToolFailedError: The tool failed. For programs of 1.x, and without the alias, its `tool_failed` is the result.
        """
        wrap = wrap_validation_errors
        result = await handle_call(self, call, approved=approved, metadata=metadata, wrap_errors=wrap)
        if FAILURES_ARE_RAISED and isinstance(result, ToolReturnPart) and result.outcome == 'failed':
            raise ToolFailedError(result)
        return result

    async def run_step(self, ctx: RunContext[Any], name: str, function: Callable[[], Any], effect: Effect) -> Any:
        """Do a step of a tool; see `RunContext.step`."""
        return await run_step(self, ctx, name, function, effect)

    # Output tools

    async def validate_output_tool_call(
        self,
        call: ToolCallPart,
        *,
        schema: OutputSchema[object],
        allow_partial: bool = False,
        wrap_validation_errors: bool = True,
    ) -> ValidatedToolCall[AgentDepsT]:
        """Validate the call of an output tool with the output hooks; arguments and errors as `validate_tool_call`."""
        tool = self.listed().get(call.tool_name)
        return await validate_output_call(
            self, call, tool, schema, allow_partial=allow_partial, wrap_errors=wrap_validation_errors
        )

    async def execute_output_tool_call(
        self,
        validated: ValidatedToolCall[AgentDepsT],
        *,
        schema: OutputSchema[object],
        wrap_validation_errors: bool = True,
    ) -> Any:
        """Process the validated call of an output tool: output function, then output validators; errors as a tool's."""
        return await execute_output_call(self, validated, schema, wrap_errors=wrap_validation_errors)

    async def handle_output_tool_call(
        self,
        call: ToolCallPart,
        *,
        schema: OutputSchema[object],
        allow_partial: bool = False,
        wrap_validation_errors: bool = True,
    ) -> Any:
        """Validate and process the call of an output tool."""
        validated = await self.validate_output_tool_call(
            call, schema=schema, allow_partial=allow_partial, wrap_validation_errors=wrap_validation_errors
        )
        return await execute_output_call(self, validated, schema, wrap_errors=wrap_validation_errors)

    # Deferred calls

    async def resolve_deferred_tool_calls(self, requests: DeferredToolRequests) -> DeferredToolResults | None:
        """Ask the capabilities of the run for results of deferred calls; `None` if none of them has any."""
        return await ask_capabilities(self, requests)


_VALIDATE, _EXECUTE = ToolManager.validate_tool_call, ToolManager.execute_tool_call
