"""OpenAI's models, and those of others behind OpenAI's protocol."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..._kit.lazy import lazy_exports
from ...profiles.openai import OpenAISystemPromptRole
from ._chat import OpenAIChatModel, OpenAIModel
from ._chat_stream import OpenAIStreamedResponse
from ._compaction import OpenAICompaction
from ._responses import OpenAIResponsesModel
from ._responses_stream import OpenAIResponsesStreamedResponse
from ._settings import (
    DEPRECATED_OPENAI_MODELS,
    OpenAIChatModelSettings,
    OpenAIModelName,
    OpenAIModelSettings,
    OpenAIPromptCacheOptions,
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
    'OpenAIPromptCacheOptions',
    'OpenAIResponsesModel',
    'OpenAIResponsesModelSettings',
    'OpenAIResponsesStreamedResponse',
    'OpenAIStreamedResponse',
    'OpenAISystemPromptRole',
)
__getattr__: Callable[[str], Any]
__dir__: Callable[[], list[str]]
__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        '_sdk_names': (
            'NOT_GIVEN',
            'OMIT',
            'chat_annotation_ta',
            'chat_annotations_ta',
            'responses_output_text_annotation_ta',
            'responses_output_text_annotations_ta',
        ),
        '_responses_options': ('MCP_SERVER_TOOL_CONNECTOR_URI_SCHEME',),
    },
)
