"""Combined toolsets: order, nesting, conflicts, errors, and calls through them."""

from _common import call, fact, script
from _toolsets import Watched, ask, context, listing, logged, named
from pydantic_ai import Agent, RunContext
from pydantic_ai.messages import TextPart
from pydantic_ai.toolsets import CombinedToolset, FunctionToolset

a, b, c = named('a1', 'a2', id='a'), named('b1', id='b'), named('c1')
fact('order', listing(CombinedToolset([b, a, c])))
fact(
    'nested',
    listing(CombinedToolset([CombinedToolset([a]), CombinedToolset([]), CombinedToolset([b, CombinedToolset([c])])])),
)
fact('empty', listing(CombinedToolset([])))
fact('tuple', listing(CombinedToolset((a, b))))
fact('conflict', listing(CombinedToolset([a, named('a2')])))
fact('conflict with itself', listing(CombinedToolset([a, a])))
fact('conflict of the nested', listing(CombinedToolset([CombinedToolset([a, b]), CombinedToolset([c, named('b1')])])))
fact(
    'a hidden tool conflicts with none',
    listing(CombinedToolset([a.filtered(lambda ctx, definition: definition.name != 'a2'), named('a2')])),
)
fact('error', listing(CombinedToolset([a, Watched(b, fail='tools')])))
tools = ask(CombinedToolset([a, Watched(b, 'B').prefixed('p')]).get_tools(context()))
fact('fields', {name: [tool.toolset.label, tool.tool_def.name, tool.max_retries] for name, tool in tools.items()})


def where(ctx: RunContext, x: int) -> list:
    return [ctx.tool_name, x]


stack = Watched(
    CombinedToolset(
        [Watched(FunctionToolset([where]), 'in 1'), Watched(FunctionToolset([where]).prefixed('p'), 'in 2')]
    ),
    'out',
)
model = script([call('z', {'x': 1}), call('q_p_where', {'x': '2'})], [TextPart('done')])
logged('calls', Agent(model, toolsets=[stack.prefixed('q').renamed({'z': 'q_where'}).with_metadata(m=1)]))
mutable = [a]
combined = CombinedToolset(mutable)
fact('before', listing(combined))
mutable.append(b)
fact('after', listing(combined))
