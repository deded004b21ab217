"""Validators for what Anthropic's native tools return, as the types of its SDK have it; for programs that use them."""

from __future__ import annotations

from typing import Any

from anthropic.types.beta import (
    BetaCodeExecutionToolResultBlockContent,
    BetaWebSearchToolResultBlockContent,
    beta_bash_code_execution_tool_result_block,
    beta_text_editor_code_execution_tool_result_block,
)
from pydantic import TypeAdapter

web_search_tool_result_content_ta: TypeAdapter[Any] = TypeAdapter(BetaWebSearchToolResultBlockContent)
code_execution_tool_result_content_ta: TypeAdapter[Any] = TypeAdapter(BetaCodeExecutionToolResultBlockContent)
bash_code_execution_tool_result_content_ta: TypeAdapter[Any] = TypeAdapter(
    beta_bash_code_execution_tool_result_block.Content
)
text_editor_code_execution_tool_result_content_ta: TypeAdapter[Any] = TypeAdapter(
    beta_text_editor_code_execution_tool_result_block.Content
)
