"""The agent loop: three nodes, what a response leads to, history, streaming, and how a run finishes."""

from __future__ import annotations

from .._kit.lazy import late_modules

globals().update(late_modules(__name__, 'nodes'))
