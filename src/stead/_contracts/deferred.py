"""Deferred tool calls: the requests that a run ends with, and the results that are passed to the next run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Annotated, Any, Literal, Union, cast

from pydantic import Discriminator, Tag
from typing_extensions import TypeAlias

from .._kit.json_types import JsonObject
from ..exceptions import ModelRetry
from ..messages import RetryPromptPart, ToolCallPart, ToolReturn


@dataclass(kw_only=True)
class ToolApproved:
    """The approval of a call."""

    override_args: JsonObject | None = None
    """Arguments to call the tool with, in place of those that the model sent."""
    kind: Literal['tool-approved'] = 'tool-approved'
    """Discriminator of the result."""


@dataclass
class ToolDenied:
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
        Annotated[RetryPromptPart, Tag('retry-prompt')],
    ],
    Discriminator(_result_kind),
]
"""The result of a call that was executed elsewhere."""
DeferredToolResult: TypeAlias = Union[DeferredToolApprovalResult, DeferredToolCallResult]
"""The decision about a deferred call, or its result."""


@dataclass(kw_only=True)
class DeferredToolResults:
    """Decisions about the calls of a `DeferredToolRequests`, and their results, by call id."""

    calls: dict[str, Union[DeferredToolCallResult, Any]] = field(default_factory=lambda: {})
    """Results of calls that were executed elsewhere: a value, a `ToolReturn`, `ModelRetry` or `RetryPromptPart`."""
    approvals: dict[str, Union[bool, DeferredToolApprovalResult]] = field(default_factory=lambda: {})
    """Decisions about calls that needed approval."""
    metadata: dict[str, JsonObject] = field(default_factory=lambda: {})
    """Metadata for calls; tools read it from `ctx.tool_call_metadata`."""

    def update(self, other: DeferredToolResults) -> None:
        """Add the entries of other results; they replace existing ones for the same call."""
        self.calls.update(other.calls)
        self.approvals.update(other.approvals)
        self.metadata.update(other.metadata)

    def to_tool_call_results(self) -> dict[str, DeferredToolResult]:
        """Return one result for each call, by call id.

        `True` becomes `ToolApproved`, `False` becomes `ToolDenied`, and a plain value becomes a `ToolReturn`.
        """
        results: dict[str, DeferredToolResult] = {}
        for call_id, approval in self.approvals.items():
            if approval is True:
                results[call_id] = ToolApproved()
            elif approval is False:
                results[call_id] = ToolDenied()
            else:
                results[call_id] = approval
        for call_id, result in self.calls.items():
            is_result = isinstance(result, (ToolReturn, ModelRetry, RetryPromptPart))
            results[call_id] = result if is_result else ToolReturn(result)
        return results


@dataclass(kw_only=True)
class DeferredToolRequests:
    """Calls that wait for an approval or an external result: the output of a run that cannot go on without them."""

    calls: list[ToolCallPart] = field(default_factory=lambda: [])
    """Calls to execute elsewhere."""
    approvals: list[ToolCallPart] = field(default_factory=lambda: [])
    """Calls that must be approved."""
    metadata: dict[str, JsonObject] = field(default_factory=lambda: {})
    """Metadata of calls, by call id."""

    def build_results(
        self,
        *,
        approvals: dict[str, bool | DeferredToolApprovalResult] | None = None,
        calls: dict[str, DeferredToolCallResult | Any] | None = None,
        metadata: dict[str, JsonObject] | None = None,
        approve_all: bool = False,
    ) -> DeferredToolResults:
        """Build results for these requests.

        Args:
            approvals: Decisions, by call id.
            calls: Results, by call id.
            metadata: Metadata, by call id.
            approve_all: Whether every call that needs approval and has no decision is approved.

        Raises:
            ValueError: There is no request of that kind with one of the ids.
        """
        decisions, results = dict(approvals or {}), dict(calls or {})
        self._check(decisions, self.approvals, 'approvals')
        self._check(results, self.calls, 'calls')
        if approve_all:
            for call in self.approvals:
                decisions.setdefault(call.tool_call_id, ToolApproved())
        return DeferredToolResults(calls=results, approvals=decisions, metadata=dict(metadata or {}))

    @staticmethod
    def _check(answers: Mapping[str, object], requests: list[ToolCallPart], kind: str) -> None:
        known = {call.tool_call_id for call in requests}
        if unknown := sorted(answers.keys() - known):
            raise ValueError(f'`{kind}` has the tool call ids {unknown}, but only {sorted(known)} are waiting.')

    def remaining(self, results: DeferredToolResults) -> DeferredToolRequests | None:
        """Return the requests without a result, or `None` if there are none."""
        answered = results.calls.keys() | results.approvals.keys()
        calls = [call for call in self.calls if call.tool_call_id not in answered]
        approvals = [call for call in self.approvals if call.tool_call_id not in answered]
        if not calls and not approvals:
            return None
        metadata = {call_id: item for call_id, item in self.metadata.items() if call_id not in answered}
        return DeferredToolRequests(calls=calls, approvals=approvals, metadata=metadata)
