"""Hooks around calls made by hand through a `ToolManager`, with errors wrapped and not."""

import asyncio
from dataclasses import dataclass

from _common import call, fact
from _toolsets import context
from pydantic_ai import ModelRetry
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.tool_manager import ToolManager
from pydantic_ai.toolsets import FunctionToolset

SEEN = []


@dataclass
class Hooked(AbstractCapability):
    async def before_tool_validate(self, ctx, *, call, tool_def, args):
        SEEN.append(['before validate', call.tool_name, ctx.tool_name, args])
        return args

    async def after_tool_validate(self, ctx, *, call, tool_def, args):
        SEEN.append(['after validate', args])
        return {**args, 'a': args['a'] * 2}

    async def before_tool_execute(self, ctx, *, call, tool_def, args):
        SEEN.append(['before execute', args, ctx.retry])
        return args

    async def after_tool_execute(self, ctx, *, call, tool_def, args, result):
        SEEN.append(['after execute', args, result])
        return [result]

    async def on_tool_execute_error(self, ctx, *, call, tool_def, args, error):
        SEEN.append(['error', type(error).__name__])
        raise error


async def double(a: int):
    if a > 10:
        raise ModelRetry('too big')
    if a == 0:
        raise KeyError('zero')
    return a * 2


async def main():
    manager = await ToolManager(FunctionToolset([double]), root_capability=Hooked()).for_run_step(context(run_step=1))
    for args in ({'a': 1}, '{"a": 3}', {'a': 9}, {'a': 0}, {'a': 'x'}):
        for wrap in (True, False):
            SEEN.clear()
            try:
                outcome = await manager.handle_call(call('double', args), wrap_validation_errors=wrap)
            except Exception as error:
                outcome = type(error).__name__
            fact(f'{args} {wrap}', [outcome, SEEN])
    SEEN.clear()
    validated = await manager.validate_tool_call(call('double', {'a': 2}))
    validated.validated_args = {'a': 4}
    fact('changed in between', [await manager.execute_tool_call(validated), SEEN])


asyncio.run(main())
