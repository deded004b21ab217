"""The old address of the classes of warnings, by which filters of programs name them."""

from __future__ import annotations

from ..exceptions import (
    CostCalculationFailedWarning as CostCalculationFailedWarning,
    PydanticAIDeprecationWarning as PydanticAIDeprecationWarning,
)

SteadDeprecationWarning = PydanticAIDeprecationWarning
