"""Deferred tool calls: the requests that a run ends with, and the results that are passed to the next run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Annotated, Any, Literal, Union, cast

import pydantic
from pydantic_core import CoreSchema
from typing_extensions import TypeAlias

from .._kit.ids import digest
from .._kit.json_types import JsonObject
from .._kit.left_out import NO_ENTRIES, left_out
from .._kit.marks import Discriminator, Tag
from .._kit.records import DataRecord, repr_with
from .._kit.short import short_repr
from .._kit.well_formed import arguments_that_run
from ..exceptions import ModelRetry, ToolFailed, UserError
from ._feedback import RetryPromptPart
from ._tool_parts import ToolCallPart, ToolReturn

_NONE: list[Any] = [{}]
"""What fields that came later are not written with, at either level: data was stored without them."""


@dataclass(repr=False, eq=False, kw_only=True)
class ToolApproved(DataRecord):
    """The approval of a call."""

    override_args: JsonObject | None = None
    """Arguments to call the tool with, in place of those that the model sent."""
    kind: Literal['tool-approved'] = 'tool-approved'
    """Discriminator of the result."""


@dataclass(repr=False, eq=False)
class ToolDenied(DataRecord):
    """The denial of a call."""

    message: str = 'The tool call was denied.'
    """The message to the model."""
    _: KW_ONLY
    kind: Literal['tool-denied'] = 'tool-denied'
    """Discriminator of the result."""


def _result_kind(value: object) -> str | None:
    if isinstance(value, dict):
        mapping = cast(JsonObject, value)
        return mapping.get('kind') or mapping.get('part_kind')
    return getattr(value, 'kind', None) or getattr(value, 'part_kind', None)


DeferredToolApprovalResult: TypeAlias = Annotated[Union[ToolApproved, ToolDenied], Discriminator('kind')]
"""The decision about a call that needed approval."""
DeferredToolCallResult: TypeAlias = Annotated[
    Union[
        Annotated[ToolReturn, Tag('tool-return')],
        Annotated[ModelRetry, Tag('model-retry')],
        Annotated[ToolFailed, Tag('tool-failed')],
        Annotated[RetryPromptPart, Tag('retry-prompt')],
    ],
    Discriminator(_result_kind),
]
"""The result of a call that was executed elsewhere."""
DeferredToolResult: TypeAlias = Union[DeferredToolApprovalResult, DeferredToolCallResult]
"""The decision about a deferred call, or its result."""


def as_decision(call_id: str, value: object) -> ToolApproved | ToolDenied:
    """Return the decision that a value stands for.

    Raises:
        UserError: It is neither a `bool` nor `ToolApproved` nor `ToolDenied`, and consent is not guessed; or it is an approval
            with other arguments that are not a `dict`.
    """
    if not isinstance(value, (bool, ToolApproved, ToolDenied)):
        raise UserError(
            f'The decision about the tool call {short_repr(call_id, 200)} is {short_repr(value, 100)}, a '
            f'`{type(value).__name__}`. Decide with `True`, `False`, `ToolApproved` or `ToolDenied`, and leave out calls '
            'without a decision.'
        )
    if isinstance(value, ToolApproved) and not isinstance(value.override_args, (dict, type(None))):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise UserError(
            f'The tool call {short_repr(call_id, 200)} is approved with `override_args` of '
            f'{short_repr(value.override_args, 100)}. They must be a `dict` of arguments by name, or `None` for those of the '
            'call.'
        )
    return value if not isinstance(value, bool) else ToolApproved() if value else ToolDenied()


def as_result(value: object) -> DeferredToolResult:
    """Return the result that a value stands for: a plain value is what the tool returned."""
    is_result = isinstance(value, (ToolReturn, ModelRetry, ToolFailed, RetryPromptPart))
    return cast(DeferredToolResult, value) if is_result else ToolReturn(value)


def digest_of(call: ToolCallPart) -> str:
    """Return a digest of what a call does: its id, its tool and its arguments, however their JSON is written."""
    return digest(call.tool_call_id, call.tool_name, arguments_that_run(call))


def question_digest(call: ToolCallPart, definition: str | None) -> str:
    """Return a digest of what a person is asked: what a call does, and the digest of the definition of its tool, if known."""
    return f'{digest_of(call)}+{definition}' if definition else digest_of(call)


def is_same_question(one: str, other: str) -> bool:
    """Return whether two of such digests are those of one question: also of one tool, as far as both know its definition."""
    call, _, definition = one.partition('+')
    other_call, _, other_definition = other.partition('+')
    return call == other_call and (not definition or not other_definition or definition == other_definition)


def questions_in(requests: DeferredToolRequests) -> dict[str, str]:
    """Return the digests of the questions in requests, by call id."""
    definitions: dict[str, str] = vars(requests).get('definitions', {})
    calls = (*requests.calls, *requests.approvals)
    return {call.tool_call_id: question_digest(call, definitions.get(call.tool_call_id)) for call in calls}


@dataclass(eq=False, kw_only=True)
class DeferredToolResults(DataRecord):
    """Decisions about the calls of a `DeferredToolRequests`, and their results, by call id."""

    # From left to right: by itself pydantic takes `Any` for results with files, whose bytes are text in JSON.
    calls: dict[str, Annotated[Union[DeferredToolCallResult, Any], pydantic.Field(union_mode='left_to_right')]] = field(
        default_factory=lambda: {}
    )
    """Results of calls that were executed elsewhere: a value, `ToolReturn`, `ModelRetry`, `ToolFailed` or `RetryPromptPart`."""
    approvals: dict[str, Union[Annotated[bool, pydantic.Strict()], DeferredToolApprovalResult]] = field(
        default_factory=lambda: {}
    )
    """Decisions about calls that needed approval."""
    metadata: dict[str, JsonObject] = field(default_factory=lambda: {})
    """Metadata for calls; tools read it from `ctx.tool_call_metadata`."""
    answered_by: Annotated[dict[str, str], left_out(NO_ENTRIES)] = field(default_factory=lambda: {})
    """The person or program that answered, for those that wrote it down."""
    digests: Annotated[dict[str, str], left_out(_NONE)] = field(default_factory=lambda: {}, repr=False, compare=False)
    """Digests of the calls that were decided about, by call id, as `DeferredToolRequests.build_results` notes them.

    A run refuses a decision whose call has another tool or other arguments in its history, and asks again if the definition of
    the tool has changed. A call without a digest is recognised by its id alone.
    """

    def __repr__(self) -> str:
        return repr_with(self, 'calls approvals metadata' + ('' if self.answered_by in NO_ENTRIES else ' answered_by'))

    def update(self, other: DeferredToolResults) -> None:
        """Add the entries of other results; they replace existing ones for the same call."""
        for name, entries in vars(self).items():
            entries.update(getattr(other, name))

    def to_tool_call_results(self) -> dict[str, DeferredToolResult]:
        """Return one result for each call, by call id.

        `True` becomes `ToolApproved`, `False` becomes `ToolDenied`, and a plain value becomes a `ToolReturn`.

        Raises:
            UserError: A decision is neither a `bool` nor `ToolApproved` nor `ToolDenied`, or a field is not a `dict`.
        """
        if wrong := [name for name, entries in vars(self).items() if not isinstance(entries, dict)]:
            raise UserError(
                f'{wrong} of `DeferredToolResults` must be a `dict` by tool call id, not {getattr(self, wrong[0])!r:.100}.'
            )
        decisions = {call_id: as_decision(call_id, value) for call_id, value in self.approvals.items()}
        return {**decisions, **{call_id: as_result(value) for call_id, value in self.calls.items()}}


@dataclass(repr=False, eq=False, kw_only=True)
class DeferredToolRequests(DataRecord):
    """Calls that wait for an approval or an external result: the output of a run that cannot continue without them."""

    calls: list[ToolCallPart] = field(default_factory=lambda: [])
    """Calls to execute elsewhere."""
    approvals: list[ToolCallPart] = field(default_factory=lambda: [])
    """Calls that must be approved."""
    metadata: dict[str, JsonObject] = field(default_factory=lambda: {})
    """Metadata of calls, by call id."""
    _kinds: Annotated[dict[str, Literal['external', 'question']], left_out(_NONE)] = field(
        default_factory=lambda: {}, repr=False
    )

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: pydantic.GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """Return the JSON schema, without the kinds where fields that 1.x does not have are left out."""
        schema = handler(core_schema)
        if {} in NO_ENTRIES:
            del handler.resolve_ref_schema(schema)['properties']['_kinds']
        return schema

    def kind(self, tool_call_id: str) -> Literal['approval', 'external', 'question']:
        """Return what a call waits for.

        Args:
            tool_call_id: The id of the call.

        Returns:
            `'approval'`; or for a call of `calls` what its `CallDeferred` says: `'question'` if a person has to answer,
            `'external'` for any other result from outside of the run.

        Raises:
            ValueError: No such call waits.
        """
        if any(call.tool_call_id == tool_call_id for call in self.approvals):
            return 'approval'
        if any(call.tool_call_id == tool_call_id for call in self.calls):
            return self._kinds.get(tool_call_id, 'external')
        known = sorted(call.tool_call_id for call in (*self.calls, *self.approvals))
        raise ValueError(f'No call with the id {short_repr(tool_call_id, 200)} is waiting, only {known}.')

    def build_results(
        self,
        *,
        approvals: Mapping[str, bool | DeferredToolApprovalResult] | None = None,
        calls: dict[str, DeferredToolCallResult | Any] | None = None,
        metadata: dict[str, JsonObject] | None = None,
        answered_by: dict[str, str] | None = None,
        approve_all: bool = False,
    ) -> DeferredToolResults:
        """Build results for these requests.

        Args:
            approvals: Decisions, by call id.
            calls: Results, by call id.
            metadata: Metadata, by call id.
            answered_by: The person or program that answered, by call id; a journal records it with the answer.
            approve_all: Whether every call that needs approval and has no decision is approved.

        Returns:
            Results that know the tool and the arguments of the calls they are about, so that they hold for no others.

        Raises:
            ValueError: There is no request of that kind with one of the ids, or there are several.
            UserError: A decision is neither a `bool` nor `ToolApproved` nor `ToolDenied`.
        """
        undecided = {call.tool_call_id: ToolApproved() for call in self.approvals} if approve_all else {}
        decisions, results = {**undecided, **(approvals or {})}, dict(calls or {})
        self._check(decisions, self.approvals, 'approvals')
        self._check(results, self.calls, 'calls')
        built = DeferredToolResults(
            calls=results,
            approvals=decisions,
            metadata=dict(metadata or {}),
            answered_by=dict(answered_by or {}),
            digests={id: asked for id, asked in questions_in(self).items() if id in decisions or id in results},
        )
        built.to_tool_call_results()
        return built

    def _check(self, answers: dict[str, Any], requests: list[ToolCallPart], kind: str) -> None:
        known = Counter(call.tool_call_id for call in requests)
        if unknown := sorted(answers.keys() - known):
            raise ValueError(f'`{kind}` has the tool call ids {unknown}, but only {sorted(known)} are waiting.')
        waiting = Counter(call.tool_call_id for call in (*self.calls, *self.approvals))
        if shared := sorted(call_id for call_id in answers if waiting[call_id] > 1):
            raise ValueError(
                f'Several waiting calls have the tool call ids {shared}, so that a decision cannot say which of them it is '
                'about. Take the requests from the output of the run, which gives every call an id of its own.'
            )

    def remaining(self, results: DeferredToolResults) -> DeferredToolRequests | None:
        """Return the requests without a result, or `None` if there are none."""
        answered = results.calls.keys() | results.approvals.keys()
        calls = [call for call in self.calls if call.tool_call_id not in answered]
        approvals = [call for call in self.approvals if call.tool_call_id not in answered]
        if not calls and not approvals:
            return None
        metadata = {call_id: item for call_id, item in self.metadata.items() if call_id not in answered}
        kinds: dict[str, Literal['external', 'question']] = {
            call_id: kind for call_id, kind in self._kinds.items() if call_id not in answered
        }
        rest = DeferredToolRequests(calls=calls, approvals=approvals, metadata=metadata, _kinds=kinds)
        vars(rest).update(vars(self), **vars(rest))
        return rest
