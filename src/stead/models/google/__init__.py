"""Google's models."""

from __future__ import annotations

from ._model import GoogleModel
from ._settings import (
    GoogleCloudServiceTier,
    GoogleModelName,
    GoogleModelSettings,
    GoogleServiceTier,
    GoogleVertexServiceTier,
    LatestGoogleModelNames,
)
from ._stream import GeminiStreamedResponse

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
