"""Text beside calls of tools and of output tools, and empty responses that follow."""

from _common import M, call, run, script
from pydantic_ai import Agent
from pydantic_ai.messages import TextPart, ThinkingPart


def x() -> str:
    return 'r'


run('text and tool', Agent(script([TextPart('hello'), call('x', {})], [TextPart('ok')]), tools=[x]), 'hi')
run('text and output', Agent(script([TextPart('hello'), call('final_result', {'n': 1})]), output_type=[M, str]), 'q')
run('then empty', Agent(script([TextPart('hello'), call('x', {})], []), tools=[x]), 'q')
run('then thinking', Agent(script([TextPart('hello'), call('x', {})], [ThinkingPart('h')]), tools=[x]), 'q')
run('two texts', Agent(script([TextPart('hello'), ThinkingPart('t'), TextPart(' you')])), 'q')
