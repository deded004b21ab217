"""The warning class for deprecations, visible by default so that users see it before a removal."""

from __future__ import annotations


class PydanticAIDeprecationWarning(UserWarning):
    """A name or behaviour is deprecated: it still works, but will be removed. A `UserWarning`, so it is shown by default."""


SteadDeprecationWarning = PydanticAIDeprecationWarning
