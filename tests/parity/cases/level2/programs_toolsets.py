"""Toolsets that are wrapped, made for a step, answered elsewhere, and that ask for approval."""

import asyncio

from _programs import call, in_short, out, script, told
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, RunContext, ToolReturn
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import ExternalToolset, FunctionToolset, WrapperToolset


async def wrapped():
    toolset, seen = FunctionToolset(id='f'), []

    @toolset.tool
    def add(ctx: RunContext, a: int, b: int = 2) -> int:
        return a + b

    @toolset.tool_plain
    def hello(name: str) -> str:
        return f'hi {name}'

    class Watched(WrapperToolset):
        async def call_tool(self, name, tool_args, ctx, tool):
            out('call', name, tool_args, ctx.tool_name)
            return await super().call_tool(name, tool_args, ctx, tool)

    async def prepare(ctx, tools):
        return [tool for tool in tools if tool.name != 'q_hello'] if ctx.run_step > 1 else tools

    tools = Watched(toolset).prefixed('q').prepared(prepare).renamed({'plus': 'q_add'}).filtered(lambda ctx, tool: True)
    first = [call('plus', {'a': 1}), call('q_hello', {'name': 'x'})]
    agent = Agent(script(first, [call('q_hello', {'name': 'y'}, 'h2')], 'done', seen=seen), toolsets=[tools], retries=2)
    out(in_short((await agent.run('x')).all_messages()))
    out([[tool.name for tool in info.function_tools] for _, info in seen])


async def external():
    schema = {'type': 'object', 'properties': {'x': {'type': 'integer'}}}
    toolset = ExternalToolset([ToolDefinition(name='front', description='d', parameters_json_schema=schema)])
    steps = [call('front', {'x': 1})], 'done'
    agent = Agent(script(*steps), toolsets=[toolset], output_type=[str, DeferredToolRequests])
    first = await agent.run('x')
    out([call.args for call in first.output.calls])
    results = DeferredToolResults(calls={'front-1': ToolReturn('v', content='extra', metadata={'m': 1})})
    result = await agent.run(message_history=first.all_messages(), deferred_tool_results=results)
    out(in_short(result.new_messages()), result.all_messages()[-2].parts[0].metadata)


async def per_step():
    agent, steps = Agent(script([call('d1')], [call('d1', {}, 'second')], 'done'), deps_type=str, retries=2), []

    @agent.toolset
    def make(ctx: RunContext[str]):
        steps.append(ctx.run_step)
        toolset = FunctionToolset()

        @toolset.tool_plain(name=f'd{len(steps)}')
        def f() -> str:
            return f'v{len(steps)}'

        return toolset

    result = await agent.run('x', deps='d')
    out(steps, in_short(result.all_messages()))


async def approved():
    toolset = FunctionToolset()

    @toolset.tool_plain
    def f(x: int) -> int:
        return x

    steps = [call('f', {'x': 1}, 'a'), call('f', {'x': 20}, 'b')], 'done'
    asking = toolset.approval_required(lambda ctx, tool, args: args['x'] > 10)
    result = await Agent(script(*steps), toolsets=[asking], output_type=[str, DeferredToolRequests]).run('x')
    out(in_short(result.all_messages()), [call.args for call in result.output.approvals])


async def main():
    for work in (wrapped, external, per_step, approved):
        await told(work.__name__, work)


asyncio.run(main())
