"""Mistral's models."""

from __future__ import annotations

from .model import MistralModel
from .outputs import SIMPLE_JSON_TYPE_MAPPING, VALID_JSON_TYPE_MAPPING
from .settings import LatestMistralModelNames, MistralModelName, MistralModelSettings, MistralToolCallId
from .stream import MistralStreamedResponse

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
