"""Evaluators: what is said of the output of a case, and of the runs that made it."""

from __future__ import annotations

from ..._kit.lazy import lazy_exports

_MODULES = {
    '_base': (
        'CaseRun',
        'EvaluationReason',
        'EvaluationResult',
        'EvaluationScalar',
        'Evaluator',
        'EvaluatorContext',
        'EvaluatorFailure',
        'EvaluatorOutput',
        'EvaluatorSpec',
    ),
    '_common': ('Contains', 'Equals', 'EqualsExpected', 'IsInstance', 'MaxDuration'),
    '_facts': ('AskedApproval', 'Called', 'CalledInOrder', 'MaxCost', 'MaxTokens', 'NeverCalled'),
    '_judge': ('LLMJudge', 'OutputConfig'),
    'report_common': (
        'ConfusionMatrixEvaluator',
        'KolmogorovSmirnovEvaluator',
        'PrecisionRecallEvaluator',
        'ROCAUCEvaluator',
    ),
    'report_evaluator': ('ReportEvaluator', 'ReportEvaluatorContext'),
}

__all__ = [name for names in _MODULES.values() for name in names]  # type: ignore[reportUnsupportedDunderAll]

__getattr__, __dir__ = lazy_exports(__name__, _MODULES)
