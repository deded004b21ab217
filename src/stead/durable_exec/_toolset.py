"""`DurableToolset`: a toolset. Its calls are steps; if a server or a function lists its tools, the list is one, too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from pydantic_core import SchemaValidator, core_schema
from typing_extensions import Self

from .._calls.answers import MAY_HAVE_RUN, failed_answer
from .._contracts.call_policy import CallPolicy
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.toolset import AbstractToolset, ToolsetTool
from ..exceptions import ApprovalRequired, UserError
from ..messages import InstructionPart, ToolCallPart
from ..toolsets import DynamicToolset, FunctionToolset, Listing, WrapperToolset
from . import _steps as steps
from ._engine import AnyContext, AnyTool, DurableStep, JsonData, StepEngine, StepInDoubt

ARGUMENTS = SchemaValidator(core_schema.dict_schema(core_schema.str_schema(), core_schema.any_schema()))
"""Accepts any arguments: those of tools that are listed in a step are validated where they are called."""


class PersonMustSay(ApprovalRequired):
    """A call was started and may have been done. What allows the tool does not allow it twice, so a person has to say."""

    for_people = True


@dataclass
class DurableToolset(WrapperToolset[AgentDepsT]):
    """A toolset whose calls are steps of an engine."""

    engine: StepEngine
    """The engine."""
    kind: str
    """What the wrapped toolset is: `'toolset'`, `'mcp_server'` or `'dynamic_toolset'`."""
    toolset_id: str
    """The id of the wrapped toolset."""
    in_place: frozenset[str] = frozenset()
    """Tools that are called in the code of the run, because they do nothing that has to be a step."""
    can_wait: bool = False
    """Whether the run may end with requests for decisions."""
    _listed: list[steps.ListedTool] | None = None
    may_leave_doubt: ClassVar[bool] = True
    """See `leaves_doubt`."""

    @property
    def id(self) -> str | None:
        """The id of the wrapped toolset."""
        return self.toolset_id

    @property
    def asks(self) -> bool:
        """Whether listing the tools is a step."""
        return self.kind != 'toolset' or not isinstance(self.wrapped, FunctionToolset)

    async def tool_listing(self, ctx: RunContext[AgentDepsT]) -> Listing[AgentDepsT]:
        """Return the listing of the wrapped toolset; another one if listing the tools is a step."""
        return Listing(await self.get_tools(ctx)) if self.asks else await self.wrapped.tool_listing(ctx)

    async def for_run(self, ctx: RunContext[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """Return this wrapper for one run; what lies elsewhere is prepared there."""
        if self.engine.elsewhere and self.asks:
            return replace(self, _listed=None)
        return replace(self, wrapped=await self.wrapped.for_run(ctx), _listed=None)

    async def for_run_step(self, ctx: RunContext[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """Return this wrapper for one step; what lies elsewhere is prepared there."""
        if self.engine.elsewhere and self.asks:
            return self
        wrapped = await self.wrapped.for_run_step(ctx)
        return self if wrapped is self.wrapped else replace(self, wrapped=wrapped)

    async def __aenter__(self) -> Self:
        if not (self.engine.elsewhere and self.asks):
            await self.wrapped.__aenter__()
        return self

    async def __aexit__(self, *args: object) -> bool | None:
        if self.engine.elsewhere and self.asks:
            return None
        return await self.wrapped.__aexit__(*args)

    def visit_and_replace(
        self, visitor: Callable[[AbstractToolset[AgentDepsT]], AbstractToolset[AgentDepsT]]
    ) -> AbstractToolset[AgentDepsT]:
        """Return this toolset: a call that is a step is not made one again."""
        return self

    # Lists

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools; asking a server or a function for them is a step."""
        if not self.asks or not self.engine.is_active():
            return await self.wrapped.get_tools(ctx)
        if self._listed is None or not self._keeps_list:
            step = self._step('get_tools', ctx, lambda: steps.list_tools(self.wrapped, ctx))
            self._listed = steps.kept(steps.listings, await self.engine.run(step), 'a list of tools')
        return {tool.definition.name: self._tool(tool) for tool in self._listed}

    @property
    def _keeps_list(self) -> bool:
        wrapped = self.wrapped
        if isinstance(wrapped, DynamicToolset):
            return not wrapped.per_run_step
        return bool(getattr(wrapped, 'cache_tools', False))

    def _tool(self, listed: steps.ListedTool) -> ToolsetTool[AgentDepsT]:
        policy = CallPolicy(max_calls=listed.max_calls, effect=listed.effect)
        return ToolsetTool(
            toolset=self,
            tool_def=listed.definition,
            max_retries=listed.max_retries,
            args_validator=ARGUMENTS,
            policy=policy if policy != CallPolicy() else None,
        )

    async def get_instructions(
        self, ctx: RunContext[AgentDepsT]
    ) -> str | InstructionPart | Sequence[str | InstructionPart] | None:
        """Return the instructions; asking a server or a function for them is a step."""
        if not self.asks or not self.engine.is_active():
            return await self.wrapped.get_instructions(ctx)
        step = self._step('get_instructions', ctx, lambda: steps.list_instructions(self.wrapped, ctx))
        return steps.kept(steps.instructions, await self.engine.run(step), 'instructions') or None

    def _step(self, kind: Any, ctx: RunContext[AgentDepsT], work: Any, **more: Any) -> DurableStep:
        return DurableStep(
            kind, ctx, more.pop('title', self.toolset_id), work, self.toolset_id, self.kind, effect='read', **more
        )

    # Calls

    async def call_tool(
        self, name: str, tool_args: JsonData, ctx: RunContext[AgentDepsT], tool: ToolsetTool[AgentDepsT]
    ) -> Any:
        """Call the tool in a step.

        Raises:
            PersonMustSay: The call was started before, may have been done, and nothing can find that out.
            UserError: The arguments have no JSON form.
        """
        if name in self.in_place or not self.engine.is_active():
            return await self.wrapped.call_tool(name, tool_args, ctx, tool)
        policy = self._policy(ctx, tool)
        keep_errors = policy is not None and policy.on_error not in (None, 'raise')
        data = {
            'name': steps.json_values.dump_json(name),
            'args': self._json(name, tool_args),
            'keep_errors': b'true' if keep_errors else b'false',
        }
        step = self._step(
            'call_tool', ctx, lambda: self._work(name, tool_args, ctx, tool, keep_errors), title=name, data=data
        )
        step.effect = (policy.effect if policy is not None else None) or 'write'
        step.key = ctx.idempotency_key
        again = 0
        while True:
            try:
                outcome = await self.engine.run(step)
                break
            except StepInDoubt:
                found = await self._reconcile(name, tool_args, ctx, policy, data)
                if found is not None:
                    return steps.result_of(found, self.engine.make_error)
            again += 1
            step = replace(step, again=again)
        return steps.result_of(steps.outcome_from(outcome), self.engine.make_error)

    def _policy(self, ctx: RunContext[AgentDepsT], tool: ToolsetTool[AgentDepsT]) -> CallPolicy | None:
        """Return the policy of a tool with what wrappers around this toolset have added."""
        listed: dict[str, AnyTool] = getattr(ctx.tool_manager, 'tools', None) or {}
        outer = listed.get(ctx.tool_name or '')
        return outer.policy if outer is not None else tool.policy

    def _json(self, name: str, args: JsonData) -> bytes:
        try:
            return steps.json_values.dump_json(args)
        except ValueError as error:
            if not self.engine.elsewhere:
                return b'{}'
            raise UserError(
                f'The arguments of tool {name!r} of {self.label} have no JSON form, so that {self.engine.title} cannot send '
                f'them: {error}. Let the tool take types that pydantic can write as JSON.'
            ) from error

    async def _work(self, name: str, args: JsonData, ctx: AnyContext, tool: AnyTool, keep_errors: bool) -> bytes:
        """Call the tool here; tools that were listed in a step may be other objects now."""
        if self.asks:
            current = (await self.wrapped.get_tools(ctx)).get(name)
            if current is None:
                raise UserError(f'{self.wrapped.label} no longer has a tool {name!r}.')
            valid = steps.validated(current, args, ctx)
            if isinstance(valid, bytes):
                return valid
            tool, args = current, valid
        return await steps.call_tool(self.wrapped, name, args, ctx, tool, keep_errors)

    async def _reconcile(
        self, name: str, args: JsonData, ctx: AnyContext, policy: CallPolicy | None, data: Any
    ) -> steps.CallOutcome | None:
        """Return what happened to a call in doubt, or `None` if it was not done.

        Raises:
            PersonMustSay: Nothing can find that out, and the run can wait for a person.
        """
        step = self._step('reconcile', ctx, lambda: steps.reconcile(policy, args, ctx), title=name, data=data)
        found = steps.outcome_from(await self.engine.run(step))
        if found.kind == 'deferred':
            return None
        if found.kind != 'unknown':
            return found
        call = ToolCallPart(ctx.tool_name or name, args, ctx.tool_call_id or '')
        if not self.can_wait:
            return steps.CallOutcome('return_part', return_part=failed_answer(call, MAY_HAVE_RUN))
        raise PersonMustSay(
            metadata={
                'kind': 'reconcile',
                'message': f'Tool {call.tool_name!r} was started, and whether it did its work is not known.',
                'arguments': args,
                'idempotency_key': ctx.idempotency_key,
            }
        )
