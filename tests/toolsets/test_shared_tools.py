"""Toolsets share one dict of their tools while nothing has changed, and another one as soon as something has."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from stead import Agent, ModelMessage, ModelResponse, RunContext, TextPart, ToolCallPart
from stead.models.function import AgentInfo, FunctionModel
from stead.models.test import TestModel
from stead.tools import ToolDefinition
from stead.toolsets import (
    AbstractToolset,
    CombinedToolset,
    FilteredToolset,
    FunctionToolset,
    PrefixedToolset,
    RenamedToolset,
)

from .kit import context


def one() -> int:
    return 1


def two() -> int:
    return 2


def three() -> int:
    return 3


def names(toolset: AbstractToolset[Any], ctx: RunContext[Any] | None = None) -> list[str]:
    return list(asyncio.run(toolset.tool_listing(ctx or context())).tools)


class Stack:
    """Two functions under a prefix, a filter around them, and around that new names, beside another toolset."""

    def __init__(self) -> None:
        self.hidden: set[str] = set()
        self.functions: FunctionToolset[Any] = FunctionToolset([one, two])
        self.prefixed = PrefixedToolset(self.functions, 'p')
        self.filtered = FilteredToolset(self.prefixed, lambda ctx, definition: definition.name not in self.hidden)
        self.renamed = RenamedToolset(self.filtered, {'uno': 'p_one'})
        self.combined = CombinedToolset([self.renamed, FunctionToolset([three])])

    def shared(self) -> dict[str, Any]:
        return asyncio.run(self.combined.tool_listing(context())).tools


def test_nothing_has_changed() -> None:
    stack = Stack()
    assert not asyncio.run(stack.combined.tool_listing(context())).is_static
    assert stack.shared() is stack.shared()
    assert list(stack.shared()) == ['uno', 'p_two', 'three']


def test_what_get_tools_returns_may_be_changed() -> None:
    stack = Stack()
    shared = stack.shared()
    for toolset in (stack.combined, stack.renamed, stack.filtered, stack.prefixed, stack.functions):
        tools = asyncio.run(toolset.get_tools(context()))
        tools.clear()
    assert stack.shared() is shared
    assert list(shared) == ['uno', 'p_two', 'three']


def hide(stack: Stack) -> None:
    stack.hidden.add('p_two')


def add(stack: Stack) -> None:
    stack.functions.add_function(three, name='four')


def describe(stack: Stack) -> None:
    stack.functions.tools['two'].description = 'Another one.'


def retry_more(stack: Stack) -> None:
    stack.functions.tools['two'].max_retries = 7


def prefix(stack: Stack) -> None:
    stack.prefixed.prefix = 'q'
    stack.renamed.name_map = {'uno': 'q_one'}


def rename(stack: Stack) -> None:
    stack.renamed.name_map['dos'] = 'p_two'


def append(stack: Stack) -> None:
    assert isinstance(stack.combined.toolsets, list)
    stack.combined.toolsets.append(FunctionToolset([four]))


def four() -> int:
    return 4


@pytest.mark.parametrize(
    ('change', 'listed'),
    [
        (hide, ['uno', 'three']),
        (add, ['uno', 'p_two', 'p_four', 'three']),
        (describe, ['uno', 'p_two', 'three']),
        (retry_more, ['uno', 'p_two', 'three']),
        (prefix, ['uno', 'q_two', 'three']),
        (rename, ['uno', 'dos', 'three']),
        (append, ['uno', 'p_two', 'three', 'four']),
    ],
    ids=lambda value: value.__name__ if callable(value) else '',
)
def test_something_has_changed(change: Callable[[Stack], None], listed: list[str]) -> None:
    stack = Stack()
    before = stack.shared()
    change(stack)
    after = stack.shared()
    assert after is not before
    assert list(after) == listed
    assert [(tool.tool_def, tool.max_retries) for tool in after.values()] == [
        (tool.tool_def, tool.max_retries) for tool in asyncio.run(stack.combined.get_tools(context())).values()
    ]
    assert stack.shared() is after


def test_a_filter_that_changes_definitions_in_place_is_noticed() -> None:
    step = 0

    def passes(ctx: object, definition: ToolDefinition) -> bool:
        definition.description = f'At step {step}.'
        return True

    toolset = PrefixedToolset(FunctionToolset([one]).filtered(passes), 'p')
    for step in (1, 2):
        (tool,) = asyncio.run(toolset.tool_listing(context())).tools.values()
        assert tool.tool_def.description == f'At step {step}.'


def test_what_a_filter_changes_in_place_is_for_the_step() -> None:
    def passes(ctx: object, definition: ToolDefinition) -> bool:
        assert (
            definition.function_signature.name == 'one'
        )  # that something is computed from a definition changes nothing
        definition.description = f'{definition.description} For you.'
        return True

    functions = FunctionToolset([one])
    functions.tools['one'].description = 'One.'
    for toolset in (functions.filtered(passes), functions.filtered(passes).prefixed('p')):
        for _ in range(2):
            (tool,) = asyncio.run(toolset.tool_listing(context())).tools.values()
            assert tool.tool_def.description == 'One. For you.'
    assert functions.tools['one'].tool_def.description == 'One.'


def test_a_filter_that_only_looks_changes_nothing() -> None:
    toolset = FunctionToolset([one]).filtered(lambda ctx, definition: bool(definition.function_signature))
    assert asyncio.run(toolset.tool_listing(context())) is asyncio.run(toolset.tool_listing(context()))


class Growing(AbstractToolset[None]):
    """Returns the same dict at each step, and adds to it."""

    id = 'growing'

    def __init__(self) -> None:
        self.functions = FunctionToolset[None]([one])
        self.listing: dict[str, Any] = {}

    async def get_tools(self, ctx: RunContext[None]) -> dict[str, Any]:
        self.listing.update(await self.functions.get_tools(ctx))
        return self.listing

    async def call_tool(self, name: str, tool_args: dict[str, Any], ctx: RunContext[None], tool: Any) -> Any:
        raise AssertionError


@pytest.mark.parametrize('wrap', [lambda t: t, lambda t: t.prefixed('p'), lambda t: CombinedToolset([t])])
def test_a_dict_that_a_class_returns_again_may_have_changed(wrap: Callable[[Any], AbstractToolset[Any]]) -> None:
    growing = Growing()
    toolset = wrap(growing)
    assert len(names(toolset)) == 1
    growing.functions.add_function(two)
    assert len(names(toolset)) == 2


def test_the_retries_of_the_run_count() -> None:
    toolset = FunctionToolset[Any]([one])
    for retries in (1, 5):
        (tool,) = asyncio.run(toolset.tool_listing(context(max_retries=retries))).tools.values()
        assert tool.max_retries == retries


class Counting(PrefixedToolset[Any]):
    listed = 0

    async def get_tools(self, ctx: RunContext[Any]) -> Any:
        self.listed += 1
        return {name: tool for name, tool in (await super().get_tools(ctx)).items() if name != 'p_two' or ctx.run_step}


def test_a_class_with_a_listing_of_its_own_is_always_asked() -> None:
    toolset = Counting(FunctionToolset([one, two]), 'p')
    around = toolset.filtered(lambda ctx, definition: True).renamed({'uno': 'p_one'})
    assert names(around, context(run_step=0)) == ['uno']
    assert names(around, context(run_step=1)) == ['uno', 'p_two']
    assert toolset.listed == 2


def test_prepare_is_called_at_every_step() -> None:
    steps: list[int] = []

    async def prepare(ctx: RunContext[Any], definition: ToolDefinition) -> ToolDefinition | None:
        steps.append(ctx.run_step)
        return definition if ctx.run_step % 2 else None

    toolset = FunctionToolset[Any]()
    toolset.add_function(one, prepare=prepare)
    around = PrefixedToolset(toolset, 'p')
    assert [names(around, context(run_step=step)) for step in (1, 2, 3)] == [['p_one'], [], ['p_one']]
    assert steps == [1, 2, 3]


def three_steps(seen: list[list[str]]) -> FunctionModel:
    def reply(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.append([tool.name for tool in info.function_tools])
        if len(messages) > 4:
            return ModelResponse([TextPart('done')])
        return ModelResponse([ToolCallPart(info.function_tools[0].name, {})])

    return FunctionModel(reply)


def test_a_run_asks_the_filter_once_a_step_and_offers_what_passes() -> None:
    filter_calls: list[tuple[int, str]] = []

    def passes(ctx: RunContext[Any], definition: ToolDefinition) -> bool:
        filter_calls.append((ctx.run_step, definition.name))
        return definition.name != 'p_two' or ctx.run_step == 2

    seen: list[list[str]] = []
    toolset = FunctionToolset([one, two]).prefixed('p').filtered(passes).renamed({'uno': 'p_one'})
    agent = Agent(three_steps(seen), toolsets=[toolset])
    for _ in range(2):
        agent.run_sync('go')
    assert seen == [['uno'], ['uno', 'p_two'], ['uno']] * 2
    assert filter_calls == [(step, name) for step in (1, 2, 3) for name in ('p_one', 'p_two')] * 2


def test_runs_at_the_same_time_get_what_passes_for_them() -> None:
    seen: dict[str, list[list[str]]] = {'a': [], 'b': []}

    async def passes(ctx: RunContext[str], definition: ToolDefinition) -> bool:
        await asyncio.sleep(0)
        return (definition.name == 'one') is (ctx.deps == 'a')

    toolset = FunctionToolset[str]([one, two]).filtered(passes).prefixed('p')

    async def both() -> None:
        agent = Agent(deps_type=str, toolsets=[toolset])
        await asyncio.gather(*(agent.run('go', deps=deps, model=three_steps(seen[deps])) for deps in seen))

    asyncio.run(both())
    assert seen == {'a': [['p_one']] * 3, 'b': [['p_two']] * 3}


def test_what_a_tool_does_to_the_tools_of_its_run_stays_there() -> None:
    def empty(ctx: RunContext[Any]) -> str:
        assert ctx.tool_manager is not None and ctx.tool_manager.tools is not None
        ctx.tool_manager.tools.pop('two', None)
        return ''

    agent = Agent(TestModel(call_tools=['empty']), tools=[empty, two], toolsets=[FunctionToolset([one])])
    for _ in range(2):  # the first run finds out that no tool is deferred
        agent.run_sync('go')
    assert agent.run_sync('go', model=TestModel(call_tools=['two'])).output == '{"two":2}'


def test_a_toolset_that_comes_later_has_its_steps() -> None:
    class Stepping(FunctionToolset[Any]):
        steps = 0

        async def for_run_step(self, ctx: RunContext[Any]) -> AbstractToolset[Any]:
            self.steps += 1
            return self

    seen: list[list[str]] = []
    combined = CombinedToolset([FunctionToolset([one]).filtered(lambda ctx, definition: True)])
    agent = Agent(three_steps(seen), toolsets=[combined])
    agent.run_sync('go')
    later = Stepping([two])
    assert isinstance(combined.toolsets, list)
    combined.toolsets.append(later)
    agent.run_sync('go')
    assert (later.steps, seen[-1]) == (3, ['one', 'two'])
