"""Groq's models."""

from __future__ import annotations

from .model import GroqModel
from .settings import GroqModelName, GroqModelSettings, PreviewGroqModelNames, ProductionGroqModelNames
from .stream import GroqStreamedResponse

__all__ = (
    'GroqModel',
    'GroqModelName',
    'GroqModelSettings',
    'GroqStreamedResponse',
    'PreviewGroqModelNames',
    'ProductionGroqModelNames',
)
