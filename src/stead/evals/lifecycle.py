"""`Case`, and `CaseLifecycle`: code before and after the task of each case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic

from .evaluators._base import Evaluator, EvaluatorContext, InputsT, MetadataT, OutputT
from .reporting import ReportCase, ReportCaseFailure

__all__ = ('CaseLifecycle',)


@dataclass(init=False)
class Case(Generic[InputsT, OutputT, MetadataT]):
    """What a task is called with, and what is known of a good output."""

    name: str | None
    """The name of the case; by default its number."""
    inputs: InputsT
    """What the task is called with."""
    metadata: MetadataT | None = None
    """Data for evaluators."""
    expected_output: OutputT | None = None
    """What the task should return."""
    evaluators: list[Evaluator[InputsT, OutputT, MetadataT]] = field(default_factory=lambda: [])
    """Evaluators of this case only."""

    def __init__(
        self,
        *,
        name: str | None = None,
        inputs: InputsT,
        metadata: MetadataT | None = None,
        expected_output: OutputT | None = None,
        evaluators: Sequence[Evaluator[InputsT, OutputT, MetadataT]] = (),
    ) -> None:
        """Describe a case; the arguments are the attributes."""
        self.name, self.inputs, self.metadata = name, inputs, metadata
        self.expected_output, self.evaluators = expected_output, [*evaluators]


class CaseLifecycle(Generic[InputsT, OutputT, MetadataT]):
    """What is done around a case: there is one object for each, and subclasses override what they need."""

    def __init__(self, case: Case[InputsT, OutputT, MetadataT]) -> None:
        """Keep the case."""
        self._case = case

    @property
    def case(self) -> Case[InputsT, OutputT, MetadataT]:
        """The case."""
        return self._case

    async def setup(self) -> None:
        """Prepare what the task needs; an error here is one of the case."""

    async def prepare_context(
        self, ctx: EvaluatorContext[InputsT, OutputT, MetadataT]
    ) -> EvaluatorContext[InputsT, OutputT, MetadataT]:
        """Return what evaluators see."""
        return ctx

    async def teardown(
        self, result: ReportCase[InputsT, OutputT, MetadataT] | ReportCaseFailure[InputsT, OutputT, MetadataT] | None
    ) -> None:
        """Clean up; `result` is the case in the report, or its failure."""
