"""Anthropic's models."""

from __future__ import annotations

from .model import AnthropicModel
from .settings import AnthropicModelName, AnthropicModelSettings, LatestAnthropicModelNames
from .stream import AnthropicStreamedResponse

__all__ = (
    'AnthropicModel',
    'AnthropicModelName',
    'AnthropicModelSettings',
    'AnthropicStreamedResponse',
    'LatestAnthropicModelNames',
)
