"""Models behind OpenRouter."""

from __future__ import annotations

from ..._kit.lazy import lazy_modules
from ._model import OpenRouterModel
from ._response import OpenRouterStreamedResponse
from ._settings import (
    KnownOpenRouterProviders,
    OpenRouterCacheTTL,
    OpenRouterModelSettings,
    OpenRouterProviderConfig,
    OpenRouterProviderName,
    OpenRouterReasoning,
    OpenRouterTransforms,
    OpenRouterUsageConfig,
)

__all__ = (
    'KnownOpenRouterProviders',
    'OpenRouterCacheTTL',
    'OpenRouterModel',
    'OpenRouterModelSettings',
    'OpenRouterProviderConfig',
    'OpenRouterProviderName',
    'OpenRouterReasoning',
    'OpenRouterStreamedResponse',
    'OpenRouterTransforms',
    'OpenRouterUsageConfig',
)

lazy_modules(__name__)
