"""Wrappers that override `call_tool` or `get_tools`, at every place of a stack."""

from dataclasses import dataclass, replace

from _common import call, run, script
from _toolsets import Watched, logged, named
from pydantic_ai import Agent, ModelRetry, RunContext
from pydantic_ai.messages import TextPart
from pydantic_ai.toolsets import CombinedToolset, FunctionToolset, WrapperToolset


def where(ctx: RunContext, a: int = 0) -> list:
    return [ctx.tool_name, ctx.tool_call_id, a]


def one():
    return FunctionToolset([where])


@dataclass
class Changing(WrapperToolset):
    async def call_tool(self, name, tool_args, ctx, tool):
        return {'result': await super().call_tool(name, {**tool_args, 'a': 9}, ctx, tool)}


@dataclass
class Answering(WrapperToolset):
    async def call_tool(self, name, tool_args, ctx, tool):
        return f'{name} was not called'


@dataclass
class Retrying(WrapperToolset):
    async def call_tool(self, name, tool_args, ctx, tool):
        raise ModelRetry(f'{name} {ctx.retry}')


@dataclass
class Relisting(WrapperToolset):
    async def get_tools(self, ctx):
        tools = await super().get_tools(ctx)
        return {
            name: replace(tool, toolset=self, tool_def=replace(tool.tool_def, metadata={'by': 'relisting'}))
            for name, tool in tools.items()
        }


STACKS = {
    'one': (Watched(one()), 'where'),
    'below a prefix': (Watched(one()).prefixed('p'), 'p_where'),
    'above a prefix': (Watched(one().prefixed('p')), 'p_where'),
    'between': (Watched(Watched(one(), '1').prefixed('q'), '2').renamed({'z': 'q_where'}), 'z'),
    'below metadata': (Watched(one()).with_metadata(m=1), 'where'),
    'above metadata': (Watched(one().with_metadata(m=1)), 'where'),
    'below a filter': (Watched(one()).filtered(lambda ctx, definition: True), 'where'),
    'below prepare': (
        Watched(one()).prepared(
            lambda ctx, definitions: [replace(definition, metadata={'p': 1}) for definition in definitions]
        ),
        'where',
    ),
    'below all': (
        Watched(one())
        .include_return_schemas()
        .defer_loading([])
        .approval_required(lambda ctx, definition, args: False),
        'where',
    ),
    'metadata through a prefix': (Watched(one()).prefixed('p').with_metadata(m=1), 'p_where'),
    'changing': (Changing(one()).prefixed('p'), 'p_where'),
    'changing twice': (Changing(Watched(Changing(one()))), 'where'),
    'answering': (Watched(Answering(Watched(one(), 'in'))), 'where'),
    'relisting': (Watched(Relisting(Watched(one(), 'in')), 'out'), 'where'),
    'relisting a combination': (
        Watched(Relisting(CombinedToolset([Watched(one(), 'in'), named('x')])), 'out'),
        'where',
    ),
    'retrying': (Retrying(one()).prefixed('p'), 'p_where'),
}
for name, (stack, tool) in STACKS.items():
    logged(name, Agent(script([call(tool, {'a': '3'})], [TextPart('done')]), toolsets=[stack]))
run(
    'changed result',
    Agent(script([call('p_where', {'a': '3'})], [TextPart('done')]), toolsets=[Changing(one()).prefixed('p')]),
    'q',
)
