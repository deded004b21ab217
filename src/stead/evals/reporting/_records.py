"""What a report has of each case, and of all of them, as data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Generic

from pydantic import BaseModel

from ..._kit.json_types import JsonObject
from ..evaluators._base import EvaluationResult, EvaluatorFailure, InputsT, MetadataT, OutputT
from ._analyses import ReportAnalysis


@dataclass(kw_only=True)
class ReportCase(Generic[InputsT, OutputT, MetadataT]):
    """A case that was run."""

    name: str
    """Its name."""
    inputs: InputsT
    """What the task was called with."""
    metadata: MetadataT | None
    """The metadata of the case."""
    expected_output: OutputT | None
    """What the task should return."""
    output: OutputT
    """What the task returned."""
    metrics: dict[str, float | int]
    """What the task has counted."""
    attributes: JsonObject
    """What the task has noted."""
    scores: dict[str, EvaluationResult[float | int]] = field(default_factory=dict[str, 'EvaluationResult[float | int]'])
    """Results that are numbers."""
    labels: dict[str, EvaluationResult[str]] = field(default_factory=dict[str, 'EvaluationResult[str]'])
    """Results that are texts."""
    assertions: dict[str, EvaluationResult[bool]] = field(default_factory=dict[str, 'EvaluationResult[bool]'])
    """Results that say whether something holds."""
    task_duration: float
    """How many seconds the task took."""
    total_duration: float
    """How many seconds the case took with its evaluators."""
    source_case_name: str | None = None
    """The name of the case in the data set, if it was run several times."""
    trace_id: str | None = None
    """The trace of the case, if it was traced."""
    span_id: str | None = None
    """The span of the case, if it was traced."""
    evaluator_failures: list[EvaluatorFailure] = field(default_factory=list[EvaluatorFailure])
    """Evaluators that raised an error."""
    run_ids: list[str] = field(default_factory=list[str])
    """The ids of the runs of agents that happened in the task, by which a journal knows them."""


@dataclass(kw_only=True)
class ReportCaseFailure(Generic[InputsT, OutputT, MetadataT]):
    """A case whose task raised an error."""

    name: str
    """Its name."""
    inputs: InputsT
    """What the task was called with."""
    metadata: MetadataT | None
    """The metadata of the case."""
    expected_output: OutputT | None
    """What the task should return."""
    error_message: str
    """The type of the error and its text."""
    error_stacktrace: str
    """Where it was raised."""
    source_case_name: str | None = None
    """The name of the case in the data set, if it was run several times."""
    trace_id: str | None = None
    """The trace of the case, if it was traced."""
    span_id: str | None = None
    """The span of the case, if it was traced."""


class ReportCaseAggregate(BaseModel):
    """The averages of cases."""

    name: str
    """What is shown in the place of the name of a case."""
    scores: dict[str, float | int]
    """The averages of scores, of the cases that have them."""
    labels: dict[str, dict[str, float]]
    """How large a share of the cases has which label."""
    metrics: dict[str, float | int]
    """The averages of metrics."""
    assertions: float | None
    """How large a share of the assertions holds; `None` if there are none."""
    task_duration: float
    """The average of seconds of the tasks."""
    total_duration: float
    """The average of seconds of the cases."""

    @staticmethod
    def average(cases: Sequence[ReportCase]) -> ReportCaseAggregate:
        """Return the averages of cases."""
        labels: dict[str, Counter[str]] = {}
        for case in cases:
            for name, label in case.labels.items():
                labels.setdefault(name, Counter())[label.value] += 1
        held = [result.value for case in cases for result in case.assertions.values()]
        return ReportCaseAggregate(
            name='Averages',
            scores=_averages([{name: one.value for name, one in case.scores.items()} for case in cases]),
            labels={
                name: {label: count / counts.total() for label, count in counts.items()}
                for name, counts in labels.items()
            },
            metrics=_averages([case.metrics for case in cases]),
            assertions=fmean(held) if held else None,
            task_duration=fmean([case.task_duration for case in cases] or [0]),
            total_duration=fmean([case.total_duration for case in cases] or [0]),
        )


def _averages(values: Sequence[Mapping[str, float]]) -> dict[str, float | int]:
    names = dict.fromkeys(name for each in values for name in each)
    return {name: fmean([each[name] for each in values if name in each]) for name in names}


@dataclass(kw_only=True)
class ReportCaseGroup(Generic[InputsT, OutputT, MetadataT]):
    """A case that was run several times."""

    name: str
    """Its name in the data set."""
    inputs: InputsT
    """What the task was called with."""
    metadata: MetadataT | None
    """The metadata of the case."""
    expected_output: OutputT | None
    """What the task should return."""
    runs: Sequence[ReportCase[InputsT, OutputT, MetadataT]]
    """The times that the task has returned."""
    failures: Sequence[ReportCaseFailure[InputsT, OutputT, MetadataT]]
    """The times that it has failed."""
    summary: ReportCaseAggregate
    """The averages of the runs."""


@dataclass(kw_only=True)
class ReportData(Generic[InputsT, OutputT, MetadataT]):
    """What an evaluation has found, without what shows it."""

    name: str
    """What it is called."""
    cases: list[ReportCase[InputsT, OutputT, MetadataT]]
    """The cases whose task has returned."""
    failures: list[ReportCaseFailure[InputsT, OutputT, MetadataT]] = field(default_factory=list[ReportCaseFailure])
    """The cases whose task has failed."""
    analyses: list[ReportAnalysis] = field(default_factory=list[ReportAnalysis])
    """What evaluators said of the whole report."""
    report_evaluator_failures: list[EvaluatorFailure] = field(default_factory=list[EvaluatorFailure])
    """Evaluators of the whole report that raised an error."""
    experiment_metadata: JsonObject | None = None
    """What was said of the evaluation."""
    trace_id: str | None = None
    """The trace of the evaluation, if it was traced."""
    span_id: str | None = None
    """The span of the evaluation, if it was traced."""

    def averages(self) -> ReportCaseAggregate | None:
        """Return the averages of the cases; `None` if there are none."""
        return ReportCaseAggregate.average(self.cases) if self.cases else None
