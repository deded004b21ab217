"""Wrapping the tools of an agent in what capabilities return: once, or again for each run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._contracts.capability import AbstractCapability
from .._contracts.toolset import AbstractToolset
from ..toolsets._per_run import WrappedForRun, wrapped_in
from ._selected import SelectedTools
from ._tool_search import ToolSearch


def wrapped_by(
    capability: AbstractCapability[Any],
    toolset: AbstractToolset[Any],
    around: Callable[[AbstractCapability[Any], AbstractToolset[Any]], AbstractToolset[Any]] = wrapped_in,
) -> AbstractToolset[Any]:
    """Return a toolset with the wrapper of a capability around it.

    Wrappers of the capabilities of stead have no state of a run, and are built once; others are built for each run.

    Args:
        capability: The capability.
        toolset: The toolset.
        around: Puts the wrapper around the toolset.
    """
    if isinstance(toolset, WrappedForRun):
        return WrappedForRun(toolset.wrapped, [*toolset.capabilities, capability], around)
    if isinstance(capability, (SelectedTools, ToolSearch)):
        return around(capability, toolset)
    return WrappedForRun(toolset, [capability], around)
