"""Helpers that any library could use: async bridging, ids, JSON schema, docstrings, lazy exports."""

from __future__ import annotations

from .lazy import late_modules

globals().update(late_modules(__name__, 'aio', 'threads'))
