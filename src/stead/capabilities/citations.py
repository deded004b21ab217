"""`Citations`: answers cite what they rely on."""

from __future__ import annotations

from typing import Any

from .._contracts.capability import AbstractCapability
from .._kit.keywords import dataclass
from ..settings import ModelSettings


@dataclass
class Citations(AbstractCapability[Any]):
    """Let the model cite the documents of a request, and the pages that it fetches, if it can."""

    def get_model_settings(self) -> ModelSettings:
        """Return the setting `citations`."""
        return ModelSettings(citations=True)
