"""Hooks of capabilities inside of others: wrapped, prefixed, combined, wrapped with hooks of the wrapper's own."""

import asyncio

from _hooks import MODES, run_as, scripted
from pydantic_ai import Agent, FunctionToolset
from pydantic_ai.capabilities import AbstractCapability, CombinedCapability, PrefixTools, WrapperCapability

log = []


class Inner(AbstractCapability):
    def __init__(self, name='inner'):
        self.name = name

    def get_toolset(self):
        toolset = FunctionToolset()
        toolset.add_function(lambda x: x * 2, name='double')
        return toolset

    async def before_run(self, ctx):
        log.append(f'{self.name} before_run')

    async def wrap_model_request(self, ctx, *, request_context, handler):
        log.append(f'{self.name} ({[tool.name for tool in request_context.model_request_parameters.function_tools]}')
        response = await handler(request_context)
        log.append(f'{self.name} )')
        return response

    async def before_tool_execute(self, ctx, *, call, tool_def, args):
        log.append(f'{self.name} executes {call.tool_name} {tool_def.name}')
        return args

    async def prepare_tools(self, ctx, tool_defs):
        log.append(f'{self.name} prepares {[definition.name for definition in tool_defs]}')
        return tool_defs


class Around(WrapperCapability):
    async def before_run(self, ctx):
        log.append('around before_run')
        await super().before_run(ctx)

    async def wrap_model_request(self, ctx, *, request_context, handler):
        log.append('around (')
        response = await super().wrap_model_request(ctx, request_context=request_context, handler=handler)
        log.append('around )')
        return response


class Silences(WrapperCapability):
    async def before_tool_execute(self, ctx, *, call, tool_def, args):
        log.append('silenced')
        return args


CASES = {
    'plain': [Inner()],
    'wrapped': [WrapperCapability(Inner())],
    'wrapped twice': [WrapperCapability(WrapperCapability(Inner()))],
    'around': [Around(Inner())],
    'silenced': [Silences(Inner())],
    'prefixed': [PrefixTools(Inner(), prefix='p')],
    'prefixed by method': [Inner().prefix_tools('p')],
    'prefix around around': [PrefixTools(Around(Inner()), prefix='p')],
    'combined in a wrapper': [WrapperCapability(CombinedCapability([Inner('a'), AbstractCapability()]))],
    'around combined': [Around(CombinedCapability([Inner('a'), AbstractCapability()])), AbstractCapability()],
}
for label, capabilities in CASES.items():
    for mode in MODES:
        log.clear()
        try:
            print(
                label, mode, asyncio.run(run_as(mode, Agent(scripted(None, 'text')[0], capabilities=capabilities))), log
            )
        except Exception as error:
            print(label, mode, type(error).__name__, log)
