"""What is said of a whole report: a number, a table, a confusion matrix, or curves."""

from __future__ import annotations

from typing import Annotated, Literal, Union

from pydantic import BaseModel, Discriminator
from typing_extensions import TypeAlias

__all__ = (
    'ConfusionMatrix',
    'LinePlot',
    'LinePlotCurve',
    'LinePlotPoint',
    'PrecisionRecall',
    'PrecisionRecallCurve',
    'PrecisionRecallPoint',
    'ReportAnalysis',
    'ScalarResult',
    'TableResult',
)


class ConfusionMatrix(BaseModel):
    """How often which class was found where which one was expected."""

    type: Literal['confusion_matrix'] = 'confusion_matrix'
    """The kind of analysis."""
    title: str = 'Confusion Matrix'
    """Its title."""
    description: Union[str, None] = None
    """What it says."""
    class_labels: list[str]
    """The classes, in the order of rows and columns."""
    matrix: list[list[int]]
    """A row for each expected class, with the number of cases for each class that was found."""


class PrecisionRecallPoint(BaseModel):
    """Precision and recall if scores from a threshold on are taken for positive."""

    threshold: float
    """The threshold."""
    precision: float
    """How large a share of what is taken for positive is so."""
    recall: float
    """How large a share of what is positive is taken for it."""


class PrecisionRecallCurve(BaseModel):
    """Precision and recall over thresholds."""

    name: str
    """What the curve is called."""
    points: list[PrecisionRecallPoint]
    """Its points, from the highest threshold to the lowest."""
    auc: Union[float, None] = None
    """The area under it."""


class PrecisionRecall(BaseModel):
    """Curves of precision and recall."""

    type: Literal['precision_recall'] = 'precision_recall'
    """The kind of analysis."""
    title: str = 'Precision-Recall Curve'
    """Its title."""
    description: Union[str, None] = None
    """What it says."""
    curves: list[PrecisionRecallCurve]
    """The curves."""


class ScalarResult(BaseModel):
    """A single number."""

    type: Literal['scalar'] = 'scalar'
    """The kind of analysis."""
    title: str
    """What the number is."""
    description: Union[str, None] = None
    """What it says."""
    value: Union[float, int]
    """The number."""
    unit: Union[str, None] = None
    """What it counts."""


class TableResult(BaseModel):
    """A table."""

    type: Literal['table'] = 'table'
    """The kind of analysis."""
    title: str
    """Its title."""
    description: Union[str, None] = None
    """What it says."""
    columns: list[str]
    """The titles of the columns."""
    rows: list[list[Union[str, int, float, bool, None]]]
    """The rows."""


class LinePlotPoint(BaseModel):
    """A point of a curve."""

    x: float
    """To the right."""
    y: float
    """Up."""


class LinePlotCurve(BaseModel):
    """A curve."""

    name: str
    """What it is called."""
    points: list[LinePlotPoint]
    """Its points."""
    style: Literal['solid', 'dashed'] = 'solid'
    """How it is drawn."""
    step: Union[Literal['start', 'middle', 'end'], None] = None
    """Where it steps from a point to the next; `None` for a line between them."""


class LinePlot(BaseModel):
    """Curves in one plane."""

    type: Literal['line_plot'] = 'line_plot'
    """The kind of analysis."""
    title: str
    """Its title."""
    description: Union[str, None] = None
    """What it says."""
    x_label: str
    """What goes to the right."""
    y_label: str
    """What goes up."""
    x_range: Union[tuple[float, float], None] = None
    """From where to where it goes to the right."""
    y_range: Union[tuple[float, float], None] = None
    """From where to where it goes up."""
    curves: list[LinePlotCurve]
    """The curves."""


ReportAnalysis: TypeAlias = Annotated[
    Union[ConfusionMatrix, PrecisionRecall, ScalarResult, TableResult, LinePlot], Discriminator('type')
]
"""What a report evaluator may return; `type` says which one it is."""
ANALYSES = (ConfusionMatrix, PrecisionRecall, ScalarResult, TableResult, LinePlot)
"""The same, as classes."""
