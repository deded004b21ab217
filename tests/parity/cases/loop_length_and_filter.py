"""Responses that were cut by length or by a content filter, without anything to use in them."""

from _common import run, script
from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, ThinkingPart

run('length', Agent(script(ModelResponse(parts=[], finish_reason='length'))), 'hi')
run(
    'thinking, length',
    Agent(script(ModelResponse(parts=[ThinkingPart('x')], finish_reason='length'))),
    'hi',
    model_settings={'max_tokens': 7},
)
run('text, filtered', Agent(script(ModelResponse(parts=[TextPart('x')], finish_reason='content_filter'))), 'hi')
