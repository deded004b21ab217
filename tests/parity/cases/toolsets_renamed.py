"""Renamed toolsets: swaps, chains, conflicts and calls through them."""

from _common import call, fact, run, script
from _toolsets import f, g, h, listing, named
from pydantic_ai import Agent, RunContext
from pydantic_ai.messages import TextPart
from pydantic_ai.toolsets import CombinedToolset, FunctionToolset


def where(ctx: RunContext, a: int) -> list:
    return [ctx.tool_name, ctx.tool_call_id, a]


def three():
    return FunctionToolset([f, g, h])


fact('one', listing(three().renamed({'z': 'f'}), 'name', 'description'))
fact('swap', listing(three().renamed({'f': 'g', 'g': 'f'})))
fact('rotate', listing(three().renamed({'g': 'f', 'h': 'g', 'f': 'h'})))
fact('none', listing(three().renamed({})))
fact('to itself', listing(three().renamed({'f': 'f'})))
fact('chain', listing(three().renamed({'x': 'f'}).renamed({'y': 'x'})))
fact('two names for one', listing(three().renamed({'x': 'f', 'y': 'f'})))
fact('free name of a renamed tool', listing(three().renamed({'x': 'f', 'f': 'g'})))
fact(
    'missing from some steps',
    [
        listing(
            three().filtered(lambda ctx, definition: ctx.run_step == 1 or definition.name != 'f').renamed({'z': 'f'}),
            run_step=step,
        )
        for step in (1, 2)
    ],
)
fact('conflict', listing(CombinedToolset([named('f'), named('g').renamed({'f': 'g'})])))
agent = Agent(
    script(
        [
            call('here', {'a': 1}),
            call('where', {'a': 1}),
            call('p_there', {'a': '2'}),
            call('f', {}),
            call('g', {'a': 5}),
        ],
        [TextPart('done')],
    ),
    toolsets=[
        FunctionToolset([where]).renamed({'here': 'where'}),
        FunctionToolset([where]).renamed({'there': 'where'}).prefixed('p'),
        FunctionToolset([f, g]).renamed({'f': 'g', 'g': 'f'}),
    ],
)
run('calls', agent, 'q')
