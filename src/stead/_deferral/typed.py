"""Calls of the framework's own tools, as the typed parts that they are."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from ..messages import LOAD_CAPABILITY, SEARCH_TOOLS, ModelResponse, ToolCallPart


def typed_calls(response: ModelResponse, tools: dict[str, Any] | None) -> None:
    """Replace calls of the framework's tools in a response with typed parts; calls with wrong arguments stay as they are."""
    for index, part in enumerate(response.parts):
        if (
            isinstance(part, ToolCallPart)
            and part.tool_name in (LOAD_CAPABILITY, SEARCH_TOOLS)
            and part.tool_kind is None
        ):
            tool = (tools or {}).get(part.tool_name)
            if tool is None or tool.tool_def.tool_kind is None:
                continue
            try:
                typed = ToolCallPart.narrow_type(part, tool_kind=tool.tool_def.tool_kind)
            except ValidationError:
                continue  # the model is told when the call is validated
            response.parts = [*response.parts[:index], typed, *response.parts[index + 1 :]]
