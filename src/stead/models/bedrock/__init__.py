"""Models on Amazon Bedrock."""

from __future__ import annotations

from ..._kit.lazy import lazy_modules
from ._calls import P as P, T as T
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

lazy_modules(__name__)
