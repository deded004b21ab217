"""Which tools a selector picks, in its four forms."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from stead import RunContext, ToolDefinition
from stead.tools import matches_tool_selector

from .kit import context

TOOLS = [
    ToolDefinition(name='a'),
    ToolDefinition(name='b', metadata={}),
    ToolDefinition(name='c', metadata={'kind': 'read', 'deep': {'x': 1, 'y': {'z': 2}}, 'list': [1, 2], 'none': None}),
    ToolDefinition(name='all', metadata={'kind': 'write', 'deep': 3}),
]


async def later(ctx: RunContext[int], tool: ToolDefinition) -> bool:
    await asyncio.sleep(0)
    return tool.name == 'c' and ctx.deps == 5


class Picks:
    def __call__(self, ctx: RunContext[int], tool: ToolDefinition) -> bool:
        return tool.name in 'ab'


@pytest.mark.parametrize(
    ('selector', 'picked'),
    [
        ('all', ['a', 'b', 'c', 'all']),
        (['a', 'c', 'unknown'], ['a', 'c']),
        (('all',), ['all']),
        ([], []),
        ({}, ['a', 'b', 'c', 'all']),
        ({'kind': 'read'}, ['c']),
        ({'kind': 'other'}, []),
        ({'deep': {'x': 1}}, ['c']),
        ({'deep': {'y': {'z': 2}}}, ['c']),
        ({'deep': {'x': 2}}, []),
        ({'deep': 3}, ['all']),
        ({'list': [1, 2]}, ['c']),
        ({'list': [1]}, []),
        ({'none': None}, ['c']),
        ({'absent': None}, []),
        ({'kind': 'read', 'deep': {'x': 1}}, ['c']),
        ({'kind': 'write', 'list': [1, 2]}, []),
        (lambda ctx, tool: tool.name > 'b', ['c']),
        (later, ['c']),
        (Picks(), ['a', 'b']),
    ],
)
def test_a_selector_picks_the_tools_it_describes(selector: Any, picked: list[str]):
    async def pick() -> list[str]:
        return [tool.name for tool in TOOLS if await matches_tool_selector(selector, context(5), tool)]

    assert asyncio.run(pick()) == picked
