"""What a run context lists as tools, changed in place: it holds for the step, and the next one has the tools as they were."""

from _common import call, fact, script
from pydantic_ai import Agent, DeferredToolRequests
from pydantic_ai.messages import TextPart


def agent_of(change, when, seen):
    agent = Agent(
        script([call('pay', {})], [call('pay', {})], [TextPart('ok')], seen=seen),
        output_type=[str, DeferredToolRequests],
    )
    state = {'first': True}

    def alter(ctx):
        if state.pop('first', False):
            change(ctx.tools['pay'])

    @agent.tool
    async def pay(ctx) -> str:
        if when == 'tool':
            alter(ctx)
        return f'paid: {ctx.tools["pay"].description}'

    @agent.instructions
    def instructions(ctx) -> str:
        if when == 'instructions':
            alter(ctx)
        return ''

    return agent


def describe(definition):
    definition.description = 'changed'


def require(definition):
    definition.kind = 'unapproved'


for change in (describe, require):
    for when in ('instructions', 'tool'):
        seen = []
        agent = agent_of(change, when, seen)
        for turn in ('first', 'second'):
            output = agent.run_sync('q').output
            fact(
                f'{change.__name__} in {when}, {turn} run',
                output if isinstance(output, str) else [c.tool_name for c in output.approvals],
            )
        fact('sent', [[tool.description for tool in info.function_tools] for _, info in seen])
