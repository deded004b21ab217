"""`ApprovalPolicy`: remembers what a person allowed for good, and answers for them the next time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypeAlias

from .._contracts.capability import AbstractCapability
from .._contracts.run_context import AgentDepsT, RunContext
from ..exceptions import UserError
from ..messages import ToolCallPart
from ..tools import DeferredToolRequests, DeferredToolResults, ToolDenied

ApprovalScope: TypeAlias = Literal['run', 'conversation', 'always']
"""How long a decision holds."""

_DENIED = 'The tool call was denied.'


@dataclass(frozen=True)
class ApprovalRule:
    """A decision about calls of a tool that holds for more than one call."""

    tool_name: str
    """The tool, by the name that the model knows."""
    args: Mapping[str, Any] | None = None
    """The arguments that it is about; `None` for any."""
    allowed: bool = True
    """Whether the calls are made, or denied."""
    message: str = _DENIED
    """What the model is told about a denied call."""
    run_id: str | None = None
    """The run that it holds for; `None` for any."""
    conversation_id: str | None = None
    """The conversation that it holds for; `None` for any."""

    def is_about(self, call: ToolCallPart, args: Mapping[str, Any] | None, ctx: RunContext[Any]) -> bool:
        """Return whether a call is one that the rule decides about.

        Args:
            call: The call.
            args: Its arguments; `None` if they are no JSON object.
            ctx: The context of the run.
        """
        return (
            self.tool_name == call.tool_name
            and self.run_id in (None, ctx.run_id)
            and self.conversation_id in (None, ctx.conversation_id)
            and (self.args is None or (args is not None and dict(self.args) == dict(args)))
        )


@dataclass
class ApprovalPolicy(AbstractCapability[AgentDepsT]):
    """Answers tool calls that wait for an approval, as far as a decision is remembered; the others go on to a person.

    Share one policy between runs, and store it with `dump` and `load` between processes. A decision about certain
    arguments counts more than one about any; between two that are alike, a denial counts more.
    """

    rules: list[ApprovalRule] = field(default_factory=lambda: [], kw_only=False)
    """What is remembered."""

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """Return `None`: what people decided is stored by `dump`, not in specs."""
        return None

    def allow(
        self,
        tool_name: str,
        args: Mapping[str, Any] | None = None,
        *,
        run_id: str | None = None,
        conversation_id: str | None = None,
    ) -> None:
        """Allow calls from now on.

        Args:
            tool_name: The tool, by the name that the model knows.
            args: The arguments that are allowed; any by default.
            run_id: The run that it holds for; any by default.
            conversation_id: The conversation that it holds for; any by default.
        """
        self._remember(ApprovalRule(tool_name, args, run_id=run_id, conversation_id=conversation_id))

    def deny(
        self,
        tool_name: str,
        args: Mapping[str, Any] | None = None,
        *,
        message: str = _DENIED,
        run_id: str | None = None,
        conversation_id: str | None = None,
    ) -> None:
        """Deny calls from now on; arguments as `allow`, and what the model is told."""
        self._remember(ApprovalRule(tool_name, args, False, message, run_id, conversation_id))

    def remember(
        self,
        call: ToolCallPart,
        approved: bool = True,
        *,
        any_args: bool = False,
        scope: ApprovalScope = 'conversation',
        source: Any = None,
    ) -> None:
        """Remember what a person decided about a call.

        Args:
            call: The call, from `DeferredToolRequests.approvals`.
            approved: Whether it was approved.
            any_args: Whether the decision is about every call of the tool, not only those with the same arguments.
            scope: How long it holds.
            source: The result of the run, or another object with `run_id` and `conversation_id`; needed unless the
                scope is `'always'`.

        Raises:
            UserError: The scope needs a source, or the arguments of the call are no JSON object.
        """
        if scope != 'always' and source is None:
            raise UserError(f'A decision for a {scope} needs `source=`: the result of the run that asked for it.')
        args = None if any_args else _args(call)
        if args is None and not any_args:
            raise UserError(
                f'The arguments of the call {call.tool_call_id!r} of {call.tool_name!r} are no JSON object, so no later '
                'call can have the same. Pass `any_args=True`, or remember nothing.'
            )
        run_id = source.run_id if scope == 'run' else None
        conversation_id = source.conversation_id if scope == 'conversation' else None
        self._remember(ApprovalRule(call.tool_name, args, approved, _DENIED, run_id, conversation_id))

    def forget(self, tool_name: str | None = None) -> None:
        """Forget the decisions about a tool, or all of them."""
        self.rules[:] = [rule for rule in self.rules if tool_name is not None and rule.tool_name != tool_name]

    def _remember(self, rule: ApprovalRule) -> None:
        alike = (rule.tool_name, rule.args, rule.run_id, rule.conversation_id)
        self.rules[:] = [
            old for old in self.rules if (old.tool_name, old.args, old.run_id, old.conversation_id) != alike
        ]
        self.rules.append(rule)

    def decide(self, call: ToolCallPart, ctx: RunContext[Any]) -> ApprovalRule | None:
        """Return the rule that decides about a call, or `None` if nothing is remembered about it."""
        args = _args(call)
        about = [rule for rule in self.rules if rule.is_about(call, args, ctx)]
        return min(about, key=lambda rule: (rule.args is None, rule.allowed), default=None)

    async def handle_deferred_tool_calls(
        self, ctx: RunContext[AgentDepsT], *, requests: DeferredToolRequests
    ) -> DeferredToolResults | None:
        """Return the decisions that are remembered."""
        results = DeferredToolResults()
        for call in requests.approvals:
            if (rule := self.decide(call, ctx)) is not None:
                results.approvals[call.tool_call_id] = rule.allowed or ToolDenied(rule.message)
        return results if results.approvals else None

    def dump(self) -> str:
        """Return what is remembered as JSON."""
        return _stored().dump_json(self.rules).decode()

    @classmethod
    def load(cls, text: str | bytes) -> ApprovalPolicy[Any]:
        """Return a policy that remembers what `dump` wrote.

        Raises:
            UserError: The text is not what `dump` writes.
        """
        try:
            return cls(_stored().validate_json(text))
        except ValidationError as error:
            raise UserError(
                f'This is no stored approval policy, store it with `ApprovalPolicy.dump()`: {error}'
            ) from error


@cache
def _stored() -> TypeAdapter[list[ApprovalRule]]:
    return TypeAdapter(list[ApprovalRule])


def _args(call: ToolCallPart) -> dict[str, Any] | None:
    try:
        return call.args_as_dict(raise_if_invalid=True)
    except (ValueError, AssertionError):
        return None
