"""The order of instructions: static before dynamic ones, then those of the run and of toolsets; empty ones are left out."""

from _common import call, fact, script
from pydantic_ai import Agent, RunContext
from pydantic_ai.messages import TextPart
from pydantic_ai.toolsets import FunctionToolset

seen = []


def look(title, agent, **options):
    del seen[:]
    agent.run_sync('q', model=script([call('t', {})], [TextPart('ok')], seen=seen), **options)
    for _, info in seen:
        parts = info.model_request_parameters.instruction_parts
        fact(
            title, [info.instructions, [[part.content, part.dynamic] for part in parts] if parts is not None else None]
        )


def t():
    return 't'


agent = Agent(instructions=['a', lambda: 'b', 'c'], tools=[t])


@agent.instructions
def d(ctx: RunContext):
    return f'd{ctx.run_step}'


look('mixed', agent)
look('with run', agent, instructions=['e', lambda ctx: 'f', 'g'])
look('with a toolset', agent, toolsets=[FunctionToolset(instructions='h'), FunctionToolset(instructions=lambda: 'i')])
look('only functions', Agent(instructions=[lambda: 'x', lambda: 'y'], tools=[t]))
look('only run', Agent(tools=[t]), instructions='r')
look('nothing', Agent(tools=[t], instructions=''))
look('nothing said', Agent(tools=[t], instructions=lambda: None))
look('spaces', Agent(tools=[t], instructions=['  a  ', '\n', 'b\n']))
look('space functions', Agent(tools=[t], instructions=['a', lambda: ' b ', lambda: '', lambda: 'c\n']))
