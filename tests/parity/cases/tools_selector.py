"""Which tools a selector picks, in all of its forms."""

import asyncio

from _tools import show
from pydantic_ai import RunContext, RunUsage, ToolDefinition
from pydantic_ai.models.test import TestModel
from pydantic_ai.tools import matches_tool_selector

ctx = RunContext(deps=5, model=TestModel(), usage=RunUsage())
TOOLS = [
    ToolDefinition(name='a'),
    ToolDefinition(name='b', metadata={}),
    ToolDefinition(name='c', metadata={'kind': 'read', 'deep': {'x': 1, 'y': {'z': 2}}, 'list': [1, 2], 'none': None}),
    ToolDefinition(name='all', metadata={'kind': 'write', 'deep': 3}),
]


async def by_await(ctx, tool):
    return tool.name == 'c' and ctx.deps == 5


class Picks:
    def __call__(self, ctx, tool):
        return tool.name in 'ab'


SELECTORS = {
    'all': 'all',
    'names': ['a', 'c', 'zzz'],
    'tuple': ('b',),
    'nothing': [],
    'no metadata': {},
    'entry': {'kind': 'read'},
    'wrong': {'kind': 'nothing'},
    'deep': {'deep': {'x': 1}},
    'deeper': {'deep': {'y': {'z': 2}}},
    'deep wrong': {'deep': {'x': 2}},
    'deep empty': {'deep': {}},
    'list': {'list': [1, 2]},
    'list part': {'list': [1]},
    'none': {'none': None},
    'absent': {'absent': None},
    'two': {'kind': 'read', 'deep': {'x': 1}},
    'two of which one': {'kind': 'write', 'list': [1]},
    'sync': lambda ctx, tool: tool.name > 'b',
    'async': by_await,
    'truthy': lambda ctx, tool: tool.metadata,
    'object': Picks(),
    'set': {'a'},
    'frozen': frozenset({'b'}),
}


async def main():
    for label, selector in SELECTORS.items():
        try:
            picked = [tool.name for tool in TOOLS if await matches_tool_selector(selector, ctx, tool)]
        except Exception as error:
            picked = f'! {type(error).__name__}'
        show(label, picked)


asyncio.run(main())
