"""Reports as tables: what the reference interface shows, line by line."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

pytest.importorskip('rich')

from stead.evals.evaluators import EvaluationResult, EvaluatorSpec
from stead.evals.reporting import EvaluationReport, ReportCase, ReportCaseFailure
from stead.evals.reporting.render_numbers import (
    default_render_duration_diff,
    default_render_number_diff,
    default_render_percentage,
)

SOURCE = EvaluatorSpec(name='S', arguments=None)


def case(name: str = 'c', seconds: float = 1.0, reason: str | None = None, **values: Any) -> ReportCase:
    def results(kind: str) -> dict[str, Any]:
        found = values.pop(kind, {})
        return {key: EvaluationResult(key, value, reason, SOURCE) for key, value in found.items()}

    by_kind = {kind: results(kind) for kind in ('scores', 'labels', 'assertions')}
    usual: dict[str, Any] = {'inputs': 'i', 'metadata': None, 'expected_output': None, 'output': 'o', 'metrics': {}}
    return ReportCase(
        name=name, attributes={}, task_duration=seconds, total_duration=2.0, **by_kind, **{**usual, **values}
    )


def cells(report: EvaluationReport, **options: Any) -> list[str]:
    lines = [line for line in report.render(width=160, **options).splitlines() if '│' in line]
    return [cell.strip() for cell in lines[0].strip('│').split('│')]


@pytest.mark.parametrize(
    ('value', 'text'),
    [
        (0.0, '0.000'),
        (0.25, '0.250'),
        (0.001234, '0.00123'),
        (0.99999, '1.000'),
        (1.5, '1.50'),
        (12.345, '12.3'),
        (1234.5, '1,234.5'),
        (1e-7, '0.000000100'),
        (-12.3, '-12.3'),
        (1234567, '1,234,567'),
        (float('nan'), 'nan'),
    ],
)
def test_numbers(value: float, text: str) -> None:
    assert cells(EvaluationReport(name='n', cases=[case(scores={'s': value})]))[1] == f's: {text}'


@pytest.mark.parametrize(
    ('seconds', 'text'),
    [(0.0, '0s'), (1e-9, '0.0µs'), (0.00012, '120µs'), (0.0123, '12.3ms'), (1.0, '1.0s'), (7322.5, '7,322.5s')],
)
def test_seconds(seconds: float, text: str) -> None:
    assert cells(EvaluationReport(name='n', cases=[case(seconds=seconds)]))[-1] == text


@pytest.mark.parametrize(
    ('old', 'new', 'text'),
    [
        (1, 1, '1'),
        (1, 2, '1 → 2 (+1)'),
        (0.0, 1.0, '0.000 → 1.00 (+1.0)'),
        (1.0, 1.05, '1.00 → 1.05'),
        (1.0, 1.051, '1.00 → 1.05 (+0.051 / +5.1%)'),
        (1.0, 2.3456, '1.00 → 2.35 (+1.35 / 2.3x)'),
        (1.0, 250.0, '1.00 → 250.0 (+249.0 / 250x)'),
        (1000.0, 2000.0, '1,000.0 → 2,000.0 (+1e+03 / +100.0%)'),
        (-1.0, 1.0, '-1.00 → 1.00 (+2.0 / -1.0x)'),
        (1e-7, 2e-7, '0.000000100 → 0.000000200'),
        (3, 2.5, '3 → 2.50 (-0.5 / -16.7%)'),
    ],
)
def test_changes_of_numbers(old: float, new: float, text: str) -> None:
    before, after = (EvaluationReport(name='n', cases=[case(scores={'s': value})]) for value in (old, new))
    assert cells(after, baseline=before)[1] == f's: {text}'


SUMMARY = """\
╭─ Evaluation Summary: A ─╮
│ v: 1                    │
╰─────────────────────────╯
┏━━━━━━━━━━┳━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━┳━━━━━━━━━━━━┳━━━━━━━━━━┓
┃ Case ID  ┃ Scores  ┃ Labels                  ┃ Metrics ┃ Assertions ┃ Duration ┃
┡━━━━━━━━━━╇━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━╇━━━━━━━━━━━━╇━━━━━━━━━━┩
│ x        │ s: 1    │ l: a                    │ m: 1    │ ✔          │     1.0s │
├──────────┼─────────┼─────────────────────────┼─────────┼────────────┼──────────┤
│ y        │ s: 2    │ l: b                    │ m: 1.50 │ -          │     1.0s │
├──────────┼─────────┼─────────────────────────┼─────────┼────────────┼──────────┤
│ Averages │ s: 1.50 │ l: {'a': 0.5, 'b': 0.5} │ m: 1.25 │ 100.0% ✔   │     1.0s │
└──────────┴─────────┴─────────────────────────┴─────────┴────────────┴──────────┘
"""
DIFF = """\
╭─ Evaluation Diff: A ─╮
│ a: 1                 │
│ b: 2 → 5             │
│ - c: 3               │
│ + d: 3               │
╰──────────────────────╯
┏━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━┓
┃ Case ID        ┃ Scores                         ┃ Labels                               ┃ Assertions       ┃ Duration ┃
┡━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━┩
│ x              │ s: 1 → <missing>               │ l: a → b                             │ ✔ → ✗            │     1.0s │
│                │ t: <missing> → 1               │                                      │                  │          │
├────────────────┼────────────────────────────────┼──────────────────────────────────────┼──────────────────┼──────────┤
│ + Added Case   │ s: 2                           │ l: b                                 │ -                │     1.0s │
│ z              │                                │                                      │                  │          │
├────────────────┼────────────────────────────────┼──────────────────────────────────────┼──────────────────┼──────────┤
│ - Removed Case │ s: 2                           │ l: b                                 │ ✗                │     1.0s │
│ y              │                                │                                      │                  │          │
├────────────────┼────────────────────────────────┼──────────────────────────────────────┼──────────────────┼──────────┤
│ Averages       │ s: 1.50 → 2.00 (+0.5 / +33.3%) │ l: {'a': 0.5, 'b': 0.5} → {'b': 1.0} │ 50.0% ✔ → 0.0% ✔ │     1.0s │
│                │ t: <missing> → 1.00            │                                      │                  │          │
└────────────────┴────────────────────────────────┴──────────────────────────────────────┴──────────────────┴──────────┘
"""


def test_a_report_is_a_table() -> None:
    cases = [
        case('x', scores={'s': 1}, labels={'l': 'a'}, metrics={'m': 1}, assertions={'ok': True}),
        case('y', scores={'s': 2}, labels={'l': 'b'}, metrics={'m': 1.5}),
    ]
    assert EvaluationReport(name='A', cases=cases, experiment_metadata={'v': 1}).render(width=100) == SUMMARY


def test_two_reports_are_compared() -> None:
    old = EvaluationReport(
        name='A',
        cases=[
            case('x', scores={'s': 1}, labels={'l': 'a'}, assertions={'ok': True}),
            case('y', scores={'s': 2}, labels={'l': 'b'}, assertions={'ok': False}),
        ],
        experiment_metadata={'a': 1, 'b': 2, 'c': 3},
    )
    new = EvaluationReport(
        name='A',
        cases=[
            case('x', scores={'t': 1}, labels={'l': 'b'}, assertions={'ok': False}),
            case('z', scores={'s': 2}, labels={'l': 'b'}),
        ],
        experiment_metadata={'a': 1, 'b': 5, 'd': 3},
    )
    assert new.render(width=140, baseline=old, include_removed_cases=True) == DIFF


def test_failures_have_a_table_of_their_own() -> None:
    failure = ReportCaseFailure(
        name='f', inputs='i', metadata=None, expected_output=None, error_message='E: x', error_stacktrace='one\ntwo'
    )
    report = EvaluationReport(name='D', cases=[], failures=[failure])
    assert 'Case Failures' in report.render(width=100)
    assert '│ two' in report.render(width=100, include_error_stacktrace=True)
    assert 'Case Failures' not in report.render(width=100, include_errors=False)
    assert report.averages() is None


def test_what_models_write_is_not_markup() -> None:
    report = EvaluationReport(name='n', cases=[case(output='[bold]x[/bold] [/nothing]')])
    assert cells(report, include_output=True)[1] == '[bold]x[/bold] [/nothing]'


def test_formats_are_chosen() -> None:
    report = EvaluationReport(name='n', cases=[case(scores={'s': 1.0}, labels={'l': 'a'})])
    shown = cells(
        report,
        score_configs={'s': {'value_formatter': '{:.1f}'}},
        label_configs={'l': {'value_formatter': str.upper}},
        duration_config={'value_formatter': '{:.4f}'},
    )
    assert shown == ['c', 's: 1.0', 'l: A', '1.0000']
    before = EvaluationReport(name='n', cases=[case(scores={'s': 0.5}, labels={'l': 'a'})])
    config: Any = {'s': {'diff_formatter': '{:+.3f}'}}
    assert cells(report, baseline=before, score_configs=config)[1] == 's: 0.500 → 1.00 (+0.500)'


def test_what_has_not_changed_has_no_change() -> None:
    assert default_render_number_diff(1, 1) is None
    assert default_render_number_diff(1.5, 1.5) is None
    assert default_render_duration_diff(0.5, 0.5) is None
    assert default_render_percentage(0.12345) == '12.3%'


def test_the_alias_serves_evaluations_where_the_package_is_not_installed() -> None:
    code = (
        'import stead.dropin\nstead.dropin.install()\n'
        'from pydantic_evals import Case, Dataset\n'
        'from pydantic_evals.evaluators.common import EqualsExpected\n'
        'from pydantic_evals.evaluators.context import EvaluatorContext\n'
        'from pydantic_evals.evaluators.evaluator import Evaluator\n'
        'from pydantic_evals.evaluators.llm_as_a_judge import judge_output, set_default_judge_model\n'
        'from pydantic_evals.evaluators.report_common import ROCAUCEvaluator\n'
        'from pydantic_evals.evaluators.report_evaluator import ReportEvaluator\n'
        'from pydantic_evals.reporting import EvaluationReport, ScalarResult\n'
        'from pydantic_evals.reporting.analyses import LinePlotCurve\n'
        'from pydantic_evals.reporting.render_numbers import default_render_number\n'
        'import stead.evals.evaluators\n'
        'assert Dataset is stead.evals.Dataset\n'
        'assert (Evaluator, EvaluatorContext) == (stead.evals.evaluators.Evaluator, stead.evals.evaluators.EvaluatorContext)\n'
        'data = Dataset(cases=[Case(inputs=1, expected_output=1)], evaluators=[EqualsExpected()])\n'
        'print(data.evaluate_sync(lambda x: x, progress=False).averages().assertions)\n'
    )
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True)
    assert done.stdout == '1.0\n'
