"""Hooks that answer or recover in place of the model."""

from _capabilities import recover
from pydantic_ai.messages import ModelResponse, ToolCallPart

recover('model_request', lambda: ModelResponse(parts=[ToolCallPart('final_result', {'n': 55}, 'c9')]))
