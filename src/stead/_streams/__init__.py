"""One response of a model as it comes in, up to its end."""

from __future__ import annotations

from .._kit.lazy import late_modules

globals().update(late_modules(__name__, 'events', 'response'))
