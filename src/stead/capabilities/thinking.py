"""`Thinking`: the model thinks before it answers."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from .._contracts.capability import AbstractCapability
from .._kit.keywords import dataclass
from ..settings import ModelSettings, ThinkingLevel
from ._ids import id_of_level


@dataclass
class Thinking(AbstractCapability[Any]):
    """The effort of the model's thinking, for any provider that supports it."""

    id: str | None = field(default_factory=id_of_level('thinking'), kw_only=True)
    effort: ThinkingLevel = field(default=True, kw_only=False)
    """The effort: `True` for the default of the model, `False` for not at all, or `'minimal'` to `'xhigh'`."""

    def get_model_settings(self) -> ModelSettings:
        """Return the setting `thinking`."""
        return ModelSettings(thinking=self.effort)
