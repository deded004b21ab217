"""Models on Amazon Bedrock."""

from __future__ import annotations

from ._model import BedrockConverseModel
from ._settings import BedrockModelName, BedrockModelSettings, LatestBedrockModelNames
from ._stream import BedrockStreamedResponse

__all__ = (
    'BedrockConverseModel',
    'BedrockModelName',
    'BedrockModelSettings',
    'BedrockStreamedResponse',
    'LatestBedrockModelNames',
)
