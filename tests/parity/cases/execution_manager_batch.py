"""A tool that calls other tools through the tool manager, together or in turn; retries over several steps."""

import asyncio
from dataclasses import dataclass, replace

from _common import call, error_text, fact, run, script
from _toolsets import context
from pydantic_ai import Agent, ModelRetry, Tool
from pydantic_ai.exceptions import ToolRetryError
from pydantic_ai.messages import TextPart
from pydantic_ai.tool_manager import ToolManager
from pydantic_ai.toolsets import FunctionToolset, WrapperToolset

SEEN = []


async def slow(n: int = 0):
    SEEN.append(f'+{n}')
    await asyncio.sleep(0.02 * (3 - n))
    SEEN.append(f'-{n}')
    if n < 0:
        raise ModelRetry('negative')
    return n


@dataclass
class Dispatch(WrapperToolset):
    """Its tool calls the tools of the step, together or one after the other."""

    together: bool = True

    async def get_tools(self, ctx):
        tools = await super().get_tools(ctx)
        template = next(iter(tools.values()))
        return {
            **tools,
            'batch': replace(template, toolset=self, tool_def=replace(template.tool_def, name='batch'), max_retries=3),
        }

    async def call_tool(self, name, tool_args, ctx, tool):
        if name != 'batch':
            return await super().call_tool(name, tool_args, ctx, tool)
        manager = ctx.tool_manager
        calls = [call('slow', {'n': n}, f'c{n}') for n in (0, 1, 2, -1)]
        fact('mode', manager.get_parallel_execution_mode(calls))
        jobs = [manager.handle_call(one) for one in calls]
        if self.together:
            results = await asyncio.gather(*jobs, return_exceptions=True)
        else:
            results = []
            for job in jobs:
                try:
                    results.append(await job)
                except ToolRetryError as error:
                    results.append(error)
        fact('failed', sorted(manager.failed_tools))
        fact('calls', ctx.usage.tool_calls)
        return [value.tool_retry.content if isinstance(value, ToolRetryError) else value for value in results]


for together in (True, False):
    SEEN.clear()
    toolset = Dispatch(FunctionToolset([slow]), together)
    run(
        f'together {together}',
        Agent(script([call('batch', {})], [call('slow', {'n': 1})], [TextPart('x')]), toolsets=[toolset]),
        'q',
    )
    fact('seen', SEEN)


async def steps():
    manager = ToolManager(FunctionToolset([Tool(slow, max_retries=2)]), default_max_retries=5)
    for step in range(1, 6):
        manager = await manager.for_run_step(context(run_step=step))
        try:
            await manager.handle_call(call('slow', {'n': -1}))
        except ToolRetryError as error:
            fact(f'step {step}', [error.tool_retry.content, error.tool_retry.tool_name, error.tool_retry.tool_call_id])
        except Exception as error:
            fact(f'step {step}', error_text(error))
        fact('retries', [manager.ctx.retries, manager.default_max_retries, sorted(manager.failed_tools)])


asyncio.run(steps())
