"""Hooks of model requests: every way to act, under `run`, `next` and event streams."""

from _hooks import table
from pydantic_ai.exceptions import SkipModelRequest
from pydantic_ai.messages import ModelResponse, ToolCallPart


def with_settings(request_context):
    request_context.model_settings = {'seed': 7}
    return request_context


def answer(_):
    return ModelResponse(parts=[ToolCallPart('final_result', {'n': 99}, 'c9')])


table(
    'model_request',
    changed_input=with_settings,
    changed_result=answer,
    skip=lambda: SkipModelRequest(answer(None)),
    failing='model',
    # A retry may be asked for before the request too, and an answer given after it, or while it is streamed.
    modes_of={'retry in before': (), 'skip in after': (), 'skip in wrap out': ('run', 'iter')},
)
