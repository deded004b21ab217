"""Google's models."""

from __future__ import annotations

from ..._kit.lazy import lazy_modules
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

lazy_modules(__name__)
