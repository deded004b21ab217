"""Dynamic system prompts are computed again in each run, in histories of the same agent and of others."""

from copy import deepcopy

from _common import run, script
from pydantic_ai import Agent, RunContext
from pydantic_ai.messages import TextPart

count = 0


def make():
    agent = Agent(script([TextPart('ok')]), deps_type=str)

    @agent.system_prompt(dynamic=True)
    async def first(ctx: RunContext[str]):
        global count
        count += 1
        return f'first {count} {ctx.deps}'

    @agent.system_prompt
    def static():
        return 'fixed'

    @agent.system_prompt(dynamic=True)
    def maybe():
        return None if count % 2 else f'maybe {count}'

    return agent


agent = make()
first = run('first', agent, 'q', deps='a')
second = run('second', agent, 'q', deps='b', message_history=deepcopy(first.all_messages()))
run('other', make(), 'q', deps='c', message_history=deepcopy(second.all_messages()))
run(
    'stranger',
    Agent(script([TextPart('ok')]), system_prompt='mine'),
    'q',
    message_history=deepcopy(second.all_messages()),
)
plain = Agent(script([TextPart('ok')]))
plain.system_prompt(dynamic=True)(lambda ctx: 'lambda')


class Prompts:
    def method(self):
        return 'method'


plain.system_prompt(dynamic=True)(Prompts().method)
run('shapes', plain, 'q')
run('no prompt', agent, deps='d', message_history=deepcopy(first.all_messages()[:1]))
