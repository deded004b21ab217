"""The classes of warnings. That for deprecations is visible by default, so that users see it before a removal."""

from __future__ import annotations


class PydanticAIDeprecationWarning(UserWarning):
    """A name or behaviour is deprecated: it still works, but will be removed. A `UserWarning`, so it is shown by default."""


class CostCalculationFailedWarning(Warning):
    """The price of a response could not be calculated, so its trace has none."""


SteadDeprecationWarning = PydanticAIDeprecationWarning
