from _common import *

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
