"""The public names of `stead.evals`, for type checkers. Written by `make stubs`."""

from .dataset import (
    Case as Case,
    Dataset as Dataset,
    case_of_run as case_of_run,
    increment_eval_metric as increment_eval_metric,
    run_agent as run_agent,
    set_eval_attribute as set_eval_attribute,
)
from .lifecycle import CaseLifecycle as CaseLifecycle
