"""Options of a toolset, of its tools and of its decorators, and which one wins."""

import asyncio

from _common import fact
from _toolsets import context, f, g
from pydantic_ai import RunContext, Tool
from pydantic_ai.toolsets import FunctionToolset

FIELDS = (
    'description',
    'strict',
    'sequential',
    'kind',
    'metadata',
    'timeout',
    'defer_loading',
    'include_return_schema',
)
ARGUMENTS = {
    'max_retries': 2,
    'timeout': 3,
    'strict': True,
    'sequential': True,
    'requires_approval': True,
    'metadata': {'a': 1, 'b': 1},
    'defer_loading': True,
    'include_return_schema': True,
}


def listed(name, toolset):
    print('==', name)
    tools = asyncio.run(toolset.get_tools(context(max_retries=9)))
    for key, tool in tools.items():
        fact(key, {field: getattr(tool.tool_def, field) for field in FIELDS})
        fact(
            'tool',
            [tool.max_retries, tool.timeout, tool.is_async, toolset.tools[key].max_retries, toolset.tools[key].timeout],
        )


listed('none', FunctionToolset([f]))
for argument, value in ARGUMENTS.items():
    listed(argument, FunctionToolset([f], **{argument: value}))
listed('all', FunctionToolset([f, g], **ARGUMENTS))
listed(
    'all, with tool objects',
    FunctionToolset(
        [Tool(f), Tool(g, max_retries=0, metadata={'b': 2, 'c': 2}, timeout=0.5)],
        **{**ARGUMENTS, 'requires_approval': False},  # stead does not let `Tool` objects out of it
    ),
)
toolset = FunctionToolset(**ARGUMENTS)


@toolset.tool_plain(
    name='n',
    description='d',
    retries=7,
    strict=False,
    sequential=False,
    requires_approval=False,
    metadata={'b': 5, 'z': 1},
    timeout=1.5,
    defer_loading=False,
    include_return_schema=False,
)
def one():
    return 1


@toolset.tool(name='m', retries=0, metadata={})
async def two(ctx: RunContext) -> int:
    return 1


@toolset.tool
def three(ctx: RunContext, x: int) -> int:
    return x


@toolset.tool
def four(x: int) -> int:
    """Need no context."""
    return x


@toolset.tool_plain
def five(ctx: int) -> int:
    return ctx


listed('overridden', toolset)
fact('takes_ctx', {name: tool.takes_ctx for name, tool in toolset.tools.items()})
fact('functions stay', [one(), three(None, 3), one.__name__])
fact(
    'attributes',
    [
        toolset.max_retries,
        toolset.timeout,
        toolset.docstring_format,
        toolset.require_parameter_descriptions,
        toolset.strict,
        toolset.sequential,
        toolset.requires_approval,
        toolset.metadata,
        toolset.include_return_schema,
    ],
)
