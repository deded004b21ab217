"""Local models: llama.cpp in this process."""

from __future__ import annotations

from .engine import close_engines
from .errors import ContextOverflow, EngineError, WeightsError
from .model import LlamaCppModel
from .settings import LlamaCppModelSettings
from .stream import LlamaCppStreamedResponse
from .weights import default_weights

__all__ = (
    'ContextOverflow',
    'EngineError',
    'LlamaCppModel',
    'LlamaCppModelSettings',
    'LlamaCppStreamedResponse',
    'WeightsError',
    'close_engines',
    'default_weights',
)
