"""The settings of tracing, for the files of this room: a late module, like `_runs.py`."""

from __future__ import annotations

from ..models.instrumented import InstrumentationSettings

__all__ = ('InstrumentationSettings',)
