"""Every order of three wrappers around one toolset: what is listed, and what a call comes to."""

from dataclasses import replace
from itertools import permutations

from _common import call, fact, script
from _toolsets import ask, context, named
from pydantic_ai import Agent, RunContext
from pydantic_ai.messages import TextPart
from pydantic_ai.toolsets import CombinedToolset, FunctionToolset, WrapperToolset


def where(ctx: RunContext, a: int = 0) -> list:
    return [ctx.tool_name, ctx.tool_call_id, ctx.retry, a]


def other(ctx: RunContext) -> str:
    return ctx.tool_name


def short(definitions):
    return [
        replace(definition, description=f'{definition.description}|{definition.name}') for definition in definitions
    ]


WRAPPERS = {
    'prefix': lambda toolset: toolset.prefixed('p'),
    'rename': lambda toolset: toolset.filtered(lambda ctx, definition: True).renamed({'z': 'where', 'y': 'p_where'}),
    'filter': lambda toolset: toolset.filtered(lambda ctx, definition: not definition.name.endswith('other')),
    'prepare': lambda toolset: toolset.prepared(lambda ctx, definitions: short(definitions)),
    'metadata': lambda toolset: toolset.with_metadata(n=1),
    'approval': lambda toolset: toolset.approval_required(
        lambda ctx, definition, args: args.get('a') == definition.name
    ),
    'combined': lambda toolset: CombinedToolset([toolset, named('third')]),
    'subclass': lambda toolset: WrapperToolset(toolset),
}


def toolset(names):
    stacked = FunctionToolset([where, other], instructions='say')
    for name in names:
        stacked = WRAPPERS[name](stacked)
    return stacked


for names in permutations(WRAPPERS, 3):
    stacked = toolset(names)
    tools = ask(stacked.get_tools(context()))
    described = {
        name: [tool.tool_def.name, tool.tool_def.description, tool.tool_def.metadata] for name, tool in tools.items()
    }
    agent = Agent(script([call(name, {}) for name in tools], [TextPart('done')]), toolsets=[stacked])
    returns = [part.content for part in agent.run_sync('q').all_messages()[2].parts]
    fact(' '.join(names), [described, returns])
