"""Google's models."""

from __future__ import annotations

from .model import GoogleModel
from .settings import (
    GoogleCloudServiceTier,
    GoogleModelName,
    GoogleModelSettings,
    GoogleServiceTier,
    GoogleVertexServiceTier,
    LatestGoogleModelNames,
)
from .stream import GeminiStreamedResponse

__all__ = (
    'GeminiStreamedResponse',
    'GoogleCloudServiceTier',
    'GoogleModel',
    'GoogleModelName',
    'GoogleModelSettings',
    'GoogleServiceTier',
    'GoogleVertexServiceTier',
    'LatestGoogleModelNames',
)
