"""Instructions of the agent and the run, static and dynamic, with a history."""

from _common import call, run, script
from pydantic_ai import Agent, RunContext
from pydantic_ai.messages import TextPart

agent = Agent(script([call('t', {})], [TextPart('ok')]), instructions=['I1', 'I2'])


@agent.tool_plain
def t():
    return 't'


@agent.instructions
def stepped(ctx: RunContext):
    return f'step {ctx.run_step}'


@agent.instructions
def nothing():
    return None


@agent.instructions
async def empty():
    return ''


first = run('first', agent, 'hi')
run('second', agent, 'more', message_history=first.all_messages(), instructions='extra')
run(
    'functions',
    Agent(script([TextPart('x')]), instructions=lambda ctx: 'from lambda'),
    'q',
    instructions=['a', lambda: 'b'],
)
