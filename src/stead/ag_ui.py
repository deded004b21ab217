"""The old address of AG-UI. Now `stead.ui.ag_ui` has the adapter, and `stead.ui` what all protocols share."""

from __future__ import annotations

from ._kit.deprecated import warn_caller
from .ui import SSE_CONTENT_TYPE, OnCompleteFunc, StateDeps, StateHandler
from .ui.ag_ui.app import AGUIApp, handle_ag_ui_request, run_ag_ui

warn_caller('`stead.ag_ui` is an old module; use `stead.ui.ag_ui.AGUIAdapter`, and `StateDeps` from `stead.ui`.')

__all__ = (
    'SSE_CONTENT_TYPE',
    'AGUIApp',
    'OnCompleteFunc',
    'StateDeps',
    'StateHandler',
    'handle_ag_ui_request',
    'run_ag_ui',
)
