"""The tool of a definition, in toolsets that change names and definitions of tools."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from pydantic_ai import Agent, RunContext
from pydantic_ai.models.test import TestModel
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import CombinedToolset, ExternalToolset, FunctionToolset, WrapperToolset

toolset: FunctionToolset[None] = FunctionToolset()


@toolset.tool_plain
def echo(x: int) -> int:
    """Return it."""
    return x


def facts(tool: Any) -> object:
    name = getattr(tool, 'original_name', None)
    return tool.tool_def.name, type(tool.toolset).__name__, tool.max_retries, name, tool.tool_def.description


agent = Agent(TestModel())


def attempt(name: str, function: Any) -> None:
    try:
        print(name, facts(function()))
    except KeyError as error:
        print(name, 'KeyError', error)


@agent.tool
async def go(ctx: RunContext[None]) -> str:
    definition = (await toolset.get_tools(ctx))['echo'].tool_def
    other = replace(definition, name='other')
    attempt('for', lambda: toolset.tool_for_tool_def(definition, ctx=ctx))
    attempt('renamed', lambda: toolset.tool_for_tool_def(other, ctx=ctx, original_name='echo'))
    attempt('unknown', lambda: toolset.tool_for_tool_def(other, ctx=ctx))
    stacks: list[Any] = [
        toolset,
        toolset.prefixed('p'),
        toolset.renamed({'b': 'echo'}),
        toolset.filtered(lambda ctx, tool: True),
        toolset.with_metadata(k=1),
        toolset.defer_loading(),
        toolset.prepared(lambda ctx, tools: [replace(tool, description='new') for tool in tools]),
        WrapperToolset(toolset),
        toolset.prefixed('p').renamed({'c': 'p_echo'}),
        CombinedToolset([toolset.prefixed('p')]),
    ]
    for stack in stacks:
        for name, tool in (await stack.get_tools(ctx)).items():
            found = await stack.get_tool_for_tool_def(tool.tool_def, ctx)
            print(type(stack).__name__, found.tool_def.name, await stack.call_tool(name, {'x': 3}, ctx, found))
        try:
            await stack.get_tool_for_tool_def(other, ctx)
        except KeyError as error:
            print(type(stack).__name__, 'KeyError', error)
    external: ExternalToolset[None] = ExternalToolset([ToolDefinition(name='far')])
    print((await external.get_tool_for_tool_def(ToolDefinition(name='far'), ctx)).tool_def.name)
    return 'x'


asyncio.run(agent.run('x'))
