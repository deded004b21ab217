"""Signals from the hooks around a model request."""

from _capabilities import signals
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, SkipModelRequest
from pydantic_ai.messages import ModelResponse, ToolCallPart


def skip():
    return SkipModelRequest(ModelResponse(parts=[ToolCallPart('final_result', {'n': 99}, 'c9')]))


signals('model_request', skip, hooks=('before', 'wrap', 'wrap!'))
signals('model_request', CallDeferred, ApprovalRequired)
