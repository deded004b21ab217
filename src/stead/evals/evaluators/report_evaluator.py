"""`ReportEvaluator`: says something of a whole report."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Generic, Union

from ..._kit.json_types import JsonObject
from ..reporting._analyses import ReportAnalysis
from ..reporting._records import ReportData
from ._base import InFiles, InputsT, MetadataT, OutputT

__all__ = ('ReportEvaluator', 'ReportEvaluatorContext')


@dataclass(kw_only=True)
class ReportEvaluatorContext(Generic[InputsT, OutputT, MetadataT]):
    """What evaluators of reports see."""

    name: str
    """What the report is called."""
    report: ReportData[InputsT, OutputT, MetadataT]
    """The report, with all its cases."""
    experiment_metadata: JsonObject | None
    """What was said of the evaluation."""


@dataclass(repr=False)
class ReportEvaluator(InFiles, Generic[InputsT, OutputT, MetadataT]):
    """Says something of a whole report. Subclasses are dataclasses with an `evaluate` method, sync or async."""

    def evaluate(
        self, ctx: ReportEvaluatorContext[InputsT, OutputT, MetadataT]
    ) -> Union[ReportAnalysis, list[ReportAnalysis], Awaitable[Union[ReportAnalysis, list[ReportAnalysis]]]]:
        """Return what is to be said of the report.

        Raises:
            NotImplementedError: The subclass has no such method.
        """
        raise NotImplementedError(f'{type(self).__name__} has no method `evaluate`.')

    async def evaluate_async(
        self, ctx: ReportEvaluatorContext[InputsT, OutputT, MetadataT]
    ) -> Union[ReportAnalysis, list[ReportAnalysis]]:
        """Return what `evaluate` does, also if that is sync."""
        found = self.evaluate(ctx)
        return await found if inspect.isawaitable(found) else found
