"""Type adapters for the results of Anthropic's native tools, from the types of its SDK. stead does not use them itself."""

from __future__ import annotations

from anthropic.types.beta import (
    BetaCodeExecutionToolResultBlockContent,
    BetaWebSearchToolResultBlockContent,
    beta_advisor_tool_result_block,
    beta_bash_code_execution_tool_result_block,
    beta_text_editor_code_execution_tool_result_block,
)
from pydantic import TypeAdapter

web_search_tool_result_content_ta: TypeAdapter[BetaWebSearchToolResultBlockContent] = TypeAdapter(
    BetaWebSearchToolResultBlockContent
)
code_execution_tool_result_content_ta: TypeAdapter[BetaCodeExecutionToolResultBlockContent] = TypeAdapter(
    BetaCodeExecutionToolResultBlockContent
)
bash_code_execution_tool_result_content_ta: TypeAdapter[beta_bash_code_execution_tool_result_block.Content] = (
    TypeAdapter(beta_bash_code_execution_tool_result_block.Content)
)
text_editor_code_execution_tool_result_content_ta: TypeAdapter[
    beta_text_editor_code_execution_tool_result_block.Content
] = TypeAdapter(beta_text_editor_code_execution_tool_result_block.Content)
advisor_tool_result_content_ta: TypeAdapter[beta_advisor_tool_result_block.Content] = TypeAdapter(
    beta_advisor_tool_result_block.Content
)
