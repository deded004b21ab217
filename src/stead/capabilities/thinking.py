"""`Thinking`: the model thinks before it answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .._contracts.capability import AbstractCapability
from ..settings import ModelSettings, ThinkingLevel


@dataclass
class Thinking(AbstractCapability[Any]):
    """Asks the model to think, in whatever way its provider knows."""

    effort: ThinkingLevel = field(default=True, kw_only=False)
    """How hard: `True` for the default of the model, `False` for not at all, or `'minimal'` to `'xhigh'`."""

    def get_model_settings(self) -> ModelSettings:
        """Return the setting `thinking`."""
        return ModelSettings(thinking=self.effort)
