"""System prompts, static and dynamic, in the first run and in one that continues it."""

from _common import call, fact, run, script
from pydantic_ai import Agent
from pydantic_ai.messages import TextPart

agent = Agent(script([call('t', {})], [TextPart('ok')]), system_prompt=('one', 'two'))
count = 0


@agent.tool_plain
def t():
    return 't'


@agent.system_prompt
def plain():
    return 'plain'


@agent.system_prompt(dynamic=True)
def dynamic(ctx):
    global count
    count += 1
    return f'dynamic {count}'


@agent.system_prompt
async def nothing():
    return None


@agent.system_prompt
async def empty():
    return ''


first = run('first', agent, 'hi')
second = run('second', agent, 'more', message_history=first.all_messages())
fact('new', [len(second.new_messages()), len(second.all_messages())])
run('no prompt', agent)
