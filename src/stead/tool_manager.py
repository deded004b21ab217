"""`ToolManager`: one tool call from validation over approval to execution."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Literal, cast, get_args

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError, to_json
from typing_extensions import TypeAlias

from ._contracts.call_policy import CallPolicy, OnToolError, as_tool_errors, message_about
from ._contracts.capability import AbstractCapability
from ._contracts.hooks import TOOL_EXECUTE, TOOL_VALIDATE
from ._contracts.run_context import AgentDepsT, RunContext
from ._contracts.tool_definition import ToolDefinition
from ._contracts.toolset import AbstractToolset, ToolsetTool
from ._loop.inline import outcome_of, request_for
from ._loop.notes import note_tool_failure
from ._loop.outputs import process_tool_output, validate_tool_output
from .capabilities._chain import EMPTY_CHAIN, HookChain
from .concurrency import AbstractConcurrencyLimiter, limited
from .exceptions import (
    ApprovalRequired,
    CallDeferred,
    ModelRetry,
    SkipToolExecution,
    SkipToolValidation,
    ToolRetryError,
    UnexpectedModelBehavior,
    UsageLimitExceeded,
    UserError,
)
from .messages import RetryPromptPart, ToolCallPart, ToolReturnPart
from .output import OutputSchema, OutputToolset
from .tools import DeferredToolRequests, DeferredToolResults, ToolApproved

ParallelExecutionMode: TypeAlias = Literal['parallel', 'sequential', 'parallel_ordered_events']
"""How the calls of one response run: together, one after the other, or together with their events in call order."""

_execution_mode: ContextVar[ParallelExecutionMode] = ContextVar('stead_parallel_execution_mode', default='parallel')
_inside: ContextVar[tuple[AbstractConcurrencyLimiter, ...]] = ContextVar('stead_inside_limiters', default=())


def answer(call: ToolCallPart, text: str, metadata: Any = None) -> ToolReturnPart:
    """Return an answer to a call that came to nothing."""
    return ToolReturnPart(
        tool_name=call.tool_name, content=text, tool_call_id=call.tool_call_id, metadata=metadata, outcome='failed'
    )


@dataclass
class ValidatedToolCall(Generic[AgentDepsT]):
    """A tool call after validation: what is needed to execute it, or the reason it cannot be."""

    call: ToolCallPart
    """The call as the model sent it."""
    tool: ToolsetTool[AgentDepsT] | None
    """The tool, or `None` if there is none of that name."""
    ctx: RunContext[AgentDepsT]
    """The run context of the call."""
    args_valid: bool
    """Whether the arguments passed validation."""
    validated_args: dict[str, Any] | None = None
    """The validated arguments."""
    validation_error: ToolRetryError | None = None
    """What the model is told when the arguments did not pass."""


@dataclass
class ToolManager(Generic[AgentDepsT]):
    """The tools of one run step, and everything that happens to a call of one of them.

    Toolsets that dispatch calls themselves find the manager of the step at `ctx.tool_manager`.
    """

    toolset: AbstractToolset[AgentDepsT]
    """Lists and calls the tools."""
    root_capability: AbstractCapability[AgentDepsT] | None = None
    """The capability whose hooks run around validation and execution."""
    ctx: RunContext[AgentDepsT] | None = None
    """The run context of the step; `None` before the first step."""
    tools: dict[str, ToolsetTool[AgentDepsT]] | None = None
    """The tools of the step by name; `None` before the first step."""
    failed_tools: set[str] = field(default_factory=lambda: set())
    """Names of the tools that failed in this step; their retry count goes up in the next one."""
    default_max_retries: int = 1
    """Retries for tools and toolsets that set none of their own."""
    chain: HookChain = field(default=EMPTY_CHAIN, repr=False)
    """The hooks of `root_capability`."""
    listing_version: Any = field(default=None, repr=False)
    """`tools_version` of the toolset when `tools` was listed."""
    policy: CallPolicy | None = field(default=None, repr=False)
    """What holds for all tools of the run."""
    call_counts: dict[str, int] = field(default_factory=lambda: {}, repr=False)
    """How often each tool with a limit was called in the run; shared by the managers of its steps."""
    spent: dict[str, ToolsetTool[AgentDepsT]] = field(default_factory=lambda: {}, repr=False)
    """The tools that were called as often as they may, and are not among `tools` any more."""
    gave_up: list[UnexpectedModelBehavior] = field(default_factory=lambda: [], repr=False)
    """The errors of tools without a retry left; `on_tool_error` is not about them."""

    def __post_init__(self) -> None:
        root = self.root_capability
        if self.chain is EMPTY_CHAIN and getattr(root, 'capabilities', root):  # not for a combination of none
            self.chain = HookChain([cast(Any, root)])

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
        token = _execution_mode.set(mode)
        try:
            yield
        finally:
            _execution_mode.reset(token)

    @classmethod
    @contextmanager
    def sequential_tool_calls(cls) -> Iterator[None]:
        """Run tool calls one after the other; the old name of `parallel_execution_mode('sequential')`."""
        with cls.parallel_execution_mode('sequential'):
            yield

    async def for_run_step(self, ctx: RunContext[AgentDepsT]) -> ToolManager[AgentDepsT]:
        """Return the manager for a new step, with the retry counts of tools that failed in the last one gone up."""
        if self.ctx is not None:
            if ctx.run_step == self.ctx.run_step:
                return self
            retries = {name: self.ctx.retries.get(name, 0) + 1 for name in self.failed_tools}
        else:
            retries = ctx.retries
        ctx.retries = retries
        toolset = await self.toolset.for_run_step(ctx)
        manager = ToolManager(
            toolset=toolset,
            root_capability=self.root_capability,
            ctx=ctx,
            default_max_retries=self.default_max_retries,
            chain=self.chain,
            policy=self.policy,
            call_counts=self.call_counts,
        )
        ctx.tool_manager = manager
        manager.listing_version = version = toolset.tools_version
        if version is not None and self.tools is not None and version == self.listing_version:
            manager.tools, manager.spent = self.tools, self.spent
            looked_at = not self.call_counts
        else:
            manager.tools = await toolset.get_tools(ctx)
            looked_at = False
        if not looked_at:
            manager._hide_spent()
        return manager

    def _hide_spent(self) -> None:
        """Leave out tools that have been called as often as they may; what is called all the same gets an answer."""
        tools = self._tools()
        spent = {name: tool for name, tool in tools.items() if tool.policy and not self._calls_left(name, tool.policy)}
        if spent:
            self.tools = {name: tool for name, tool in tools.items() if name not in spent}
            self.spent = {**self.spent, **spent}

    def _calls_left(self, name: str, policy: CallPolicy) -> bool:
        return policy.max_calls is None or self.call_counts.get(name, 0) < policy.max_calls

    @property
    def tool_defs(self) -> list[ToolDefinition]:
        """The definitions of the tools of the step.

        Raises:
            ValueError: The manager belongs to no step yet.
        """
        return [tool.tool_def for tool in self._tools().values()]

    def get_tool_def(self, name: str) -> ToolDefinition | None:
        """Return the definition of a tool of the step, or `None`."""
        tool = self._tools().get(name)
        return tool.tool_def if tool is not None else None

    def get_parallel_execution_mode(self, calls: list[ToolCallPart]) -> ParallelExecutionMode:
        """Return how these calls run: as chosen by context, and one by one if any of their tools is sequential."""
        mode = _execution_mode.get()
        if mode != 'sequential':
            tools = self._tools()
            for call in calls:
                tool = tools.get(call.tool_name)
                if tool is not None and tool.tool_def.sequential:
                    return 'sequential'
        return mode

    # Validation

    async def validate_tool_call(
        self,
        call: ToolCallPart,
        *,
        approved: bool = False,
        metadata: Any = None,
        wrap_validation_errors: bool = True,
    ) -> ValidatedToolCall[AgentDepsT]:
        """Validate the arguments of a call.

        Args:
            call: The call.
            approved: Whether somebody approved it.
            metadata: What the tool sees as `ctx.tool_call_metadata`.
            wrap_validation_errors: Whether invalid arguments become a message to the model; otherwise they raise.

        Returns:
            The call, ready to be executed, or with `args_valid` false and the message for the model.

        Raises:
            UnexpectedModelBehavior: The tool has used up its retries.
            ValidationError: The arguments are invalid and errors are not wrapped.
            ModelRetry: The tool is unknown, or its `args_validator` objects, and errors are not wrapped.
        """
        tool = self._tools().get(call.tool_name)
        if (
            tool is None and (tool := self.spent.get(call.tool_name)) is not None
        ):  # it is not executed, whatever is sent
            ctx = self._call_context(call, tool)
            return ValidatedToolCall(call=call, tool=tool, ctx=ctx, args_valid=True, validated_args={})
        ctx = self._call_context(call, tool, approved=approved, metadata=metadata)
        try:
            if tool is None:
                raise ModelRetry(self._unknown_tool_message(call.tool_name))
            args = await self._validate(call, tool, ctx)
        except (ValidationError, ModelRetry) as error:
            if not wrap_validation_errors:
                raise
            retry = self._retry_error(call, ctx, error)
            return ValidatedToolCall(call=call, tool=tool, ctx=ctx, args_valid=False, validation_error=retry)
        return ValidatedToolCall(call=call, tool=tool, ctx=ctx, args_valid=True, validated_args=args)

    async def _validate(
        self, call: ToolCallPart, tool: ToolsetTool[AgentDepsT], ctx: RunContext[AgentDepsT]
    ) -> dict[str, Any]:
        if not self.chain.tool_validate:
            return await self._validate_args(call.args, tool, ctx)

        async def inner(args: Any) -> dict[str, Any]:
            return await self._validate_args(args, tool, ctx)

        raw: Any = call.args if call.args is not None else {}
        try:
            return await self.chain.call(TOOL_VALIDATE, ctx, raw, inner, call=call, tool_def=tool.tool_def)
        except SkipToolValidation as skip:
            return skip.validated_args

    @staticmethod
    async def _validate_args(
        args: str | dict[str, Any] | None, tool: ToolsetTool[AgentDepsT], ctx: RunContext[AgentDepsT]
    ) -> dict[str, Any]:
        validator = tool.args_validator
        if isinstance(args, str):
            validated = validator.validate_json(args or '{}', context=ctx.validation_context)
        else:
            validated = _validate_python(validator, args or {}, ctx.validation_context)
        if tool.args_validator_func is not None:
            outcome = tool.args_validator_func(ctx, **validated)
            if inspect.isawaitable(outcome):
                await outcome
        return validated

    # Execution

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
            ApprovalRequired: Somebody has to approve the call.
        """
        if validated.validation_error is not None:
            raise validated.validation_error
        tool = validated.tool
        assert tool is not None and validated.validated_args is not None, 'a valid call has a tool and arguments'
        call, ctx, args = validated.call, validated.ctx, validated.validated_args
        policy = CallPolicy.merged(self.policy, tool.policy)
        try:
            try:
                if policy is not None:
                    return await self._execute_within(policy, call, tool, ctx, args, wrap_validation_errors)
                result = await self._execute(call, tool, ctx, args, wrap_validation_errors)
            except (ModelRetry, ToolRetryError) as error:
                if not wrap_validation_errors:
                    raise
                raise self._retry_error(call, ctx, error) from error
        except (ToolRetryError, ModelRetry, CallDeferred, ApprovalRequired):
            raise
        except Exception as error:
            if not (isinstance(error, UnexpectedModelBehavior) and isinstance(error.__cause__, ModelRetry)):
                note_tool_failure(error, ctx)
            raise
        ctx.usage.tool_calls += 1
        return result

    async def _execute(
        self,
        call: ToolCallPart,
        tool: ToolsetTool[AgentDepsT],
        ctx: RunContext[AgentDepsT],
        args: dict[str, Any],
        wrap_errors: bool,
    ) -> Any:
        if self.chain.tool_execute:
            return await self._execute_with_hooks(call, tool, ctx, args, wrap_errors)
        return await self.toolset.call_tool(call.tool_name, args, ctx, tool)

    async def _execute_within(
        self,
        policy: CallPolicy,
        call: ToolCallPart,
        tool: ToolsetTool[AgentDepsT],
        ctx: RunContext[AgentDepsT],
        args: dict[str, Any],
        wrap_errors: bool,
    ) -> Any:
        """Execute a call within the limits of its tool, and do with its errors what the policy says."""
        name = call.tool_name
        if not self._calls_left(name, policy):
            often = 'once' if policy.max_calls == 1 else f'{policy.max_calls} times'
            return answer(call, f'Tool {name!r} was called {often}, which is its limit. Do without it.')
        if policy.max_calls is not None:
            self.call_counts[name] = self.call_counts.get(name, 0) + 1
        # A tool that dispatches calls itself has let them in with its own: they would wait for it for ever.
        inside = _inside.get()
        limiters = [limiter for limiter in policy.limiters if limiter not in inside]
        token = _inside.set((*inside, *limiters))
        try:
            async with AsyncExitStack() as stack:
                for limiter in limiters:
                    await stack.enter_async_context(limited(limiter, f'tool:{name}'))
                result = await self._execute(call, tool, ctx, args, wrap_errors)
        except ApprovalRequired:
            if policy.max_calls is not None:
                self.call_counts[name] -= 1  # it was not called yet
            raise
        except (ModelRetry, ToolRetryError, CallDeferred, UserError, UsageLimitExceeded):
            raise
        except Exception as error:
            if policy.on_error is None or any(error is one for one in self.gave_up):
                raise
            return await self._answer_error(policy.on_error, call, ctx, error)
        finally:
            _inside.reset(token)
        ctx.usage.tool_calls += 1
        return result

    @staticmethod
    async def _answer_error(
        on_error: OnToolError, call: ToolCallPart, ctx: RunContext[AgentDepsT], error: Exception
    ) -> Any:
        errors = as_tool_errors(on_error)
        if errors is None:
            outcome = cast(Any, on_error)(ctx, error)
            return await outcome if inspect.isawaitable(outcome) else outcome
        if errors.action == 'raise':
            raise error
        message = message_about(call.tool_name, error, errors)
        if errors.action == 'retry':
            raise ModelRetry(message) from error
        # What the model is not told is there for developers.
        return answer(call, message, {'error': type(error).__name__, 'message': str(error)})

    async def _execute_with_hooks(
        self,
        call: ToolCallPart,
        tool: ToolsetTool[AgentDepsT],
        ctx: RunContext[AgentDepsT],
        args: dict[str, Any],
        wrap_errors: bool,
    ) -> Any:
        async def inner(value: dict[str, Any]) -> Any:
            try:
                return await self.toolset.call_tool(call.tool_name, value, ctx, tool)
            except (ModelRetry, ToolRetryError) as error:
                if not wrap_errors:
                    raise
                raise self._retry_error(call, ctx, error) from error  # what hooks see is what the model would

        try:
            return await self.chain.call(TOOL_EXECUTE, ctx, args, inner, call=call, tool_def=tool.tool_def)
        except SkipToolExecution as skip:
            return skip.result

    async def handle_call(
        self,
        call: ToolCallPart,
        *,
        approved: bool = False,
        metadata: Any = None,
        wrap_validation_errors: bool = True,
    ) -> Any:
        """Validate and execute a call, and ask the capabilities of the run about it if it is deferred.

        Arguments and errors as for `validate_tool_call` and `execute_tool_call`. For a call that is denied, the result
        is a `ToolDenied`.
        """
        wrap = wrap_validation_errors
        validated = await self.validate_tool_call(
            call, approved=approved, metadata=metadata, wrap_validation_errors=wrap
        )
        try:
            return await self.execute_tool_call(validated, wrap_validation_errors=wrap)
        except (ApprovalRequired, CallDeferred) as error:
            deferral = error
        results = await self.resolve_deferred_tool_calls(request_for(call, deferral))
        outcome = outcome_of(call, results, deferral)
        if results is None or not isinstance(outcome, ToolApproved):
            return outcome
        if outcome.override_args is not None:
            call = replace(call, args=outcome.override_args)
        validated = await self.validate_tool_call(
            call, approved=True, metadata=results.metadata.get(call.tool_call_id), wrap_validation_errors=wrap
        )
        return await self.execute_tool_call(validated, wrap_validation_errors=wrap)

    # Output tools

    async def validate_output_tool_call(
        self,
        call: ToolCallPart,
        *,
        schema: OutputSchema[Any],
        allow_partial: bool = False,
        wrap_validation_errors: bool = True,
    ) -> ValidatedToolCall[AgentDepsT]:
        """Validate the call of an output tool with the output hooks; arguments and errors as `validate_tool_call`."""
        tool = self._tools().get(call.tool_name)
        ctx = self._call_context(call, tool, partial_output=allow_partial)
        if self.ctx is not None:
            ctx.retry = self.ctx.retry  # validators see the retries of the output, whichever tool carried it
        try:
            if tool is None or not isinstance(schema.toolset, OutputToolset):
                raise ModelRetry(self._unknown_tool_message(call.tool_name))
            value = await validate_tool_output(call, tool.tool_def, schema, ctx, self.chain, allow_partial)
        except (ValidationError, ModelRetry) as error:
            if not wrap_validation_errors:
                raise
            retry = self._retry_error(call, ctx, error, output=True)
            return ValidatedToolCall(call=call, tool=tool, ctx=ctx, args_valid=False, validation_error=retry)
        return ValidatedToolCall(call=call, tool=tool, ctx=ctx, args_valid=True, validated_args=value)

    async def execute_output_tool_call(
        self,
        validated: ValidatedToolCall[AgentDepsT],
        *,
        schema: OutputSchema[Any],
        wrap_validation_errors: bool = True,
    ) -> Any:
        """Process the validated call of an output tool: output function, then output validators; errors as a tool's."""
        if validated.validation_error is not None:
            raise validated.validation_error
        tool = validated.tool
        assert tool is not None, 'a valid call has a tool'
        call, ctx = validated.call, validated.ctx
        try:
            return await process_tool_output(call, tool.tool_def, validated.validated_args, schema, ctx, self.chain)
        except (ValidationError, ModelRetry, ToolRetryError) as error:
            if not wrap_validation_errors:
                raise
            raise self._retry_error(call, ctx, error, output=True) from error

    async def handle_output_tool_call(
        self,
        call: ToolCallPart,
        *,
        schema: OutputSchema[Any],
        allow_partial: bool = False,
        wrap_validation_errors: bool = True,
    ) -> Any:
        """Validate and process the call of an output tool."""
        validated = await self.validate_output_tool_call(
            call, schema=schema, allow_partial=allow_partial, wrap_validation_errors=wrap_validation_errors
        )
        return await self.execute_output_tool_call(
            validated, schema=schema, wrap_validation_errors=wrap_validation_errors
        )

    # Deferred calls

    async def resolve_deferred_tool_calls(self, requests: DeferredToolRequests) -> DeferredToolResults | None:
        """Ask the capabilities of the run for results of deferred calls; `None` if none of them has any."""
        if not self.chain.handle_deferred_tool_calls:
            return None
        assert self.ctx is not None, 'deferred calls belong to a step'
        return await self.chain.resolve_deferred(self.ctx, requests)

    # Helpers

    def _tools(self) -> dict[str, ToolsetTool[AgentDepsT]]:
        if self.tools is None:
            raise ValueError(
                'This ToolManager belongs to no run step yet. Use the one that `await manager.for_run_step(ctx)` returns.'
            )
        return self.tools

    def _unknown_tool_message(self, name: str) -> str:
        names = sorted(self._tools())
        if not names:
            return f'Unknown tool name: {name!r}. No tools available.'
        return f'Unknown tool name: {name!r}. Available tools: {", ".join(f"{known!r}" for known in names)}'

    def _call_context(
        self,
        call: ToolCallPart,
        tool: ToolsetTool[AgentDepsT] | None,
        *,
        approved: bool = False,
        metadata: Any = None,
        partial_output: bool = False,
    ) -> RunContext[AgentDepsT]:
        ctx = self.ctx
        if ctx is None:
            raise ValueError(
                'This ToolManager belongs to no run step yet. Use the one that `await manager.for_run_step(ctx)` returns.'
            )
        return ctx.fork(
            tool_name=call.tool_name,
            tool_call_id=call.tool_call_id,
            retry=ctx.retries.get(call.tool_name, 0),
            max_retries=tool.max_retries if tool is not None else ctx.max_retries,
            tool_call_approved=approved,
            tool_call_metadata=metadata,
            partial_output=partial_output,
        )

    def _retry_error(
        self, call: ToolCallPart, ctx: RunContext[AgentDepsT], error: Exception, *, output: bool = False
    ) -> ToolRetryError:
        """Turn an error into a retry prompt for the model, or raise if the tool has no retry left."""
        name = call.tool_name
        known = name in self._tools()
        retry, limit = ctx.retries.get(name, 0), ctx.max_retries if known else self.default_max_retries
        if retry >= limit and not ctx.partial_output:
            cause = error.__cause__ if isinstance(error, ToolRetryError) and error.__cause__ else error
            if output:
                raise UnexpectedModelBehavior(f'Exceeded maximum output retries ({limit})') from cause
            gave_up = UnexpectedModelBehavior(f'Tool {name!r} exceeded max retries count of {limit}')
            self.gave_up.append(gave_up)
            raise gave_up from cause
        if not ctx.partial_output:
            self.failed_tools.add(name)
        if isinstance(error, ToolRetryError):
            return error
        if isinstance(error, ValidationError):
            content: Any = error.errors(include_url=False, include_context=False)
        else:
            content = error.message if isinstance(error, ModelRetry) else str(error)
        part = RetryPromptPart(content=content, tool_name=name, tool_call_id=call.tool_call_id)
        retry_error = ToolRetryError(part)
        retry_error.__cause__ = error
        return retry_error


def _validate_python(validator: Any, args: dict[str, Any], context: Any) -> Any:
    """Validate arguments that come as Python data, though they were JSON when the model sent them.

    Strict types take dates, tuples and the like from JSON only; so where types are all that is wrong, it is asked as JSON.
    """
    try:
        return validator.validate_python(args, context=context)
    except ValidationError as error:
        kinds = {fault['type'] for fault in error.errors(include_url=False, include_context=False, include_input=False)}
        if any(not kind.endswith('_type') and kind != 'is_instance_of' for kind in kinds):
            raise
        try:
            return validator.validate_json(to_json(args), context=context)
        except (ValidationError, PydanticSerializationError):
            raise error from None


__all__ = ('ParallelExecutionMode', 'ToolManager', 'ValidatedToolCall')
