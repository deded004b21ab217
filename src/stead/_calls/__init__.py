"""One tool call, from what the model sent to what it reads: validation, approval, execution, the answer; and outputs."""

from __future__ import annotations

from .._kit.lazy import late_modules

globals().update(late_modules(__name__, 'manager', 'outputs'))
