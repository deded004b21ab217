"""Tables of reports, with the package rich."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from ..._kit.json_types import JsonObject
from ..evaluators._base import EvaluationResult
from ._analyses import ConfusionMatrix, PrecisionRecallCurve, ReportAnalysis, ScalarResult, TableResult
from ._records import ReportCase, ReportCaseAggregate, ReportData
from ._render_options import RenderNumberConfig, RenderOptions
from .render_numbers import (
    default_render_duration,
    default_render_duration_diff,
    default_render_number,
    default_render_number_diff,
    default_render_percentage,
)

AnyReport = ReportData
AnyCase = ReportCase
_MISSING = '<missing>'
_OF_SCORES: RenderNumberConfig = {'diff_atol': 1e-6, 'diff_rtol': 0.05}
_OF_SECONDS: RenderNumberConfig = {'diff_atol': 1e-6, 'diff_rtol': 0.1}


@dataclass
class _Form:
    """How one kind of value is shown."""

    value: Callable[[Any], str]
    change: Callable[[float, float], str | None] | None = None
    atol: float = 0
    rtol: float = 0

    @classmethod
    def of(
        cls, config: Mapping[str, Any], value: Any, change: Any = None, usual: Mapping[str, Any] | None = None
    ) -> _Form:
        chosen = {**(usual or {}), **config}
        return cls(
            _function(chosen.get('value_formatter', value)),
            _function(chosen.get('diff_formatter', change)),
            chosen.get('diff_atol', 0),
            chosen.get('diff_rtol', 0),
        )

    def shown(self, value: object) -> str:
        return _MISSING if value is None else self.value(value)

    def compared(self, old: object, new: object) -> str:
        before, after = self.shown(old), self.shown(new)
        if before == after:
            return before
        text = f'{before}\n→\n{after}' if '\n' in before + after else f'{before} → {after}'
        if self.change is None or not isinstance(old, (int, float)) or not isinstance(new, (int, float)):
            return text
        if abs(new - old) <= self.atol + self.rtol * abs(old):
            return text
        change = self.change(old, new)
        return text if change is None else f'{text} ({change})'


def _function(form: Any) -> Any:
    """Return the function that a format or function stands for."""
    if not isinstance(form, str):
        return form

    def formatted(*values: Any) -> str:
        return form.format(values[-1] - values[0] if len(values) == 2 else values[0])

    return formatted


def _plain(value: object) -> str:
    return value if isinstance(value, str) else repr(value)


# Cells


class _Renderer:
    def __init__(self, options: RenderOptions) -> None:
        self.options = cast('JsonObject', options)

    def wants(self, name: str, usual: bool = False) -> bool:
        return self.options.get(f'include_{name}', usual)

    def _value_form(self, name: str) -> _Form:
        return _Form.of(self.options.get(name) or {}, _plain)

    def _number_form(self, kind: str, name: str) -> _Form:
        configs: dict[str, Mapping[str, Any]] = self.options.get(f'{kind}_configs') or {}
        config = configs.get(name) or {}
        if kind in ('label', 'share'):
            return _Form.of(config, _plain)
        return _Form.of(config, default_render_number, default_render_number_diff, _OF_SCORES)

    def columns(self, cases: Sequence[AnyCase]) -> Iterator[tuple[str, str]]:
        """Yield the columns of a table: what each shows, and its title."""
        for name, title in (
            ('input', 'Inputs'),
            ('metadata', 'Metadata'),
            ('expected_output', 'Expected Output'),
            ('output', 'Outputs'),
        ):
            if self.wants(name):
                yield name, title
        for name in ('scores', 'labels', 'metrics', 'assertions'):
            if any(getattr(case, name) for case in cases):
                yield name, name.title()
        if self.wants('evaluator_failures', True) and any(case.evaluator_failures for case in cases):
            yield 'evaluator_failures', 'Evaluator Failures'
        if self.wants('durations', True):
            yield 'durations', 'Durations' if self.wants('total_duration') else 'Duration'

    def cell(self, column: str, case: AnyCase, before: AnyCase | None = None) -> str:
        """Return what a column says of a case, compared with another one if there is one."""
        if column in ('input', 'metadata', 'expected_output', 'output'):
            form = self._value_form(f'{"output" if "output" in column else column}_config')
            attribute = 'inputs' if column == 'input' else column
            new = getattr(case, attribute)
            return form.shown(new) if before is None else form.compared(getattr(before, attribute), new)
        if column in ('scores', 'labels', 'metrics'):
            old = None if before is None else getattr(before, column)
            return self._dict(column.removesuffix('s'), getattr(case, column), old)
        if column == 'durations':
            return self._durations(case, before)
        if before is None:
            return self._assertions(case) if column == 'assertions' else _failures(case)
        of = _marks if column == 'assertions' else _failures
        old, text = of(before), of(case)
        arrow = ' → ' if column == 'assertions' else '\n→\n'
        return text if old == text else f'{old}{arrow}{text}'

    def _dict(self, kind: str, new: Mapping[str, Any], old: Mapping[str, Any] | None) -> str:
        lines: list[str] = []
        for name in new if old is None else sorted({*old, *new}):
            form = self._number_form(kind, name)
            own = new.get(name)
            value = getattr(own, 'value', own)
            if old is None:
                lines.append(f'{name}: {form.shown(value)}')
                reason = getattr(own, 'reason', None)
                if reason and self.wants('reasons'):
                    lines.append(f'  Reason: {reason}')
            else:
                other = old.get(name)
                lines.append(f'{name}: {form.compared(getattr(other, "value", other), value)}')
        return '\n'.join(lines) or '-'

    def _assertions(self, case: AnyCase) -> str:
        if not (case.assertions and self.wants('reasons')):
            return _marks(case)
        return ''.join(
            f'{name}: {_mark(one)}\n' + (f'  Reason: {one.reason}\n\n' if one.reason else '')
            for name, one in case.assertions.items()
        )

    def _durations(self, case: AnyCase | ReportCaseAggregate, before: AnyCase | ReportCaseAggregate | None) -> str:
        form = _Form.of(
            self.options.get('duration_config') or {},
            default_render_duration,
            default_render_duration_diff,
            _OF_SECONDS,
        )

        def text(name: str) -> str:
            new = getattr(case, name)
            return form.shown(new) if before is None else form.compared(getattr(before, name), new)

        if self.wants('total_duration'):
            return f'task: {text("task_duration")}\ntotal: {text("total_duration")}'
        return text('task_duration')

    def average(self, column: str, new: ReportCaseAggregate, old: ReportCaseAggregate | None) -> str:
        """Return what a column says of the averages."""
        if column in ('scores', 'labels', 'metrics'):
            kind = 'share' if column == 'labels' else column.removesuffix('s')
            return self._dict(kind, getattr(new, column), None if old is None else getattr(old, column))
        if column == 'durations':
            return self._durations(new, old)
        if column != 'assertions':
            return ''
        shares = [one.assertions for one in (old, new) if one is not None]
        texts = ['-' if share is None else f'{default_render_percentage(share)} ✔' for share in shares]
        return ' → '.join(dict.fromkeys(texts))


def _mark(assertion: EvaluationResult[bool]) -> str:
    return '✔' if assertion.value else '✗'


def _marks(case: AnyCase) -> str:
    return ''.join(map(_mark, case.assertions.values())) or '-'


def _failures(case: AnyCase) -> str:
    return '\n'.join(f'{one.name}: {one.error_message}' for one in case.evaluator_failures) or '-'


# Tables


def _table(title: str, with_title: bool, columns: Sequence[tuple[str, str]]) -> Table:
    table = Table(title=title if with_title else '', show_lines=True)
    table.add_column('Case ID', style='bold')
    for name, heading in columns:
        if name == 'durations':
            table.add_column(heading, justify='right')
        else:
            table.add_column(heading, overflow='fold')
    return table


def _add(table: Table, *cells: str) -> None:
    table.add_row(*(escape(cell) for cell in cells))  # what models and tools wrote is not markup


def report_table(report: AnyReport, options: RenderOptions, with_title: bool = True) -> Table:
    """Return the table of a report."""
    renderer = _Renderer(options)
    columns = [*renderer.columns(report.cases)]
    table = _table(f'Evaluation Summary: {report.name}', with_title, columns)
    for case in report.cases:
        _add(table, case.name, *(renderer.cell(name, case) for name, _ in columns))
    averages = report.averages()
    if averages is not None and renderer.wants('averages', True):
        _add(table, averages.name, *(renderer.average(name, averages, None) for name, _ in columns))
    return table


def diff_table(report: AnyReport, baseline: AnyReport, options: RenderOptions, with_title: bool = True) -> Table:
    """Return the table of a report compared with another one."""
    renderer = _Renderer(options)
    old, new = ({case.name: case for case in one.cases} for one in (baseline, report))
    shown = [case for case in baseline.cases if case.name in new or renderer.wants('removed_cases')]
    columns = [*renderer.columns([*report.cases, *shown])]
    table = _table(_diff_title(report, baseline), with_title, columns)
    for name in sorted(old.keys() & new.keys()):
        _add(table, name, *(renderer.cell(column, new[name], old[name]) for column, _ in columns))
    for name in sorted(new.keys() - old.keys()):
        _add(table, f'+ Added Case\n{name}', *(renderer.cell(column, new[name]) for column, _ in columns))
    if renderer.wants('removed_cases'):
        for name in sorted(old.keys() - new.keys()):
            _add(table, f'- Removed Case\n{name}', *(renderer.cell(column, old[name]) for column, _ in columns))
    averages = report.averages()
    if averages is not None and renderer.wants('averages', True):
        before = ReportCaseAggregate.average(shown) if shown else None
        _add(table, averages.name, *(renderer.average(name, averages, before) for name, _ in columns))
    return table


def failures_table(report: AnyReport, options: RenderOptions) -> Table:
    """Return the table of the cases whose task has failed."""
    renderer = _Renderer(options)
    names = {'inputs': 'Inputs', 'metadata': 'Metadata', 'expected_output': 'Expected Output'}
    shown = {name: title for name, title in names.items() if renderer.wants(name.replace('inputs', 'input'))}
    table = Table(title='Case Failures', show_lines=True)
    stack = renderer.wants('error_stacktrace')
    for title in ('Case ID', *shown.values(), 'Error Message', *(['Error Stacktrace'] if stack else [])):
        table.add_column(title)
    for one in report.failures:
        values = [_MISSING if (value := getattr(one, name)) is None else _plain(value) for name in shown]
        _add(table, one.name, *values, one.error_message, *([one.error_stacktrace] if stack else []))
    return table


def _diff_title(report: AnyReport, baseline: AnyReport) -> str:
    names = baseline.name if baseline.name == report.name else f'{baseline.name} → {report.name}'
    return f'Evaluation Diff: {names}'


def _metadata_lines(new: Mapping[str, Any] | None, old: Mapping[str, Any] | None, compared: bool) -> Iterator[str]:
    new, old = new or {}, old or {}
    for name in sorted({*new, *old}) if compared else new:
        if not compared or (name in new and name in old and new[name] == old[name]):
            yield f'{name}: {new[name]}'
        elif name in new and name in old:
            yield f'{name}: {old[name]} → {new[name]}'
        else:
            yield f'+ {name}: {new[name]}' if name in new else f'- {name}: {old[name]}'


def _print_analysis(screen: Console, analysis: ReportAnalysis) -> None:
    if isinstance(analysis, ScalarResult):
        unit = f' {analysis.unit}' if analysis.unit else ''
        screen.print(Text(f'{analysis.title}: {analysis.value}{unit}'))
    elif isinstance(analysis, ConfusionMatrix):
        table = Table(title=escape(analysis.title), show_lines=True)
        table.add_column('Expected \\ Predicted', style='bold')
        for label in analysis.class_labels:
            table.add_column(escape(label), justify='right')
        for label, row in zip(analysis.class_labels, analysis.matrix):
            _add(table, label, *map(str, row))
        screen.print(table)
    elif isinstance(analysis, TableResult):
        table = Table(*map(escape, analysis.columns), title=escape(analysis.title), show_lines=True)
        for row in analysis.rows:
            _add(table, *('' if cell is None else str(cell) for cell in row))
        screen.print(table)
    else:
        lines = [analysis.title]
        for curve in analysis.curves:
            area = curve.auc if isinstance(curve, PrecisionRecallCurve) else None
            lines.append(f'  {curve.name}: {len(curve.points)} points{"" if area is None else f", AUC={area:.4f}"}')
        screen.print(Text('\n'.join(lines)))


def print_report(
    report: AnyReport,
    width: int | None,
    baseline: AnyReport | None,
    console: object,
    options: RenderOptions,
) -> None:
    """Print the tables of a report, or of a report compared with another one."""
    screen = console if isinstance(console, Console) else Console(width=width)
    before = None if baseline is None else baseline.experiment_metadata
    lines = [*_metadata_lines(report.experiment_metadata, before, baseline is not None)]
    if baseline is None:
        title, table = f'Evaluation Summary: {report.name}', report_table(report, options, not lines)
    else:
        title, table = _diff_title(report, baseline), diff_table(report, baseline, options, not lines)
    if lines:
        screen.print(Panel(escape('\n'.join(lines)), title=escape(title), expand=False))
    screen.print(table)
    if cast('JsonObject', options).get('include_analyses', True):
        for analysis in report.analyses:
            _print_analysis(screen, analysis)
    if report.report_evaluator_failures and cast('JsonObject', options).get('include_evaluator_failures', True):
        lines = [f'  {one.name}: {one.error_message}' for one in report.report_evaluator_failures]
        screen.print(Text('\n'.join(['', 'Report Evaluator Failures:', *lines])))
    if report.failures and cast('JsonObject', options).get('include_errors', True):
        screen.print(failures_table(report, options))
