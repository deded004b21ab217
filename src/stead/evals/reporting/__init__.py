"""What an evaluation has found, as data and as a table."""

from __future__ import annotations

from dataclasses import dataclass
from io import StringIO

from typing_extensions import Unpack

from ..._kit.extras import require_extra
from ..evaluators._base import InputsT, MetadataT, OutputT
from ._analyses import (
    ConfusionMatrix,
    LinePlot,
    LinePlotCurve,
    LinePlotPoint,
    PrecisionRecall,
    PrecisionRecallCurve,
    PrecisionRecallPoint,
    ReportAnalysis,
    ScalarResult,
    TableResult,
)
from ._records import ReportCase, ReportCaseAggregate, ReportCaseFailure, ReportCaseGroup, ReportData
from ._render_options import RenderNumberConfig, RenderOptions, RenderValueConfig

__all__ = (
    'ConfusionMatrix',
    'EvaluationReport',
    'LinePlot',
    'LinePlotCurve',
    'LinePlotPoint',
    'PrecisionRecall',
    'PrecisionRecallCurve',
    'PrecisionRecallPoint',
    'RenderNumberConfig',
    'RenderOptions',
    'RenderValueConfig',
    'ReportAnalysis',
    'ReportCase',
    'ReportCaseAggregate',
    'ReportCaseFailure',
    'ReportCaseGroup',
    'ScalarResult',
    'TableResult',
)


@dataclass(kw_only=True)
class EvaluationReport(ReportData[InputsT, OutputT, MetadataT]):
    """What an evaluation has found."""

    def case_groups(self) -> list[ReportCaseGroup[InputsT, OutputT, MetadataT]] | None:
        """Return the cases by their name in the data set; `None` if each was run once."""
        every: list[ReportCase | ReportCaseFailure] = [*self.cases, *self.failures]
        if not any(one.source_case_name for one in every):
            return None
        found: list[ReportCaseGroup[InputsT, OutputT, MetadataT]] = []
        for name in dict.fromkeys(one.source_case_name or one.name for one in every):
            same = [one for one in every if (one.source_case_name or one.name) == name]
            runs = [one for one in same if isinstance(one, ReportCase)]
            found.append(
                ReportCaseGroup(
                    name=name,
                    inputs=same[0].inputs,
                    metadata=same[0].metadata,
                    expected_output=same[0].expected_output,
                    runs=runs,
                    failures=[one for one in same if isinstance(one, ReportCaseFailure)],
                    summary=ReportCaseAggregate.average(runs),
                )
            )
        return found

    def print(
        self,
        width: int | None = None,
        baseline: EvaluationReport[InputsT, OutputT, MetadataT] | None = None,
        *,
        console: object = None,
        **options: Unpack[RenderOptions],
    ) -> None:
        """Print the report as a table.

        Args:
            width: The columns of the terminal.
            baseline: Another report, to be compared with.
            console: The console of rich that it is printed to.
            options: What is shown, and how; see `RenderOptions`.

        Raises:
            ImportError: The package rich is not installed.
        """
        require_extra('rich', extra='rich', what='A table of a report')
        from . import _tables as tables  # it needs rich

        tables.print_report(self, width, baseline, console, options)

    def render(
        self,
        width: int | None = None,
        baseline: EvaluationReport[InputsT, OutputT, MetadataT] | None = None,
        **options: Unpack[RenderOptions],
    ) -> str:
        """Return what `print` prints, without colours."""
        require_extra('rich', extra='rich', what='A table of a report')
        from rich.console import Console

        file = StringIO()
        self.print(width, baseline, console=Console(width=width, file=file), **options)
        return file.getvalue()

    def __str__(self) -> str:
        return self.render()
