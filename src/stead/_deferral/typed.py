"""Typed parts for calls of the framework's own tools."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from .._contracts.toolset import ToolsetTool
from ..messages import LOAD_CAPABILITY, SEARCH_TOOLS, ModelResponse, ModelResponsePart, ToolCallPart


def typed_calls(response: ModelResponse, tools: dict[str, ToolsetTool[Any]]) -> None:
    """Replace calls of the framework's tools in a response with typed parts, except calls with invalid arguments."""
    parts: list[ModelResponsePart] | None = None
    for index, part in enumerate(response.parts):
        if (
            isinstance(part, ToolCallPart)
            and part.tool_name in (LOAD_CAPABILITY, SEARCH_TOOLS)
            and part.tool_kind is None
        ):
            tool = tools.get(part.tool_name)
            if tool is None or tool.tool_def.tool_kind is None:
                continue
            try:
                typed = ToolCallPart.narrow_type(part, tool_kind=tool.tool_def.tool_kind)
            except ValidationError:
                continue  # validation of the call reports this to the model
            parts = [*response.parts] if parts is None else parts
            parts[index] = typed
    if parts is not None:
        response.parts = parts
