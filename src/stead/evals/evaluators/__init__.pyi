"""The public names of `stead.evals.evaluators`, for type checkers. Written by `make stubs`."""

from ._base import (
    CaseRun as CaseRun,
    EvaluationReason as EvaluationReason,
    EvaluationResult as EvaluationResult,
    EvaluationScalar as EvaluationScalar,
    Evaluator as Evaluator,
    EvaluatorContext as EvaluatorContext,
    EvaluatorFailure as EvaluatorFailure,
    EvaluatorOutput as EvaluatorOutput,
    EvaluatorSpec as EvaluatorSpec,
)
from ._common import (
    Contains as Contains,
    Equals as Equals,
    EqualsExpected as EqualsExpected,
    IsInstance as IsInstance,
    MaxDuration as MaxDuration,
)
from ._facts import (
    AskedApproval as AskedApproval,
    Called as Called,
    CalledInOrder as CalledInOrder,
    MaxCost as MaxCost,
    MaxTokens as MaxTokens,
    NeverCalled as NeverCalled,
)
from ._judge import LLMJudge as LLMJudge, OutputConfig as OutputConfig
from .report_common import (
    ConfusionMatrixEvaluator as ConfusionMatrixEvaluator,
    KolmogorovSmirnovEvaluator as KolmogorovSmirnovEvaluator,
    PrecisionRecallEvaluator as PrecisionRecallEvaluator,
    ROCAUCEvaluator as ROCAUCEvaluator,
)
from .report_evaluator import ReportEvaluator as ReportEvaluator, ReportEvaluatorContext as ReportEvaluatorContext
