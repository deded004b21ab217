"""Decisions: nodes of builder graphs that choose one branch."""

from __future__ import annotations

from ._wiring import (
    Decision,
    DecisionBranch,
    DecisionBranchBuilder,
    DepsT,
    HandledT,
    NewOutputT,
    OutputT,
    SourceT,
    StateT,
    T,
)

__all__ = (
    'Decision',
    'DecisionBranch',
    'DecisionBranchBuilder',
    'DepsT',
    'HandledT',
    'NewOutputT',
    'OutputT',
    'SourceT',
    'StateT',
    'T',
)
