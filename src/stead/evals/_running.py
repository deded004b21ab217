"""Runs a case: its task, the notes about runs of agents in it, and its evaluators."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import partial
from time import perf_counter
from typing import Any, cast

from typing_extensions import TypeVar

from .._contracts.capability import AbstractCapability
from .._contracts.facts import CallAsked, CallsWait, RunBegan, RunEnded, RunFact
from .._contracts.run_context import RunContext
from .._kit.extras import load_extra
from .._kit.json_types import JsonObject
from .._kit.threads import run_in_worker_thread
from ..agent.for_all import FOR_ALL
from .evaluators._base import (
    CaseRun,
    EvaluationReason,
    EvaluationResult,
    Evaluator,
    EvaluatorContext,
    EvaluatorFailure,
)
from .evaluators.report_evaluator import ReportEvaluator, ReportEvaluatorContext
from .lifecycle import Case, CaseLifecycle
from .reporting._analyses import ANALYSES
from .reporting._records import ReportCase, ReportCaseFailure, ReportData

T = TypeVar('T')
_MOST_RUNS = 10_000
Task = Callable[[Any], Any]


@dataclass
class Notes:
    """What is noted while the task of a case runs."""

    metrics: dict[str, int | float] = field(default_factory=dict[str, 'int | float'])
    attributes: JsonObject = field(default_factory=JsonObject)
    runs: dict[str, CaseRun] = field(default_factory=dict[str, CaseRun])


NOTES: ContextVar[Notes | None] = ContextVar('stead_eval_notes', default=None)


class _RunsOfCases(AbstractCapability[Any]):
    """Notes the runs of all agents that happen in the task of a case."""

    @classmethod
    def get_serialization_name(cls) -> str | None:
        return None

    async def record(self, ctx: RunContext[Any], *, fact: RunFact) -> None:
        notes = NOTES.get()
        if notes is None:
            return
        run_id = str(ctx.run_id)
        if isinstance(fact, RunBegan) and len(notes.runs) < _MOST_RUNS:
            notes.runs[run_id] = CaseRun(run_id, getattr(ctx.agent, 'name', None), ctx.messages)
        if (run := notes.runs.get(run_id)) is None:
            return
        if isinstance(fact, CallsWait):
            run.asked = [*run.asked, *(call.tool_name for call in fact.requests.approvals)]
        elif isinstance(fact, CallAsked) and fact.needs_approval:
            run.asked = [*run.asked, fact.call.tool_name]
        elif isinstance(fact, RunEnded):
            run.messages = [*ctx.messages]
            run.error = None if fact.error is None else _text_of(fact.error)


_open = 0


@contextmanager
def noting_runs() -> Iterator[None]:
    """Note the runs of agents in this block."""
    global _open
    _open += 1
    FOR_ALL.replace(_RunsOfCases, _RunsOfCases())
    try:
        yield
    finally:
        _open -= 1
        if not _open:
            FOR_ALL.replace(_RunsOfCases, None)


def _text_of(error: BaseException) -> str:
    return f'{type(error).__name__}: {error}'


def _trace_of(error: BaseException) -> str:
    return ''.join(traceback.format_exception(type(error), error, error.__traceback__))


async def _retried(retry: Mapping[str, Any] | None, work: Callable[[], Awaitable[T]]) -> T:
    """Do work, again if it fails and the arguments of `tenacity.AsyncRetrying` say so."""
    if retry is None:
        return await work()
    tenacity = load_extra('tenacity', extra='retries', what='Trying tasks again')
    return await tenacity.AsyncRetrying(**{'reraise': True, **retry})(work)


async def _called(task: Task, inputs: object) -> Any:
    if inspect.iscoroutinefunction(task) or inspect.iscoroutinefunction(type(task).__call__):
        return await task(inputs)
    found = await run_in_worker_thread(partial(task, inputs))
    return await found if inspect.isawaitable(found) else found


@dataclass
class CaseRunner:
    """Runs cases, each by itself."""

    task: Task
    evaluators: Sequence[Evaluator]
    """Those of the data set."""
    retry_task: Mapping[str, Any] | None = None
    retry_evaluators: Mapping[str, Any] | None = None
    lifecycle: type[CaseLifecycle] = CaseLifecycle

    async def run(self, case: Case, name: str, source: str | None) -> ReportCase | ReportCaseFailure:
        """Return what the report says of a case.

        Args:
            case: The case.
            name: Its name in the report.
            source: Its name in the data set, if it is run several times.
        """
        about: JsonObject = {
            'name': name,
            'inputs': case.inputs,
            'metadata': case.metadata,
            'expected_output': case.expected_output,
            'source_case_name': source,
        }
        life = self.lifecycle(case)
        result: Any = None
        try:
            result = await self._case(case, about, life)
        except Exception as error:
            result = ReportCaseFailure(**about, error_message=_text_of(error), error_stacktrace=_trace_of(error))
        finally:
            await life.teardown(result)
        return result

    async def _case(self, case: Case, about: JsonObject, life: CaseLifecycle) -> ReportCase:
        began = perf_counter()
        await life.setup()
        notes, started = Notes(), perf_counter()

        async def work() -> Any:
            nonlocal notes, started
            notes, started = Notes(), perf_counter()  # what an attempt that failed has noted does not count
            token = NOTES.set(notes)
            try:
                return await _called(self.task, case.inputs)
            finally:
                NOTES.reset(token)

        output = await _retried(self.retry_task, work)
        seconds = perf_counter() - started
        ctx: EvaluatorContext = EvaluatorContext(
            **{key: about[key] for key in ('inputs', 'metadata', 'expected_output')},
            name=about['source_case_name'] or about['name'],
            output=output,
            duration=seconds,
            attributes=notes.attributes,
            metrics=notes.metrics,
            runs=[*notes.runs.values()],
        )
        ctx = await life.prepare_context(ctx)
        report = ReportCase(
            **about,
            output=output,
            metrics=ctx.metrics,
            attributes=ctx.attributes,
            task_duration=seconds,
            total_duration=0,
            run_ids=[*notes.runs],
        )
        for evaluator in (*case.evaluators, *self.evaluators):
            await self._evaluate(evaluator, ctx, report)
        report.total_duration = perf_counter() - began
        return report

    async def _evaluate(self, evaluator: Evaluator, ctx: EvaluatorContext, report: ReportCase) -> None:
        spec, version, name = evaluator.as_spec(), evaluator.get_evaluator_version(), ''
        try:
            name = evaluator.get_default_evaluation_name()
            answer = cast(object, await _retried(self.retry_evaluators, lambda: evaluator.evaluate_async(ctx)))
            found: Mapping[str, object] = (
                cast('Mapping[str, object]', answer) if isinstance(answer, Mapping) else {name: answer}
            )
            results = [_result(key, value, evaluator, cast(object, answer)) for key, value in found.items()]
        except Exception as error:
            failure = EvaluatorFailure(
                name or spec.name, _text_of(error), _trace_of(error), spec, version, type(error).__name__
            )
            report.evaluator_failures.append(failure)
            return
        for result in results:
            result = replace(result, source=spec, evaluator_version=version)
            by_kind: Any = report.scores
            if isinstance(result.value, bool):
                by_kind = report.assertions
            elif isinstance(result.value, str):
                by_kind = report.labels
            by_kind[_free(result.name, report)] = result


async def analyse(report: ReportData, evaluators: Sequence[ReportEvaluator]) -> None:
    """Let evaluators say something of a whole report, which takes down what they return and who raised an error.

    Args:
        report: The report, with all its cases.
        evaluators: The evaluators.
    """
    ctx: ReportEvaluatorContext = ReportEvaluatorContext(
        name=report.name, report=report, experiment_metadata=report.experiment_metadata
    )
    for evaluator in evaluators:
        try:
            answer: object = await evaluator.evaluate_async(ctx)
            found = cast('list[object]', answer) if isinstance(answer, list) else [answer]
            analyses = [one for one in found if isinstance(one, ANALYSES)]
            if len(analyses) < len(found):
                raise ValueError(f'{evaluator!r}.evaluate returned what is not an analysis: {answer!r}.')
            report.analyses += analyses
        except Exception as error:
            spec = evaluator.as_spec()
            report.report_evaluator_failures.append(
                EvaluatorFailure(spec.name, _text_of(error), _trace_of(error), spec, error_type=type(error).__name__)
            )


def _result(name: str, value: object, evaluator: Evaluator, whole: object) -> EvaluationResult[Any]:
    reason = value.reason if isinstance(value, EvaluationReason) else None
    plain = value.value if isinstance(value, EvaluationReason) else value
    if not isinstance(plain, (bool, int, float, str)):
        raise ValueError(f'{evaluator!r}.evaluate returned a value of an invalid type: {whole!r}.')
    return EvaluationResult(name, plain, reason, evaluator.as_spec())


def _free(name: str, report: ReportCase) -> str:
    """Return a name that no result of a case has: the same name, or one with a number."""
    used = {*report.scores, *report.labels, *report.assertions}
    numbered, number = name, 1
    while numbered in used:
        number += 1
        numbered = f'{name}_{number}'
    return numbered


def increment_eval_metric(name: str, amount: float) -> None:
    """Add to a metric of the case that is run; outside of one nothing happens.

    Args:
        name: The name of the metric.
        amount: What to add.
    """
    if (notes := NOTES.get()) is not None:
        notes.metrics[name] = notes.metrics.get(name, 0) + amount


def set_eval_attribute(name: str, value: object) -> None:
    """Note something in the report of the case that is run; outside of one nothing happens.

    Args:
        name: The name of it.
        value: What to note.
    """
    if (notes := NOTES.get()) is not None:
        notes.attributes[name] = value


def check_repeat(repeat: int) -> None:
    """Check how many times each case is run.

    Raises:
        ValueError: It is not a number of times.
    """
    if repeat < 1:
        raise ValueError(f'repeat must be >= 1, got {repeat}')
