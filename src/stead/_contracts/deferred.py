"""Calls that wait for somebody: what is asked for, and what comes back."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import Annotated, Any, Literal, Union

from pydantic import Discriminator, Tag
from typing_extensions import TypeAlias

from ..exceptions import ModelRetry
from ..messages import RetryPromptPart, ToolCallPart, ToolReturn


@dataclass(kw_only=True)
class ToolApproved:
    """Somebody approved a call."""

    override_args: dict[str, Any] | None = None
    """Arguments to call the tool with instead of the model's."""
    kind: Literal['tool-approved'] = 'tool-approved'
    """Discriminator of the result."""


@dataclass
class ToolDenied:
    """Somebody denied a call."""

    message: str = 'The tool call was denied.'
    """What the model is told."""
    _: KW_ONLY
    kind: Literal['tool-denied'] = 'tool-denied'
    """Discriminator of the result."""


def _result_kind(value: Any) -> str | None:
    if isinstance(value, dict):
        mapping: dict[str, Any] = value  # type: ignore[reportUnknownVariableType]
        return mapping.get('kind') or mapping.get('part_kind')
    return getattr(value, 'kind', None) or getattr(value, 'part_kind', None)


DeferredToolApprovalResult: TypeAlias = Annotated[Union[ToolApproved, ToolDenied], Discriminator('kind')]
"""What became of a call that needed approval."""
DeferredToolCallResult: TypeAlias = Annotated[
    Union[
        Annotated[ToolReturn, Tag('tool-return')],
        Annotated[ModelRetry, Tag('model-retry')],
        Annotated[RetryPromptPart, Tag('retry-prompt')],
    ],
    Discriminator(_result_kind),
]
"""What became of a call that is executed elsewhere."""
DeferredToolResult: TypeAlias = Union[DeferredToolApprovalResult, DeferredToolCallResult]
"""What became of a call that waited."""


@dataclass(kw_only=True)
class DeferredToolResults:
    """What became of the calls of a `DeferredToolRequests`, by call id."""

    calls: dict[str, Union[DeferredToolCallResult, Any]] = field(default_factory=lambda: {})
    """Results of calls that were executed elsewhere: a value, a `ToolReturn`, `ModelRetry` or `RetryPromptPart`."""
    approvals: dict[str, Union[bool, DeferredToolApprovalResult]] = field(default_factory=lambda: {})
    """Decisions about calls that needed approval."""
    metadata: dict[str, dict[str, Any]] = field(default_factory=lambda: {})
    """Metadata for calls; tools find it at `ctx.tool_call_metadata`."""

    def update(self, other: DeferredToolResults) -> None:
        """Add the entries of other results, over those that are there."""
        self.calls.update(other.calls)
        self.approvals.update(other.approvals)
        self.metadata.update(other.metadata)

    def to_tool_call_results(self) -> dict[str, DeferredToolResult]:
        """Return one result for each call: `True` and `False` as approval and denial, plain values as `ToolReturn`."""
        results: dict[str, Any] = {}
        for call_id, approval in self.approvals.items():
            if approval is True:
                results[call_id] = ToolApproved()
            elif approval is False:
                results[call_id] = ToolDenied()
            else:
                results[call_id] = approval
        for call_id, result in self.calls.items():
            typed = isinstance(result, (ToolReturn, ModelRetry, RetryPromptPart))
            results[call_id] = result if typed else ToolReturn(result)
        return results


@dataclass(kw_only=True)
class DeferredToolRequests:
    """Calls that wait for an approval or an external result; the output of the run that made them."""

    calls: list[ToolCallPart] = field(default_factory=lambda: [])
    """Calls to execute elsewhere."""
    approvals: list[ToolCallPart] = field(default_factory=lambda: [])
    """Calls that somebody has to approve."""
    metadata: dict[str, dict[str, Any]] = field(default_factory=lambda: {})
    """Metadata of calls, by call id."""

    def build_results(
        self,
        *,
        approvals: dict[str, bool | DeferredToolApprovalResult] | None = None,
        calls: dict[str, DeferredToolCallResult | Any] | None = None,
        metadata: dict[str, dict[str, Any]] | None = None,
        approve_all: bool = False,
    ) -> DeferredToolResults:
        """Return results for these requests.

        Args:
            approvals: Decisions, by call id.
            calls: Results, by call id.
            metadata: Metadata, by call id.
            approve_all: Whether every call that needs approval and has no decision is approved.

        Raises:
            ValueError: An id is not among the requests of that kind.
        """
        decisions, results = dict(approvals or {}), dict(calls or {})
        self._check(decisions, self.approvals, 'approvals')
        self._check(results, self.calls, 'calls')
        if approve_all:
            for call in self.approvals:
                decisions.setdefault(call.tool_call_id, ToolApproved())
        return DeferredToolResults(calls=results, approvals=decisions, metadata=dict(metadata or {}))

    @staticmethod
    def _check(given: dict[str, Any], asked: list[ToolCallPart], what: str) -> None:
        known = {call.tool_call_id for call in asked}
        if unknown := sorted(given.keys() - known):
            raise ValueError(f'{what} are given for tool call ids {unknown}, but those that wait are {sorted(known)}.')

    def remaining(self, results: DeferredToolResults) -> DeferredToolRequests | None:
        """Return the requests that some results leave open, or `None` if there are none."""
        done = results.calls.keys() | results.approvals.keys()
        calls = [call for call in self.calls if call.tool_call_id not in done]
        approvals = [call for call in self.approvals if call.tool_call_id not in done]
        if not calls and not approvals:
            return None
        metadata = {call_id: item for call_id, item in self.metadata.items() if call_id not in done}
        return DeferredToolRequests(calls=calls, approvals=approvals, metadata=metadata)
