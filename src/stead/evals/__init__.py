"""Evaluations: a data set of cases, a task for each of them, evaluators of its output, and a report."""

from __future__ import annotations

from .._kit.lazy import lazy_exports

_MODULES = {
    'dataset': ('Case', 'Dataset', 'case_of_run', 'increment_eval_metric', 'run_agent', 'set_eval_attribute'),
    'lifecycle': ('CaseLifecycle',),
}

__all__ = [name for names in _MODULES.values() for name in names]  # type: ignore[reportUnsupportedDunderAll]

__getattr__, __dir__ = lazy_exports(__name__, _MODULES)
