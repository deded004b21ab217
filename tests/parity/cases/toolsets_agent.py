"""The toolsets of an agent: its own, added, built by functions, overridden, of the run; conflicts and late additions."""

from _common import fact
from _toolsets import f, g, h, named, offered
from pydantic_ai import Agent, RunContext
from pydantic_ai.toolsets import CombinedToolset, FunctionToolset

A, B = named('a', id='A'), named('b', id='B')
agent = Agent('test', tools=[f], toolsets=[A, lambda ctx: B])


@agent.toolset
def one(ctx):
    return named('one')


@agent.toolset(per_run_step=False, id='two')
async def two(ctx):
    return None


@agent.toolset(id='three')
def three(ctx: RunContext):
    return named('three').prefixed(f'step{ctx.run_step}')


fact('returned', [type(function).__name__ for function in (one, two, three)])
fact('toolsets', [[toolset.id, toolset.label] for toolset in agent.toolsets])
fact('offered', offered(agent))
fact('with those of the run', offered(agent, toolsets=[named('run')]))
with agent.override(toolsets=[B]):
    fact('overridden', [[toolset.id, toolset.label] for toolset in agent.toolsets])
    fact('offered', offered(agent))
    fact('with those of the run', offered(agent, toolsets=[named('run')]))
with agent.override(toolsets=[]):
    fact('overridden by none', offered(agent))
with agent.override(tools=[g]):
    fact('tools overridden', offered(agent))
with agent.override(tools=[], toolsets=[]):
    fact('all overridden', offered(agent))
fact(
    'conflicts',
    [
        offered(Agent('test', tools=[named('a').tools['a']], toolsets=[A])),
        offered(Agent('test', toolsets=[A, A])),
        offered(Agent('test', toolsets=[A]), toolsets=[A]),
        offered(Agent('test', toolsets=[lambda ctx: A, lambda ctx: A])),
    ],
)
fact('same ids', offered(Agent('test', toolsets=[named('x', id='same'), named('y', id='same')])))
fact('none', offered(Agent('test', toolsets=[])))
fact('empty', offered(Agent('test', toolsets=[FunctionToolset(), CombinedToolset([])])))
later = FunctionToolset()
late = Agent('test', toolsets=[later])
fact('before', offered(late))
later.tool_plain(h)
late.tool_plain(g)
fact('after', offered(late))
