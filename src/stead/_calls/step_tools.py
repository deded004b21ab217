"""`StepTools`: the tools of one run step, and the records of their calls; and the rules that their run sets them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from copy import copy
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, Protocol

from pydantic import ValidationError
from typing_extensions import TypeAlias

from .._contracts.call_policy import CallPolicy, EndStrategy
from .._contracts.capability import AbstractCapability
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.toolset import AbstractToolset, ToolsetTool
from .._kit.json_types import JsonObject
from .._kit.plain_copies import own_copy
from .._kit.short import short_repr
from ..capabilities._chain import HookChain, chain_of
from ..exceptions import ModelRetry, ToolRetryError, UnexpectedModelBehavior
from ..messages import RetryPromptPart, ToolCallPart, shown_retry
from ..output import OutputSchema
from ..tools import DeferredToolResults
from ..toolsets import Listing
from ..usage import RESERVING, RunUsage, UsageLimits
from .answers import LONGEST_NAME, errors_of, exhausted_output, note_cause, unknown_tool

CallAndTool: TypeAlias = 'tuple[ToolCallPart, ToolsetTool[Any] | None]'
"""A call, and its tool if there is one of that name; looked up once."""


_NONE: Mapping[str, Any] = MappingProxyType({})


class Decisions(NamedTuple):
    """What was decided about calls outside of the run, by call id."""

    about: Mapping[str, object] = _NONE
    """Results, approvals and denials."""
    metadata: Mapping[str, JsonObject] = _NONE
    """What their tools read from `ctx.tool_call_metadata`."""
    digests: Mapping[str, str] | None = None
    """Digests of the calls that were decided about, as far as they are known; `None` for decisions of the run itself."""

    @classmethod
    def of(cls, results: DeferredToolResults) -> Decisions:
        """Return the decisions in what capabilities answered.

        Raises:
            UserError: One of them is not a decision.
        """
        return cls(results.to_tool_call_results(), results.metadata, results.digests or None)


NO_DECISIONS = Decisions()


class BatchRules(Protocol):
    """The rules of a run that a batch follows; `GraphAgentDeps` is one."""

    @property
    def end_strategy(self) -> EndStrategy:
        """What happens to other calls beside a final result."""
        ...

    @property
    def output_schema(self) -> OutputSchema[object]:
        """What output tools are validated by."""
        ...

    @property
    def usage_limits(self) -> UsageLimits:
        """How many calls the run may make."""
        ...


class WatchedCalls(Protocol):
    """The public methods of a manager that calls pass once a program has replaced one of them, in order to watch calls."""

    async def validate_tool_call(
        self,
        call: ToolCallPart,
        *,
        approved: bool = False,
        metadata: object = None,
        wrap_validation_errors: bool = True,
    ) -> Any:
        """Validate the arguments of a call."""

    async def execute_tool_call(self, validated: Any, *, wrap_validation_errors: bool = True) -> Any:
        """Execute a validated call."""


class CallLedger(Protocol):
    """Counts the calls of a run in its budgets."""

    has_calls: bool
    """Whether a budget limits calls."""

    @property
    def no_calls_left(self) -> str:
        """The answer to a call that may not begin."""
        ...

    async def begin_call(self) -> bool:
        """Count a call that begins, and return whether it may."""
        ...


_calls_around: ContextVar[int] = ContextVar('stead_calls_around', default=0)


@dataclass
class CallBudget:
    """The tool calls that a run may make, if that is limited; those under way count too, also of runs that share its usage."""

    limits: UsageLimits
    """How many calls the run may make."""
    ledger: CallLedger | None = None
    """The `Ledger` of the run, if a budget limits its calls."""
    running: int = 0
    """Calls of the run that have started and not ended."""
    around: int = field(default_factory=_calls_around.get)
    """Calls of other runs that the run is inside of: they wait for it, and are not counted before they have succeeded."""

    def check(self, usage: RunUsage, calls: int) -> None:
        """Check that calls may begin.

        Raises:
            UsageLimitExceeded: They would be more than the run may make.
        """
        if self.limits.tool_calls_limit is not None:
            projected = copy(usage)
            projected.tool_calls += calls + max(usage.calls_under_way - self.around, self.running)
            self.limits.check_before_tool_call(projected)

    @contextmanager
    def call(self, usage: RunUsage) -> Iterator[None]:
        """Count a call for as long as it is under way.

        Raises:
            UsageLimitExceeded: It would be more than the run may make.
        """
        with RESERVING:
            self.check(usage, 1)
            self.running += 1
            usage.calls_under_way += 1
        outer = _calls_around.get()
        _calls_around.set(outer + 1)
        try:
            yield
        finally:
            _calls_around.set(outer)
            with RESERVING:
                self.running -= 1
                usage.calls_under_way -= 1


def call_budget(limits: UsageLimits | None, ledger: CallLedger | None) -> CallBudget | None:
    """Return how many calls a run may make; `None` if nothing limits that."""
    ledger = ledger if ledger is not None and ledger.has_calls else None
    if ledger is None and (limits is None or limits.tool_calls_limit is None):
        return None
    return CallBudget(limits or UsageLimits(), ledger)


_TO_BE_FOUND = HookChain(())
_LISTINGS = 10
"""Answers to the calls of a step that list the tools that exist."""
_NO_STEP = 'This ToolManager belongs to no run step yet. Use the one that `await manager.for_run_step(ctx)` returns.'


@dataclass
class StepTools(Generic[AgentDepsT]):
    """The tools of one run step, for the functions of this room; `ToolManager` adds the public methods."""

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
    succeeded_tools: frozenset[str] = field(default=frozenset(), repr=False)
    """Names of the tools that had been retried and returned something in this step."""
    default_max_retries: int = 1
    """Retries for tools and toolsets that set none of their own."""
    chain: HookChain = field(default=_TO_BE_FOUND, repr=False)
    """The hooks of `root_capability`, found when they are not passed on from the step before."""
    listing: Listing[AgentDepsT] | None = field(default=None, repr=False)
    """What `tools` was copied from; `None` if it has changed since."""
    policy: CallPolicy | None = field(default=None, repr=False)
    """The call options of all tools of the run."""
    call_counts: dict[str, int] = field(default_factory=lambda: {}, repr=False)
    """How many times each tool with a limit was called in the run; shared by the managers of its steps."""
    budget: CallBudget | None = field(default=None, repr=False)
    """How many calls the run may make; `None` if that is not limited."""
    used_up: dict[str, ToolsetTool[AgentDepsT]] = field(default_factory=lambda: {}, repr=False)
    """The tools that have used up their calls, and are no longer among `tools`."""
    asked_inside: frozenset[str] = field(default=frozenset(), repr=False)
    """Ids of the calls of tools that were asked about in this run; no call of the model that waits has one of them."""
    is_own: bool = field(default=False, repr=False)
    """Whether no other step or run has the definitions in `tools`."""
    unknown_calls: int = field(default=0, repr=False)
    """How many calls of the step had a tool that does not exist."""
    cut_call: str | None = field(default=None, repr=False)
    """The id of a call whose arguments had not started when the response reached its token limit."""
    retries_exceeded: Sequence[UnexpectedModelBehavior] = field(default=(), repr=False)
    """The errors of tools without a retry left; `on_tool_error` does not apply to them."""
    watched: WatchedCalls | None = field(default=None, init=False, repr=False, compare=False)
    """The manager itself, if a program has replaced its methods in order to watch calls: these pass them then."""

    def __post_init__(self) -> None:
        if self.chain is _TO_BE_FOUND:
            self.chain = chain_of(self.root_capability)

    def listed(self) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools of the step by name.

        Raises:
            ValueError: There is no step yet.
        """
        if self.tools is None:
            raise ValueError(_NO_STEP)
        return self.tools

    def own_tools(self) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools by name, for code that may change their definitions in place: the next step has those of before."""
        if not self.is_own and self.tools:
            own: dict[str, ToolsetTool[AgentDepsT]] = {}
            for name, tool in self.tools.items():
                own[name] = tool = own_copy(tool)
                tool.tool_def = own_copy(tool.tool_def)
            self.tools, self.listing, self.is_own = own, None, True
        return self.tools or {}

    def find(self, name: str) -> ToolsetTool[AgentDepsT] | None:
        """Return a tool of the step, also one that may not be called again, or `None`."""
        return self.listed().get(name) or self.used_up.get(name)

    def unknown(self, name: str) -> str:
        """Return the text for a call of a tool that does not exist; only the first ones list those that do."""
        self.unknown_calls += 1
        return unknown_tool(name, self.listed(), list_known=self.unknown_calls <= _LISTINGS)

    def has_calls_left(self, name: str, policy: CallPolicy) -> bool:
        """Return whether a tool may be called again in the run."""
        return policy.max_calls is None or self.call_counts.get(name, 0) < policy.max_calls

    def call_context(
        self,
        call: ToolCallPart,
        tool: ToolsetTool[AgentDepsT] | None,
        *,
        approved: bool = False,
        metadata: object = None,
        partial_output: bool = False,
    ) -> RunContext[AgentDepsT]:
        """Return the run context of a call.

        Args:
            call: The call.
            tool: Its tool, or `None` if there is none of that name.
            approved: Whether the call was approved; `consent` decides that.
            metadata: What the tool sees as `ctx.tool_call_metadata`.
            partial_output: Whether the call is an output that is still being received.

        Raises:
            ValueError: There is no step yet.
        """
        ctx = self.ctx
        if ctx is None:
            raise ValueError(_NO_STEP)
        return ctx.fork(
            tool_name=call.tool_name,
            tool_call_id=call.tool_call_id,
            retry=ctx.retries.get(call.tool_name, 0),
            max_retries=tool.max_retries if tool is not None else ctx.max_retries,
            tool_call_approved=approved,  # always set: the context of the step may be that of an approved call
            tool_call_metadata=metadata,
            partial_output=partial_output,
        )

    def retry_error(
        self, call: ToolCallPart, ctx: RunContext[AgentDepsT], error: Exception, *, output: bool = False
    ) -> ToolRetryError:
        """Return the error that asks the model to try again, and count the failure of the tool.

        Raises:
            UnexpectedModelBehavior: The tool has no retry left.
        """
        name = call.tool_name
        retry, limit = ctx.retries.get(name, 0), ctx.max_retries if name in self.listed() else self.default_max_retries
        if retry >= limit and not ctx.partial_output:
            cause = error.__cause__ if isinstance(error, ToolRetryError) and error.__cause__ else error
            if output:
                raise exhausted_output(limit, cause) from cause
            shown = short_repr(name, LONGEST_NAME)
            exceeded = UnexpectedModelBehavior(f'Tool {shown} exceeded max retries count of {limit}')
            note_cause(exceeded, f'Tool {shown}', retry, cause)
            self.retries_exceeded = (*self.retries_exceeded, exceeded)
            raise exceeded from cause
        if not ctx.partial_output:
            self.failed_tools.add(name)
        if isinstance(error, ToolRetryError):
            if isinstance(error.tool_retry, RetryPromptPart):  # of a hook, or of a call in another process
                error.tool_retry = shown_retry(error.tool_retry, None, retry + 1, limit)
            return error
        if isinstance(error, ValidationError):
            content = errors_of(error)
        else:
            content = error.message if isinstance(error, ModelRetry) else str(error)
        part = RetryPromptPart(content=content, tool_name=name, tool_call_id=call.tool_call_id)
        cause = 'validation_error' if isinstance(error, ValidationError) else 'model_retry'
        if name not in self.listed():
            cause = 'unknown_tool'
        retry_error = ToolRetryError(shown_retry(part, cause, retry + 1, limit))
        retry_error.__cause__ = error
        return retry_error
