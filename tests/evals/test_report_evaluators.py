"""Evaluators of a whole report: what they return, what the report shows of it, and how files name them."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from stead.evals import Case, Dataset
from stead.evals.evaluators import (
    ConfusionMatrixEvaluator,
    Evaluator,
    EvaluatorContext,
    KolmogorovSmirnovEvaluator,
    PrecisionRecallEvaluator,
    ReportEvaluator,
    ReportEvaluatorContext,
    ROCAUCEvaluator,
)
from stead.evals.reporting import (
    ConfusionMatrix,
    EvaluationReport,
    LinePlot,
    PrecisionRecall,
    ScalarResult,
    TableResult,
)

SCORES = {'a': (0.9, True), 'b': (0.7, False), 'c': (0.7, True), 'd': (0.4, False), 'e': (0.1, None)}


@dataclass(repr=False)
class Sure(Evaluator):
    """Takes the score and the label from the output."""

    def evaluate(self, ctx: EvaluatorContext) -> Any:
        score, label = ctx.output
        return {'sure': score, 'animal': label, 'fur': ctx.inputs == 'cat'}


def analysed(evaluator: ReportEvaluator, outputs: list[Any], expected: list[Any]) -> list[Any]:
    cases = [
        Case(inputs='cat' if place % 2 else 'dog', expected_output=one, metadata={'animal': 'cat'} if place else None)
        for place, one in enumerate(expected)
    ]
    left = iter(outputs)
    data = Dataset(cases=cases, evaluators=[Sure()], report_evaluators=[evaluator])
    report = data.evaluate_sync(lambda _: next(left), max_concurrency=1, progress=False)
    assert [one.error_message for one in report.report_evaluator_failures] == []
    return report.analyses


def scored(evaluator: ReportEvaluator) -> list[Any]:
    outputs = [(score, 'x') for score, _ in SCORES.values()]
    return analysed(evaluator, outputs, [positive for _, positive in SCORES.values()])


def test_classes_are_counted() -> None:
    outputs = [(1, 'cat'), (1, 'dog'), (1, 'cat'), (1, 'owl')]
    expected = ['cat', 'cat', 'dog', None]
    evaluator = ConfusionMatrixEvaluator(predicted_from='labels', predicted_key='animal', title='Animals')
    (found,) = analysed(evaluator, outputs, expected)
    assert found == ConfusionMatrix(title='Animals', class_labels=['cat', 'dog'], matrix=[[1, 1], [1, 0]])


def test_a_class_may_be_anywhere_in_a_case() -> None:
    evaluator = ConfusionMatrixEvaluator('metadata', 'animal', 'labels', 'animal')
    (found,) = analysed(evaluator, [(1, 'owl'), (1, 'cat'), (1, 'dog')], [None, None, None])
    assert (found.class_labels, found.matrix) == (['cat', 'dog'], [[1, 0], [1, 0]])
    (whole,) = analysed(ConfusionMatrixEvaluator(), [(1, 'a')], [2])
    assert whole.class_labels == ["(1, 'a')", '2']


def test_precision_and_recall() -> None:
    curve, area = scored(PrecisionRecallEvaluator('sure', 'expected_output'))
    assert isinstance(curve, PrecisionRecall)
    points = [(one.threshold, round(one.precision, 3), one.recall) for one in curve.curves[0].points]
    assert points == [(0.9, 1.0, 0.0), (0.9, 1.0, 0.5), (0.7, 0.667, 1.0), (0.4, 0.5, 1.0)]
    assert area.title == 'Precision-Recall Curve AUC'
    assert area.value == curve.curves[0].auc == pytest.approx(0.5 + 0.5 * (1 + 2 / 3) / 2)


def test_rates_of_positive_and_negative_cases() -> None:
    plot, area = scored(ROCAUCEvaluator('sure', 'expected_output', title='Rates'))
    assert isinstance(plot, LinePlot)
    assert [curve.name for curve in plot.curves] == ['<lambda> (AUC: 0.875)', 'Random']
    assert [(point.x, point.y) for point in plot.curves[0].points] == [(0, 0), (0, 0.5), (0.5, 1), (1, 1)]
    assert (area.title, area.value) == ('Rates AUC', 0.875)


def test_how_far_two_kinds_are_apart() -> None:
    plot, apart = scored(KolmogorovSmirnovEvaluator('sure', 'expected_output'))
    points = {curve.name: [(point.x, point.y) for point in curve.points] for curve in plot.curves}
    assert points['Positive'] == [(0.4, 0), (0.4, 0), (0.7, 0.5), (0.9, 1)]
    assert points['Negative'] == [(0.4, 0), (0.4, 0.5), (0.7, 1), (0.9, 1)]
    assert (apart.title, apart.value) == ('KS Statistic', 0.5)


@pytest.mark.parametrize('kind', [PrecisionRecallEvaluator, ROCAUCEvaluator, KolmogorovSmirnovEvaluator])
def test_without_scores_there_is_no_curve(kind: Any) -> None:
    plot, number = scored(kind('other', 'expected_output'))
    assert plot.curves == []
    assert math.isnan(number.value)


@pytest.mark.parametrize('kind', [ROCAUCEvaluator, KolmogorovSmirnovEvaluator])
def test_cases_of_one_kind_cannot_be_told_apart(kind: Any) -> None:
    plot, number = analysed(kind('sure', 'expected_output'), [(0.3, 'x'), (0.6, 'x')], [True, True])
    assert plot.curves == []
    assert math.isnan(number.value)


@pytest.mark.parametrize('most', [2, 4, 5])
def test_a_curve_has_no_more_points_than_asked_and_the_same_area(most: int) -> None:
    outputs = [(number / 20, 'x') for number in range(21)]
    expected = [number % 3 == 0 for number in range(21)]
    whole, few = (
        analysed(ROCAUCEvaluator('sure', 'expected_output', n_thresholds=count), outputs, expected)
        for count in (100, most)
    )
    every, some = whole[0].curves[0].points, few[0].curves[0].points
    assert (len(every), len(some)) == (22, most)
    assert (some[0], some[-1]) == (every[0], every[-1])
    assert few[1] == whole[1]


def test_what_is_not_in_a_case_is_said() -> None:
    def failure(evaluator: ReportEvaluator) -> str:
        data = Dataset(cases=[Case(inputs='cat')], report_evaluators=[evaluator])
        (found,) = data.evaluate_sync(str, progress=False).report_evaluator_failures
        return found.error_message

    assert "'positive_key' is required with 'labels'" in failure(ROCAUCEvaluator('s', 'labels', score_from='metrics'))
    bad: Any = 'nowhere'
    assert "'nowhere' is not a place of a case" in failure(ConfusionMatrixEvaluator(bad))


@dataclass(repr=False)
class Count(ReportEvaluator):
    """Counts cases."""

    unit: str = 'cases'

    async def evaluate(self, ctx: ReportEvaluatorContext) -> ScalarResult:
        assert ctx.experiment_metadata is not None
        return ScalarResult(
            title=f'{ctx.name} {ctx.experiment_metadata["v"]}', value=len(ctx.report.cases), unit=self.unit
        )


@dataclass(repr=False)
class Wrong(ReportEvaluator):
    """Returns what it got, or raises it."""

    what: Any

    def evaluate(self, ctx: ReportEvaluatorContext) -> Any:
        if isinstance(self.what, Exception):
            raise self.what
        return self.what


def shown_of(report: EvaluationReport, **options: Any) -> str:
    pytest.importorskip('rich')
    lines = report.render(width=200, **options).splitlines()
    return ''.join(f'{line.rstrip()}\n' for line in lines)


def test_an_evaluator_that_fails_does_not_end_the_others() -> None:
    number = ScalarResult(title='n', value=1)
    data = Dataset(
        name='d',
        cases=[Case(inputs='a'), Case(inputs='b')],
        report_evaluators=[Wrong(OSError('full')), Wrong([number, 3]), Wrong([number]), Count()],
    )
    report = data.evaluate_sync(str, name='R', progress=False, metadata={'v': 7})
    assert report.analyses == [number, ScalarResult(title='R 7', value=2, unit='cases')]
    full, wrong = report.report_evaluator_failures
    assert (full.name, full.error_message, full.error_type) == ('Wrong', 'OSError: full', 'OSError')
    assert wrong.error_message.startswith('ValueError: Wrong(what=')
    assert 'returned what is not an analysis' in wrong.error_message
    lines = shown_of(report).splitlines()
    shown = lines[lines.index('n: 1') :]
    assert shown[:5] == ['n: 1', 'R 7: 2 cases', '', 'Report Evaluator Failures:', '  Wrong: OSError: full']
    assert 'Report Evaluator Failures:' not in shown_of(report, include_evaluator_failures=False)


SHOWN = """\
        Confusion Matrix
