"""Tools that capabilities contribute: `Capability`, `Toolset`, `PrefixTools`, and whose each tool is."""

import asyncio

from pydantic_ai import Agent, RunContext, Tool
from pydantic_ai.capabilities import AbstractCapability, Capability, CombinedCapability, PrefixTools, Thinking, Toolset
from pydantic_ai.models.test import TestModel
from pydantic_ai.toolsets import FunctionToolset
from pydantic_ai.usage import RunUsage

ctx = RunContext(deps=None, model=TestModel(), usage=RunUsage())


def a(x: int) -> int:
    return x


def b(x: int) -> int:
    return x


class Own(AbstractCapability):
    def get_toolset(self):
        return FunctionToolset([b])


def show(*capabilities):
    model = TestModel()
    agent = Agent(model, capabilities=list(capabilities))

    @agent.tool_plain
    def own() -> int:
        return 1

    try:
        output = agent.run_sync('x').output
        print(output, [(tool.name, tool.capability_id) for tool in model.last_model_request_parameters.function_tools])
    except Exception as error:
        print(type(error).__name__)


async def main():
    one, two = FunctionToolset(id='1'), FunctionToolset(id='2')
    empty = Capability()
    print(type(empty.get_toolset()).__name__, empty.get_instructions(), empty.tools, empty.toolsets, empty.id)
    print(Capability(toolsets=[one]).get_toolset() is one, Toolset(one).get_toolset() is one)
    several = Capability(toolsets=[one, lambda ctx: two]).get_toolset()
    print(type(several).__name__, [type(toolset).__name__ for toolset in several.toolsets])
    described = Capability(description=lambda ctx: 'x', defer_loading=True, id='c2')
    print(described.description, callable(described.get_description()), Capability(description='d').get_description())
    bundle = Capability(tools=[a], instructions=['text'])

    @bundle.instructions
    def more():
        return 'more'

    @bundle.instructions()
    def even_more():
        return 'even more'

    @bundle.tool
    def with_ctx(ctx, q: str) -> str:
        return q

    @bundle.tool_plain(name='renamed', retries=4)
    def plain(q: str) -> str:
        return q

    tools = await bundle.get_toolset().get_tools(ctx)
    print({name: tool.max_retries for name, tool in tools.items()}, len(bundle.get_instructions()), more(), plain('q'))
    for wrapped in (
        Own(),
        Toolset(lambda ctx: FunctionToolset([b])),
        CombinedCapability([Own(), Capability(tools=[a])]),
    ):
        prefixed = wrapped.prefix_tools('p')
        print(type(prefixed).__name__, prefixed.prefix, prefixed.id, type(prefixed.get_toolset()).__name__)
    print(PrefixTools(Thinking(), prefix='p').get_toolset())
    for spec in ('Thinking', {'Thinking': {'effort': 'high'}}, {'Thinking': 'low'}):
        prefix_tools = PrefixTools.from_spec(prefix='z', capability=spec)
        print(prefix_tools.prefix, prefix_tools.wrapped.effort)
    for spec in ('Nope', {'Nope': 1}, {'Hooks': {}}, {}, 5):
        try:
            PrefixTools.from_spec(prefix='z', capability=spec)
        except ValueError:
            print('refused')


asyncio.run(main())
show(Capability(tools=[a]), Own(), Own().prefix_tools('z'), Toolset(FunctionToolset([Tool(a, name='t')])))
show(lambda ctx: Capability(id='dyn', tools=[Tool(a, name='d')]), Capability(id='x', tools=[a]))
show(Capability(tools=[a]), Capability(tools=[a]))
show(PrefixTools(CombinedCapability([Own(), Capability(tools=[a])]), prefix='p'))
show(PrefixTools(PrefixTools(Own(), prefix='in'), prefix='out'))
