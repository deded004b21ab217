"""`Citations`: answers cite what they rely on."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from .._contracts.capability import AbstractCapability
from .._kit.keywords import dataclass
from ..settings import ModelSettings
from ._ids import id_of_level


@dataclass
class Citations(AbstractCapability[Any]):
    """Let the model cite the documents of a request, and the pages that it fetches, if it can."""

    id: str | None = field(default_factory=id_of_level('citations'), kw_only=True)

    def get_model_settings(self) -> ModelSettings:
        """Return the setting `citations`."""
        return ModelSettings(citations=True)
