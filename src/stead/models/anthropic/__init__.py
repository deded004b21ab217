"""Anthropic's models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..._kit.lazy import lazy_exports
from ...profiles.anthropic import AnthropicCodeExecutionToolVersion
from ._compaction import AnthropicCompaction
from ._model import AnthropicModel
from ._settings import (
    DEPRECATED_ANTHROPIC_MODELS,
    AnthropicModelName,
    AnthropicModelSettings,
    AnthropicTaskBudget,
    AnthropicWebToolCaller,
    LatestAnthropicModelNames,
)
from ._stream import AnthropicStreamedResponse

__all__ = (
    'DEPRECATED_ANTHROPIC_MODELS',
    'AnthropicCodeExecutionToolVersion',
    'AnthropicCompaction',
    'AnthropicModel',
    'AnthropicModelName',
    'AnthropicModelSettings',
    'AnthropicStreamedResponse',
    'AnthropicTaskBudget',
    'AnthropicWebToolCaller',
    'LatestAnthropicModelNames',
)
__getattr__: Callable[[str], Any]
__dir__: Callable[[], list[str]]
__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        '_adapters': (
            'web_search_tool_result_content_ta',
            'code_execution_tool_result_content_ta',
            'bash_code_execution_tool_result_content_ta',
            'text_editor_code_execution_tool_result_content_ta',
            'advisor_tool_result_content_ta',
        )
    },
)
