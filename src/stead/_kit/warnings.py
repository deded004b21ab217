"""The warning class for what is going away, visible by default so that people see it before it goes."""

from __future__ import annotations


class PydanticAIDeprecationWarning(UserWarning):
    """Say that a name or behaviour still works but will be removed; a `UserWarning`, so it is shown without `-W`."""


SteadDeprecationWarning = PydanticAIDeprecationWarning
