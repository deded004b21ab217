"""Responses that only think, once and forever."""

from _common import run, script
from pydantic_ai import Agent
from pydantic_ai.messages import TextPart, ThinkingPart

run('then text', Agent(script([ThinkingPart('hm')], [TextPart('ok')])), 'hi')
run('for ever', Agent(script([ThinkingPart('hm')])), 'hi')
