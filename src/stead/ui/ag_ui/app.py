"""`AGUIApp`, and functions that `AGUIAdapter.dispatch_request` has replaced."""

from __future__ import annotations

from ..._kit.extras import naming_extra
from ._old import handle_ag_ui_request, run_ag_ui

with naming_extra('starlette', extra='ag-ui', what='`AGUIApp`'):
    from ._app import AGUIApp

__all__ = ('AGUIApp', 'handle_ag_ui_request', 'run_ag_ui')
