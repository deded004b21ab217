"""Models behind OpenRouter."""

from __future__ import annotations

from .model import OpenRouterModel
from .response import OpenRouterStreamedResponse
from .settings import (
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
