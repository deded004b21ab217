"""Models behind Hugging Face's inference providers and endpoints."""

from __future__ import annotations

from ..._kit.lazy import lazy_modules
from ._model import HuggingFaceModel
from ._request import HuggingFaceModelName, HuggingFaceModelSettings, LatestHuggingFaceModelNames
from ._stream import HuggingFaceStreamedResponse

__all__ = (
    'HuggingFaceModel',
    'HuggingFaceModelName',
    'HuggingFaceModelSettings',
    'HuggingFaceStreamedResponse',
    'LatestHuggingFaceModelNames',
)

lazy_modules(__name__)
