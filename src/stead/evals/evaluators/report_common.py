"""Evaluators of reports: how well classes were found, and how well a score tells good cases from bad ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import nan
from typing import Any, Literal, TypeVar, cast

from ..reporting import ReportCase
from ..reporting._analyses import (
    ConfusionMatrix,
    LinePlot,
    LinePlotCurve,
    LinePlotPoint,
    PrecisionRecall,
    PrecisionRecallCurve,
    PrecisionRecallPoint,
    ReportAnalysis,
    ScalarResult,
)
from .report_evaluator import ReportEvaluator, ReportEvaluatorContext

__all__ = (
    'DEFAULT_REPORT_EVALUATORS',
    'ConfusionMatrixEvaluator',
    'KolmogorovSmirnovEvaluator',
    'PrecisionRecallEvaluator',
    'ROCAUCEvaluator',
)

T = TypeVar('T')
Context = ReportEvaluatorContext
ClassFrom = Literal['expected_output', 'output', 'metadata', 'labels']
PositiveFrom = Literal['expected_output', 'assertions', 'labels']
ScoreFrom = Literal['scores', 'metrics']
_PLACES = ('expected_output', 'output', 'metadata', 'labels', 'assertions', 'scores', 'metrics')


def _value_of(case: ReportCase, source: str, key: str | None, name: str) -> Any:
    """Return what a case has in one of its places; `None` if it has nothing there.

    Raises:
        ValueError: There is no such place, or it holds results by name, and there is no key.
    """
    if source not in _PLACES:
        raise ValueError(f'{source!r} is not a place of a case, which are {", ".join(_PLACES)}')
    if source in ('assertions', 'labels') and key is None:
        raise ValueError(f'{name!r} is required with {source!r}: the name of the result')
    own: Any = getattr(case, source)
    if key is None or source in ('expected_output', 'output'):
        return own
    found = cast('dict[str, Any]', own).get(key) if isinstance(own, dict) else None
    return getattr(found, 'value', None) if source in ('assertions', 'labels', 'scores') else found


@dataclass(repr=False)
class ConfusionMatrixEvaluator(ReportEvaluator):
    """How often which class was found where which one was expected."""

    predicted_from: ClassFrom = 'output'
    """Where a case has the class that was found."""
    predicted_key: str | None = None
    """Its name there, for metadata and labels."""
    expected_from: ClassFrom = 'expected_output'
    """Where a case has the class that was expected."""
    expected_key: str | None = None
    """Its name there, for metadata and labels."""
    title: str = 'Confusion Matrix'
    """The title of the matrix."""

    def evaluate(self, ctx: Context) -> ConfusionMatrix:
        """Return the matrix; cases that lack one of the two classes are left out."""
        pairs: list[tuple[str, str]] = []
        for case in ctx.report.cases:
            found = _value_of(case, self.predicted_from, self.predicted_key, 'predicted_key')
            expected = _value_of(case, self.expected_from, self.expected_key, 'expected_key')
            if found is not None and expected is not None:
                pairs.append((str(expected), str(found)))
        labels, counts = sorted({label for pair in pairs for label in pair}), Counter(pairs)
        matrix = [[counts[row, column] for column in labels] for row in labels]
        return ConfusionMatrix(title=self.title, class_labels=labels, matrix=matrix)


@dataclass
class _Counts:
    """How many cases of each kind have a score on one side of a threshold."""

    threshold: float
    positive: int
    negative: int


@dataclass(repr=False)
class _ScoreEvaluator(ReportEvaluator):
    """Looks at the scores of cases of which it is known whether they are positive."""

    score_key: str
    """The name of the score."""
    positive_from: PositiveFrom
    """Where a case says whether it is positive."""
    positive_key: str | None = None
    """The name of the assertion or label."""
    score_from: ScoreFrom = 'scores'
    """Whether it is a score or a metric."""

    def _counts(self, ctx: Context, highest_first: bool) -> list[_Counts]:
        """Return for each score how many cases have that one or one before it; cases that lack something are left out."""
        scored: list[tuple[float, bool]] = []
        for case in ctx.report.cases:
            score = _value_of(case, self.score_from, self.score_key, 'score_key')
            positive = _value_of(case, self.positive_from, self.positive_key, 'positive_key')
            if score is not None and positive is not None:
                scored.append((float(score), bool(positive)))
        kinds = Counter(scored)
        found: list[_Counts] = []
        positive = negative = 0
        for score in sorted({score for score, _ in scored}, reverse=highest_first):
            positive, negative = positive + kinds[score, True], negative + kinds[score, False]
            found.append(_Counts(score, positive, negative))
        return [_Counts(found[0].threshold, 0, 0), *found] if found else []


def _thinned(points: Sequence[T], most: int) -> list[T]:
    """Return points that are about equally far apart, with the first and the last one; all if `most` is below two."""
    if most < 2 or len(points) <= most:
        return [*points]
    return [points[number * (len(points) - 1) // (most - 1)] for number in range(most)]


def _area(points: Sequence[tuple[float, float]]) -> float:
    return sum((after[0] - before[0]) * (before[1] + after[1]) / 2 for before, after in pairwise(points))


def _curve(name: str, points: Sequence[tuple[float, float]], most: int, **options: Any) -> LinePlotCurve:
    return LinePlotCurve(name=name, points=[LinePlotPoint(x=x, y=y) for x, y in _thinned(points, most)], **options)


@dataclass(repr=False)
class PrecisionRecallEvaluator(_ScoreEvaluator):
    """Precision and recall for each threshold of a score, and the area under the curve."""

    title: str = 'Precision-Recall Curve'
    """The title of the curve."""
    n_thresholds: int = 100
    """How many points the curve has at most."""

    def evaluate(self, ctx: Context) -> list[ReportAnalysis]:
        """Return the curve and the area; without a case there is no curve, and the area is not a number."""
        counts = self._counts(ctx, highest_first=True)
        positives = counts[-1].positive if counts else 0
        points = [
            PrecisionRecallPoint(
                threshold=one.threshold,
                precision=one.positive / taken if (taken := one.positive + one.negative) else 1.0,
                recall=one.positive / positives if positives else 0.0,
            )
            for one in counts
        ]
        area = _area([(one.recall, one.precision) for one in points]) if points else nan
        curve = PrecisionRecallCurve(name=ctx.name, points=_thinned(points, self.n_thresholds), auc=area)
        return [
            PrecisionRecall(title=self.title, curves=[curve] if points else []),
            ScalarResult(title=f'{self.title} AUC', value=area),
        ]


@dataclass(repr=False)
class ROCAUCEvaluator(_ScoreEvaluator):
    """The share of positive cases against that of negative ones for each threshold of a score, and the area under the curve."""

    title: str = 'ROC Curve'
    """The title of the curve."""
    n_thresholds: int = 100
    """How many points the curve has at most."""

    def evaluate(self, ctx: Context) -> list[ReportAnalysis]:
        """Return the curve and the area; without cases of both kinds there is no curve, and the area is not a number."""
        points = [(negative, positive) for _, positive, negative in _shares(self._counts(ctx, highest_first=True))]
        area = _area(points) if points else nan
        curves = [
            _curve(f'{ctx.name} (AUC: {area:.3f})', points, self.n_thresholds),
            _curve('Random', [(0, 0), (1, 1)], 2, style='dashed'),
        ]
        plot = LinePlot(
            title=self.title,
            x_label='False Positive Rate',
            y_label='True Positive Rate',
            x_range=(0, 1),
            y_range=(0, 1),
            curves=curves if points else [],
        )
        return [plot, ScalarResult(title=f'{self.title} AUC', value=area)]


@dataclass(repr=False)
class KolmogorovSmirnovEvaluator(_ScoreEvaluator):
    """How a score is distributed among positive and among negative cases, and how far the two are apart at most."""

    title: str = 'KS Plot'
    """The title of the plot."""
    n_thresholds: int = 100
    """How many points each curve has at most."""

    def evaluate(self, ctx: Context) -> list[ReportAnalysis]:
        """Return the curves and the distance; without cases of both kinds there is no curve, and it is not a number."""
        shares = [*_shares(self._counts(ctx, highest_first=False))]
        curves = [
            _curve(name, [(share[0], share[place]) for share in shares], self.n_thresholds, step='end')
            for place, name in ((1, 'Positive'), (2, 'Negative'))
        ]
        plot = LinePlot(
            title=self.title,
            x_label='Score',
            y_label='Cumulative Probability',
            y_range=(0, 1),
            curves=curves if shares else [],
        )
        apart = max((abs(positive - negative) for _, positive, negative in shares), default=nan)
        return [plot, ScalarResult(title='KS Statistic', value=apart)]


def _shares(counts: Sequence[_Counts]) -> Iterator[tuple[float, float, float]]:
    """Yield thresholds with the shares of positive and negative cases; nothing if there are none of a kind."""
    if counts and counts[-1].positive and counts[-1].negative:
        positives, negatives = counts[-1].positive, counts[-1].negative
        yield from ((one.threshold, one.positive / positives, one.negative / negatives) for one in counts)


DEFAULT_REPORT_EVALUATORS: tuple[type[ReportEvaluator], ...] = (
    ConfusionMatrixEvaluator,
    KolmogorovSmirnovEvaluator,
    PrecisionRecallEvaluator,
    ROCAUCEvaluator,
)
"""The evaluators of reports that files may name."""
