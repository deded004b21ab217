"""`ApprovalPolicy`: remembers lasting decisions about tool calls, and applies them to later calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import field
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, Protocol, get_args

from pydantic import ConfigDict, Strict, TypeAdapter, ValidationError
from typing_extensions import TypeAlias

from .._contracts.capability import AbstractCapability
from .._contracts.run_context import AnyDepsT, RunContext
from .._kit.ids import canonical_json
from .._kit.json_types import JsonObject, JsonValue
from .._kit.keywords import dataclass
from .._kit.short import short_repr
from ..exceptions import UserError
from ..messages import ToolCallPart, digest_of
from ..tools import DeferredToolRequests, DeferredToolResults, ToolDenied

ApprovalScope: TypeAlias = Literal['run', 'conversation', 'always']
"""How long a decision holds: for one run, for one conversation, or always."""

_Nothing = type(None)
_DENIED = 'The tool call was denied.'


class RunIdentity(Protocol):
    """An object that belongs to a run, such as its result."""

    @property
    def run_id(self) -> str | None:
        """The id of the run."""
        ...

    @property
    def conversation_id(self) -> str | None:
        """The id of the conversation that the run is part of."""
        ...


@dataclass(frozen=True)
class ApprovalRule:
    """A lasting decision about calls of a tool."""

    tool_name: str
    """The name of the tool as the model knows it."""
    args: Mapping[str, JsonValue] | None = None
    """The arguments of the calls; `None` for any. They are compared as JSON: `1`, `1.0` and `true` are different."""
    allowed: Annotated[bool, Strict()] = True
    """Whether the calls are allowed or denied."""
    message: str = _DENIED
    """What the model is told about a denied call."""
    run_id: str | None = None
    """The run that the rule holds for; `None` for any."""
    conversation_id: str | None = None
    """The conversation that the rule holds for; `None` for any."""
    # A field that is written wrongly, or that a newer version knows, would make a stored rule hold for more.
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra='forbid')

    def __post_init__(self) -> None:
        for name, value, kind in (
            ('tool_name', self.tool_name, str),
            ('args', self.args, (Mapping, _Nothing)),
            ('allowed', self.allowed, bool),
            ('message', self.message, str),
            ('run_id', self.run_id, (str, _Nothing)),
            ('conversation_id', self.conversation_id, (str, _Nothing)),
        ):
            if not isinstance(value, kind):
                raise UserError(f'`{name}` of an approval rule cannot be {short_repr(value)}; it is not a rule then.')

    def is_about(self, call: ToolCallPart, args: Mapping[str, JsonValue] | None, ctx: RunContext[Any]) -> bool:
        """Return whether the rule applies to a call.

        Args:
            call: The call.
            args: The arguments of the call; `None` if they are not a JSON object.
            ctx: The context of the run.
        """
        return (
            self.tool_name == call.tool_name
            and self.run_id in (None, ctx.run_id)
            and self.conversation_id in (None, ctx.conversation_id)
            and (self.args is None or (args is not None and _same(self.args, args)))
        )


@dataclass
class ApprovalPolicy(AbstractCapability[AnyDepsT]):
    """Remembered decisions about tool calls that need approval. Calls without one are left to a person.

    Share one policy between runs; `dump` and `load` store it between processes. A rule for certain arguments takes
    precedence over one for any arguments, and otherwise a denial over an approval. A rule is about a tool of the agent that has
    the policy: what an agent inside of one of its tools wants to call under the same name is another tool.
    """

    rules: list[ApprovalRule] = field(default_factory=lambda: [], kw_only=False)
    """The rules."""

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """Return `None`: decisions are stored by `dump`, not in specs."""
        return None

    def allow(
        self,
        tool_name: str,
        args: Mapping[str, JsonValue] | None = None,
        *,
        run_id: str | None = None,
        conversation_id: str | None = None,
    ) -> None:
        """Allow calls of a tool from now on.

        Args:
            tool_name: The name of the tool as the model knows it.
            args: The arguments that are allowed; any by default.
            run_id: The run that the decision holds for; any by default.
            conversation_id: The conversation that the decision holds for; any by default.
        """
        self._remember(ApprovalRule(tool_name, args, run_id=run_id, conversation_id=conversation_id))

    def deny(
        self,
        tool_name: str,
        args: Mapping[str, JsonValue] | None = None,
        *,
        message: str = _DENIED,
        run_id: str | None = None,
        conversation_id: str | None = None,
    ) -> None:
        """Deny calls of a tool from now on.

        Args:
            tool_name: The name of the tool as the model knows it.
            args: The arguments that are denied; any by default.
            message: What the model is told.
            run_id: The run that the decision holds for; any by default.
            conversation_id: The conversation that the decision holds for; any by default.
        """
        self._remember(ApprovalRule(tool_name, args, False, message, run_id, conversation_id))

    def remember(
        self,
        call: ToolCallPart,
        approved: bool = True,
        *,
        any_args: bool = False,
        scope: ApprovalScope = 'conversation',
        source: RunIdentity | None = None,
    ) -> None:
        """Remember what a person decided about a call.

        Args:
            call: The call, from `DeferredToolRequests.approvals`.
            approved: Whether it was approved.
            any_args: Whether the decision holds for all calls of the tool, not only for those with the same arguments.
            scope: How long the decision holds.
            source: The result of the run, or another object with `run_id` and `conversation_id`; needed unless the
                scope is `'always'`.

        Raises:
            UserError: There is no such scope; the scope needs a source; or the arguments of the call are not a JSON object.
        """
        if scope not in get_args(ApprovalScope):
            raise UserError(f'There is no scope {short_repr(scope)}; there are {get_args(ApprovalScope)}.')
        if scope != 'always' and (source is None or getattr(source, f'{scope}_id') is None):
            raise UserError(f'A decision for a {scope} needs `source=`: the result of the run that asked for it.')
        args = None if any_args else _args(call)
        if args is None and not any_args:
            raise UserError(
                f'The arguments of the call {short_repr(call.tool_call_id)} of {short_repr(call.tool_name)} are not a JSON '
                'object, so no later call can have the same. Pass `any_args=True`, or do not remember the decision.'
            )
        run_id = source.run_id if source is not None and scope == 'run' else None
        conversation_id = source.conversation_id if source is not None and scope == 'conversation' else None
        self._remember(ApprovalRule(call.tool_name, args, approved, _DENIED, run_id, conversation_id))

    def forget(self, tool_name: str | None = None) -> None:
        """Forget the decisions about a tool, or all decisions if `tool_name` is `None`."""
        self.rules[:] = [rule for rule in self.rules if tool_name is not None and rule.tool_name != tool_name]

    def _remember(self, rule: ApprovalRule) -> None:
        def key(rule: ApprovalRule) -> tuple[object, ...]:
            args = None if rule.args is None else canonical_json(dict(rule.args))
            return rule.tool_name, args, rule.run_id, rule.conversation_id

        self.rules[:] = [old for old in self.rules if key(old) != key(rule)]
        self.rules.append(rule)

    def decide(self, call: ToolCallPart, ctx: RunContext[Any]) -> ApprovalRule | None:
        """Return the rule with the highest precedence that applies to a call, or `None` if none does."""
        args = _args(call)
        applicable = [rule for rule in self.rules if rule.is_about(call, args, ctx)]
        return min(applicable, key=lambda rule: (rule.args is None, rule.allowed), default=None)

    async def handle_deferred_tool_calls(
        self, ctx: RunContext[AnyDepsT], *, requests: DeferredToolRequests
    ) -> DeferredToolResults | None:
        """Return results for the calls that a rule applies to, or `None` if there are none.

        Calls of one id are left to a person, since the decision about one would hold for the others; so are those of agents that
        run inside of a tool.
        """
        if ctx.tool_name is not None:
            return None
        results = DeferredToolResults()
        often = Counter(call.tool_call_id for call in (*requests.calls, *requests.approvals))
        for call in requests.approvals:
            if often[call.tool_call_id] == 1 and (rule := self.decide(call, ctx)) is not None:
                results.approvals[call.tool_call_id] = rule.allowed or ToolDenied(rule.message)
                results.digests[call.tool_call_id] = digest_of(call)
        return results if results.approvals else None

    def dump(self) -> str:
        """Return the rules as JSON, for `load`."""
        return _stored().dump_json(self.rules).decode()

    @classmethod
    def load(cls, text: str | bytes) -> ApprovalPolicy[Any]:
        """Return a policy with the rules that `dump` returned.

        Raises:
            UserError: The text does not come from `dump`.
        """
        try:
            return cls(_stored().validate_json(text))
        except ValidationError as error:
            raise UserError(
                f'This is not a stored approval policy. Store policies with `ApprovalPolicy.dump()`. {error}'
            ) from error


@cache
def _stored() -> TypeAdapter[list[ApprovalRule]]:
    return TypeAdapter(list[ApprovalRule])


def _same(args: Mapping[str, JsonValue], others: Mapping[str, JsonValue]) -> bool:
    return args.keys() == others.keys() and canonical_json(dict(args)) == canonical_json(dict(others))


def _args(call: ToolCallPart) -> JsonObject | None:
    try:
        return call.args_as_dict(raise_if_invalid=True)
    except (ValueError, AssertionError):
        return None
