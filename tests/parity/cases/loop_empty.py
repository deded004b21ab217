"""Empty responses, once and forever."""

from _common import run, script
from pydantic_ai import Agent
from pydantic_ai.messages import TextPart

run('empty for ever', Agent(script([])), 'hi')
run('empty, then text', Agent(script([], [TextPart('ok')])), 'hi')
run('empty text, then text', Agent(script([TextPart('')], [TextPart('ok')])), 'hi')
