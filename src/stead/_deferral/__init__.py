"""Deferred tools and capabilities, which the model sees only when it needs them: how they are searched and loaded."""

from __future__ import annotations

from .._kit.lazy import late_modules

globals().update(late_modules(__name__, 'catalog', 'loading', 'ranking', 'toolsets', 'wrappers'))
