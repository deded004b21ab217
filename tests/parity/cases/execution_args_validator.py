"""`args_validator` of tools: sync and async, what it sees, what happens to its errors, and how it is set."""

from _common import call, script
from _execution import events_of, logged, note, streamed
from pydantic_ai import Agent, FunctionToolset, ModelRetry, RunContext, Tool
from pydantic_ai.messages import TextPart


def t(ctx: RunContext, n: int, s: str = 'd'):
    note(['t', n, s])
    return n


def plain(n: int):
    return n


def check(ctx, n, s='?'):
    note(['check', ctx.tool_name, ctx.tool_call_id, ctx.retry, ctx.deps, n, s])
    if n > 5:
        raise ModelRetry('too big')
    if n < 0:
        raise ValueError('negative')


async def check_async(ctx, **arguments):
    note(['async', arguments])
    check(ctx, **arguments)


def changes(ctx, n, s=''):
    return {'n': 99}


for validator in (check, check_async, changes):
    for n in (1, 9, -1, 'x'):
        logged(
            f'{validator.__name__} {n}',
            Agent(script([call('t', {'n': n})], [TextPart('x')]), tools=[Tool(t, args_validator=validator)]),
            deps='deps',
        )
logged('twice', Agent(script([call('t', {'n': 9})]), tools=[Tool(t, args_validator=check)]))
logged('plain', Agent(script([call('plain', {'n': 9})], [TextPart('x')]), tools=[Tool(plain, args_validator=check)]))
toolset = FunctionToolset()
toolset.add_function(plain, args_validator=check)
logged('toolset', Agent(script([call('p_plain', {'n': 9})], [TextPart('x')]), toolsets=[toolset.prefixed('p')]))
agent = Agent(script([call('d', {'n': 9})], [call('d', {'n': 2})], [TextPart('x')]))
agent.tool_plain(name='d', args_validator=check)(plain)
logged('decorated', agent)
events_of(
    Agent(
        streamed([call('t', {'n': 9}, '1'), call('t', {'n': 2}, '2'), call('t', {'n': 'x'}, '3')], [TextPart('x')]),
        tools=[Tool(t, args_validator=check)],
    )
)
