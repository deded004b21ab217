"""Mistral's models."""

from __future__ import annotations

from ..._kit.lazy import lazy_modules
from ._model import MistralModel
from ._outputs import SIMPLE_JSON_TYPE_MAPPING, VALID_JSON_TYPE_MAPPING
from ._request import LatestMistralModelNames, MistralModelName, MistralModelSettings, MistralToolCallId
from ._stream import MistralStreamedResponse

__all__ = (
    'SIMPLE_JSON_TYPE_MAPPING',
    'VALID_JSON_TYPE_MAPPING',
    'LatestMistralModelNames',
    'MistralModel',
    'MistralModelName',
    'MistralModelSettings',
    'MistralStreamedResponse',
    'MistralToolCallId',
)

lazy_modules(__name__)