┏━━━━━━━━━━━━━━━━━━━━━━┳━━━━┳━━━┓
┃ Expected \\ Predicted ┃  a ┃ b ┃
┡━━━━━━━━━━━━━━━━━━━━━━╇━━━━╇━━━┩
│ a                    │ 10 │ 2 │
├──────────────────────┼────┼───┤
│ b                    │  3 │ 4 │
└──────────────────────┴────┴───┘
Precision-Recall Curve
  one: 1 points, AUC=0.1235
  two: 0 points
share: 0.5 %
          t
┏━━━━━━━━━━┳━━━━━━━━━┓
┃ [b]a[/b] ┃ b       ┃
┡━━━━━━━━━━╇━━━━━━━━━┩
│ 1.23456  │         │
├──────────┼─────────┤
│ x        │ [i]True │
└──────────┴─────────┘
L
  k: 1 points
"""


def test_a_report_shows_what_was_said_of_it() -> None:
    point = {'threshold': 0.5, 'precision': 1, 'recall': 0.25}
    curves: Any = [{'name': 'one', 'points': [point], 'auc': 0.12345}, {'name': 'two', 'points': []}]
    lines: Any = [{'name': 'k', 'points': [{'x': 1, 'y': 2}]}]
    report = EvaluationReport(
        name='r',
        cases=[],
        analyses=[
            ConfusionMatrix(class_labels=['a', 'b'], matrix=[[10, 2], [3, 4]]),
            PrecisionRecall(curves=curves),
            ScalarResult(title='share', value=0.5, unit='%'),
            TableResult(title='t', columns=['[b]a[/b]', 'b'], rows=[[1.23456, None], ['x', '[i]True']]),
            LinePlot(title='L', x_label='x', y_label='y', curves=lines),
        ],
    )
    assert shown_of(report).endswith(SHOWN)
    assert shown_of(report, baseline=report).endswith(SHOWN)
    assert 'Confusion' not in shown_of(report, include_analyses=False)


def test_files_name_them(tmp_path: Path) -> None:
    evaluators = [ROCAUCEvaluator('s', 'labels', 'good', n_thresholds=7), Count('rows'), ConfusionMatrixEvaluator()]
    data = Dataset[str, str, None](name='d', cases=[Case(inputs='x')], report_evaluators=evaluators)
    path = tmp_path / 'd.json'
    data.to_file(path, custom_report_evaluator_types=[Count])
    written = json.loads(path.read_text(encoding='utf-8'))['report_evaluators']
    about = {'score_key': 's', 'positive_from': 'labels', 'positive_key': 'good', 'n_thresholds': 7}
    assert written == [{'ROCAUCEvaluator': about}, {'Count': 'rows'}, 'ConfusionMatrixEvaluator']
    schema = json.loads((tmp_path / 'd_schema.json').read_text(encoding='utf-8'))
    assert schema['properties']['report_evaluators']['items'] == {'$ref': '#/$defs/ReportSpec'}
    assert 'Count' in schema['$defs']['ReportSpec']['anyOf'][0]['enum']
    read = Dataset[str, str, None].from_file(path, custom_report_evaluator_types=[Count])
    assert read.report_evaluators == evaluators
    with pytest.raises(ValueError, match=r"report of the data set: there is no evaluator 'Count'.*custom_report_"):
        Dataset[str, str, None].from_file(path)
