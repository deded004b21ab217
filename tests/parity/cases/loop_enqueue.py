"""`enqueue` from a tool, at either priority: when the messages are sent."""

from _common import call, run, script
from pydantic_ai import Agent, RunContext
from pydantic_ai.messages import SystemPromptPart, TextPart

SEQUENCE = ([call('y', {})], [TextPart('one')], [TextPart('two')], [TextPart('three')])
for priority in ('asap', 'when_idle'):
    agent = Agent(script(*SEQUENCE))

    @agent.tool
    def y(ctx: RunContext):
        ctx.enqueue('note1', 'note2', priority=priority)
        ctx.enqueue(SystemPromptPart('sys'), priority=priority)
        ctx.enqueue('b', priority='when_idle')
        return 'r'

    run(priority, agent, 'hi')
