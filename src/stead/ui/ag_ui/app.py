"""`AGUIApp`: an application that answers requests of AG-UI. Deprecated: use `AGUIAdapter.dispatch_request`."""

from __future__ import annotations

from ..._kit.extras import naming_extra

with naming_extra('starlette', extra='ag-ui', what='`AGUIApp`'):
    from ._app import AGUIApp

__all__ = ('AGUIApp',)
