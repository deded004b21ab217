"""Cohere's models."""

from __future__ import annotations

from ..._kit.lazy import lazy_modules
from ._model import CohereModel
from ._request import CohereModelName, CohereModelSettings, LatestCohereModelNames
from ._stream import CohereStreamedResponse

__all__ = (
    'CohereModel',
    'CohereModelName',
    'CohereModelSettings',
    'CohereStreamedResponse',
    'LatestCohereModelNames',
)

lazy_modules(__name__)
