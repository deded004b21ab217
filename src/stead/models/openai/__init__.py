"""OpenAI's models, and those of others behind OpenAI's protocol."""

from __future__ import annotations

from .chat import OpenAIChatModel, OpenAIModel
from .chat_stream import OpenAIStreamedResponse
from .compaction import OpenAICompaction
from .responses import OpenAIResponsesModel
from .responses_stream import OpenAIResponsesStreamedResponse
from .settings import (
    DEPRECATED_OPENAI_MODELS,
    OpenAIChatModelSettings,
    OpenAIModelName,
    OpenAIModelSettings,
    OpenAIResponsesModelSettings,
)

__all__ = (
    'DEPRECATED_OPENAI_MODELS',
    'OpenAIChatModel',
    'OpenAIChatModelSettings',
    'OpenAICompaction',
    'OpenAIModel',
    'OpenAIModelName',
    'OpenAIModelSettings',
    'OpenAIResponsesModel',
    'OpenAIResponsesModelSettings',
    'OpenAIResponsesStreamedResponse',
    'OpenAIStreamedResponse',
)
