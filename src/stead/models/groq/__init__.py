"""Groq's models."""

from __future__ import annotations

from ..._kit.lazy import lazy_modules
from ._model import GroqModel
from ._settings import GroqModelName, GroqModelSettings, PreviewGroqModelNames, ProductionGroqModelNames
from ._stream import GroqStreamedResponse

__all__ = (
    'GroqModel',
    'GroqModelName',
    'GroqModelSettings',
    'GroqStreamedResponse',
    'PreviewGroqModelNames',
    'ProductionGroqModelNames',
)

lazy_modules(__name__)
