"""Prefixed toolsets: names, conflicts, nested prefixes and calls through them."""

from _common import call, fact, run, script
from _toolsets import f, g, listing, named
from pydantic_ai import Agent, RunContext
from pydantic_ai.messages import TextPart
from pydantic_ai.toolsets import CombinedToolset, FunctionToolset


def p_f():
    return 'p_f'


def where(ctx: RunContext, a: int) -> list:
    return [ctx.tool_name, ctx.tool_call_id, a]


fact('prefixed', listing(FunctionToolset([f, g]).prefixed('p'), 'name', 'description'))
fact('empty prefix', listing(named('f').prefixed('')))
fact('prefix in a name', listing(FunctionToolset([f, p_f]).prefixed('p')))
fact('twice', listing(named('f').prefixed('a').prefixed('b')))
fact('same prefix twice', listing(named('f').prefixed('a').prefixed('a')))
fact('conflict', listing(CombinedToolset([named('f').prefixed('p'), named('f').prefixed('p')])))
fact('no conflict', listing(CombinedToolset([named('f').prefixed('p'), named('f').prefixed('q')])))
one = named('a')
fact('one toolset twice', listing(CombinedToolset([one.prefixed('p'), one.prefixed('q')])))
toolset = FunctionToolset([f, p_f, where]).prefixed('p')
run(
    'calls',
    Agent(
        script(
            [call('p_f', {'a': 1}), call('p_p_f', {}), call('p_where', {'a': 2}), call('where', {'a': 3})],
            [TextPart('done')],
        ),
        toolsets=[toolset],
    ),
    'q',
)
run(
    'deep',
    Agent(
        script([call('a_a_where', {'a': '2'})], [TextPart('done')]),
        toolsets=[FunctionToolset([where]).prefixed('a').prefixed('a')],
    ),
    'q',
)
run('invalid arguments', Agent(script([call('p_where', {'a': 'x'})], [TextPart('done')]), toolsets=[toolset]), 'q')
changing = named('f').prefixed('p')
changing.prefix = 'q'
fact('changed', listing(changing))
