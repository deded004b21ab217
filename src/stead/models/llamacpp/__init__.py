"""Local models: llama.cpp in this process."""

from __future__ import annotations

from ..._kit.lazy import lazy_modules
from ._engine import close_engines
from ._errors import ContextOverflow, EngineError, WeightsError
from ._model import LlamaCppModel
from ._settings import LlamaCppModelSettings
from ._stream import LlamaCppStreamedResponse
from ._weights import default_weights, find_weights

__all__ = (
    'ContextOverflow',
    'EngineError',
    'LlamaCppModel',
    'LlamaCppModelSettings',
    'LlamaCppStreamedResponse',
    'WeightsError',
    'close_engines',
    'default_weights',
    'find_weights',
)

lazy_modules(__name__)
