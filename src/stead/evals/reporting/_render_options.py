"""What is shown of a report, and how."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Union

from typing_extensions import TypedDict


class RenderValueConfig(TypedDict, total=False):
    """How values are shown."""

    value_formatter: Union[str, Callable[[Any], str]]
    """A format, or a function of the value."""


class RenderNumberConfig(RenderValueConfig, total=False):
    """How numbers are shown."""

    diff_formatter: Union[str, Callable[[float, float], Union[str, None]], None]
    """A format of the difference, a function of the old and the new number, or `None` to leave it out."""
    diff_atol: float
    """The difference that is not shown, because it is small."""
    diff_rtol: float
    """The same, as a share of the old number."""


class RenderOptions(TypedDict, total=False):
    """Options of `EvaluationReport.print` and `render`."""

    include_input: bool
    """Whether inputs are shown."""
    include_metadata: bool
    """Whether metadata are shown."""
    include_expected_output: bool
    """Whether expected outputs are shown."""
    include_output: bool
    """Whether outputs are shown."""
    include_durations: bool
    """Whether the seconds of tasks are shown; they are by default."""
    include_total_duration: bool
    """Whether the seconds of cases are shown, too."""
    include_removed_cases: bool
    """Whether cases are shown that only the baseline has."""
    include_averages: bool
    """Whether averages are shown; they are by default."""
    include_errors: bool
    """Whether cases are shown that have failed; they are by default."""
    include_error_stacktrace: bool
    """Whether it is shown where they have failed."""
    include_evaluator_failures: bool
    """Whether evaluators are shown that have failed; they are by default."""
    include_analyses: bool
    """Whether it is shown what evaluators said of the whole report; it is by default."""
    include_reasons: bool
    """Whether reasons are shown."""
    input_config: RenderValueConfig
    """How inputs are shown."""
    metadata_config: RenderValueConfig
    """How metadata are shown."""
    output_config: RenderValueConfig
    """How outputs are shown."""
    score_configs: dict[str, RenderNumberConfig]
    """How scores are shown, by name."""
    label_configs: dict[str, RenderValueConfig]
    """How labels are shown, by name."""
    metric_configs: dict[str, RenderNumberConfig]
    """How metrics are shown, by name."""
    duration_config: RenderNumberConfig
    """How seconds are shown."""
