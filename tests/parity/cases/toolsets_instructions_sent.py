"""Instructions of toolsets as they are sent: their parts, and their order among those of agent and run."""

from _common import call, fact, script
from _toolsets import f, instructions
from pydantic_ai import Agent
from pydantic_ai.messages import InstructionPart, TextPart
from pydantic_ai.toolsets import CombinedToolset, FunctionToolset


class Saying(FunctionToolset):
    def __init__(self, what):
        super().__init__()
        self.what = what

    async def get_instructions(self, ctx):
        return self.what


def sent(title, agent, **options):
    seen = []
    with agent.override(model=script([call('f', {})], [TextPart('done')], seen=seen)):
        agent.run_sync('q', **options)
    print('==', title)
    for messages, info in seen:
        fact('parts', info.model_request_parameters.instruction_parts)
        fact('instructions', messages[-1].instructions)


for what in (
    'text',
    InstructionPart(content='part'),
    ['a', InstructionPart(content='b', dynamic=True)],
    None,
    '',
    [],
    [''],
    ('a',),
):
    sent(repr(what), Agent('test', instructions='agent', tools=[f], toolsets=[Saying(what)]))
    fact('combined', instructions(CombinedToolset([Saying(what), FunctionToolset(instructions='z')])))
sent(
    'order',
    Agent(
        'test',
        toolsets=[
            FunctionToolset([f], instructions=['static', lambda ctx: f'step {ctx.run_step}', 'static 2']),
            lambda ctx: FunctionToolset(instructions=f'made in step {ctx.run_step}'),
        ],
        instructions=['agent', lambda: 'agent function'],
    ),
)
sent('run', Agent('test', tools=[f]), toolsets=[FunctionToolset(instructions='of the run')], instructions='run')
sent('none', Agent('test', tools=[f]))
