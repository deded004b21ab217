"""Random stacks of wrappers agree with a model of them that is a dict from names to facts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given, strategies as st

from stead import Agent, FunctionToolset, RunContext
from stead.exceptions import ApprovalRequired, UserError
from stead.toolsets import AbstractToolset, CombinedToolset, WrapperToolset

from .kit import calling, context, wait

FIVE = ['a', 'b', 'c', 'p_a', 'q_b']
NAMES = st.sampled_from(FIVE)
PREFIXES = st.sampled_from(['p', 'q', ''])


@dataclass(frozen=True)
class Fact:
    """What is known of one tool."""

    leaf: int
    own: str
    metadata: dict[str, Any] | None = None
    description: str | None = None
    deferred: bool = False
    returns: bool | None = None
    asks: bool = False
    seen: tuple[tuple[int, str], ...] = ()
    """The watchers a call passes, and the names they see, the innermost first."""


@dataclass(frozen=True)
class Expected:
    """What a stack is expected to do."""

    tools: dict[str, Fact] | None
    """`None`: listing them is an error, since two have one name."""
    says: tuple[str, ...] = ()
    leaves: tuple[int, ...] = ()

    def changed(self, change: Callable[[str, Fact], tuple[str, Fact]]) -> Expected:
        if self.tools is None:
            return self
        items = [change(name, fact) for name, fact in self.tools.items()]
        tools = dict(items)
        return replace(self, tools=tools if len(tools) == len(items) else None)

    def without(self, dropped: set[str]) -> Expected:
        if self.tools is None:
            return self
        return replace(self, tools={name: fact for name, fact in self.tools.items() if name not in dropped})


@dataclass
class World:
    """Counts of what happens to leaves, and what watchers have seen."""

    entered: dict[int, int] = field(default_factory=lambda: {})
    exited: dict[int, int] = field(default_factory=lambda: {})
    calls: list[tuple[int, str]] = field(default_factory=lambda: [])


class Leaf(FunctionToolset[Any]):
    def __init__(self, number: int, tools: list[str], text: str | None, world: World) -> None:
        super().__init__(id=f'leaf {number}', instructions=text)
        self.number, self.world = number, world
        for name in tools:
            self.add_function(self.function(name), name=name)

    def function(self, name: str) -> Any:
        async def tool(ctx: RunContext[Any], x: int) -> list[Any]:
            return [self.number, name, ctx.tool_name, x]

        return tool

    async def __aenter__(self) -> Any:
        self.world.entered[self.number] = self.world.entered.get(self.number, 0) + 1
        return self

    async def __aexit__(self, *args: Any) -> None:
        self.world.exited[self.number] = self.world.exited.get(self.number, 0) + 1


@dataclass
class Watcher(WrapperToolset[Any]):
    number: int = 0
    world: World = field(default_factory=World, compare=False)

    async def call_tool(self, name: str, tool_args: Any, ctx: Any, tool: Any) -> Any:
        assert (ctx.tool_name, tool.tool_def.name) == (name, name)
        self.world.calls.append((self.number, name))
        return await super().call_tool(name, tool_args, ctx, tool)


Stack = tuple[AbstractToolset[Any], Expected]


@st.composite
def stacks(draw: st.DrawFn, world: World, depth: int = 5) -> Stack:
    """Draw a stack together with what is expected of it."""
    kinds = ['leaf'] if depth == 0 else ['leaf', *WRAPPERS, 'combined', 'combined']
    kind = draw(st.sampled_from(kinds))
    if kind == 'leaf':
        number = len(world.entered)
        world.entered[number] = 0
        tools = draw(st.lists(NAMES, max_size=3, unique=True))
        text = draw(st.sampled_from([None, f'use {number}']))
        facts = {name: Fact(number, name) for name in tools}
        return Leaf(number, tools, text, world), Expected(facts, (text,) if text else (), (number,))
    if kind == 'combined':
        parts = draw(st.lists(stacks(world, depth - 1), max_size=3))
        tools: dict[str, Fact] | None = {}
        for _, expected in parts:
            if tools is None or expected.tools is None or tools.keys() & expected.tools.keys():
                tools = None
            else:
                tools.update(expected.tools)
        says = tuple(text for _, expected in parts for text in expected.says)
        leaves = tuple(leaf for _, expected in parts for leaf in expected.leaves)
        return CombinedToolset([toolset for toolset, _ in parts]), Expected(tools, says, leaves)
    return WRAPPERS[kind](draw, world, *draw(stacks(world, depth - 1)))


def prefix(draw: st.DrawFn, world: World, toolset: Any, expected: Expected) -> Stack:
    text = draw(PREFIXES)
    return toolset.prefixed(text), expected.changed(lambda name, fact: (f'{text}_{name}', fact))


def rename(draw: st.DrawFn, world: World, toolset: Any, expected: Expected) -> Stack:
    some = st.lists(st.sampled_from(sorted(expected.tools or {'a'})), unique=True, max_size=len(FIVE))
    old = draw(some) if expected.tools else []
    new = draw(st.lists(NAMES, min_size=len(old), max_size=len(old), unique=True))
    names = dict(zip(old, new))
    map_ = {renamed: original for original, renamed in names.items()}
    return toolset.renamed(map_), expected.changed(lambda name, fact: (names.get(name, name), fact))


def drop(draw: st.DrawFn, world: World, toolset: Any, expected: Expected) -> Stack:
    dropped = draw(st.sets(NAMES))
    if draw(st.booleans()):
        return toolset.filtered(lambda ctx, definition: definition.name not in dropped), expected.without(dropped)

    async def keeps(ctx: Any, definition: Any) -> bool:
        return definition.name not in dropped

    return toolset.filtered(keeps), expected.without(dropped)


def prepare(draw: st.DrawFn, world: World, toolset: Any, expected: Expected) -> Stack:
    dropped, in_place = draw(st.sets(NAMES)), draw(st.booleans())

    def function(ctx: Any, definitions: list[Any]) -> list[Any]:
        remaining = [definition for definition in definitions if definition.name not in dropped]
        if not in_place:
            return [replace(one, description=f'{one.description or ""}+{one.name}') for one in remaining]
        for one in remaining:
            one.description = f'{one.description or ""}+{one.name}'
        return remaining

    described = expected.without(dropped).changed(
        lambda name, fact: (name, replace(fact, description=f'{fact.description or ""}+{name}'))
    )
    return toolset.prepared(function), described


def metadata(draw: st.DrawFn, world: World, toolset: Any, expected: Expected) -> Stack:
    more = draw(st.dictionaries(st.sampled_from('xyz'), st.integers(0, 9), max_size=2))
    return toolset.with_metadata(**more), expected.changed(
        lambda name, fact: (name, replace(fact, metadata={**(fact.metadata or {}), **more}))
    )


def defer(draw: st.DrawFn, world: World, toolset: Any, expected: Expected) -> Stack:
    hidden = draw(st.none() | st.lists(st.sampled_from(sorted(expected.tools)))) if expected.tools else None
    return toolset.defer_loading(hidden), expected.changed(
        lambda name, fact: (name, replace(fact, deferred=fact.deferred or hidden is None or name in hidden))
    )


def describe_returns(draw: st.DrawFn, world: World, toolset: Any, expected: Expected) -> Stack:
    return toolset.include_return_schemas(), expected.changed(lambda name, fact: (name, replace(fact, returns=True)))


def ask(draw: st.DrawFn, world: World, toolset: Any, expected: Expected) -> Stack:
    about = draw(st.sets(NAMES))
    return toolset.approval_required(lambda ctx, definition, args: definition.name in about), expected.changed(
        lambda name, fact: (name, replace(fact, asks=fact.asks or name in about))
    )


def watch(draw: st.DrawFn, world: World, toolset: Any, expected: Expected) -> Stack:
    number = draw(st.integers(0, 99))
    return Watcher(toolset, number, world), expected.changed(
        lambda name, fact: (name, replace(fact, seen=(*fact.seen, (number, name))))
    )


def by_function(draw: st.DrawFn, world: World, toolset: Any, expected: Expected) -> Stack:
    dynamic = Agent('test')
    dynamic.toolset(per_run_step=draw(st.booleans()))(lambda ctx: toolset)
    return dynamic.toolsets[-1], expected


WRAPPERS: dict[str, Callable[..., Stack]] = {
    function.__name__: function
    for function in (prefix, rename, drop, prepare, metadata, defer, describe_returns, ask, watch, by_function)
}


async def in_a_step(toolset: AbstractToolset[Any], use: Callable[[AbstractToolset[Any], RunContext[Any]], Any]) -> Any:
    """Do what a run does with a toolset before its first step and after its last."""
    ctx = context(run_step=1)
    toolset = await toolset.for_run(ctx)
    async with CombinedToolset([toolset]) as opened:
        return await use(await opened.toolsets[0].for_run_step(ctx), ctx)


@given(st.data())
def test_a_stack_agrees_with_its_model(data: st.DataObject) -> None:
    world = World()
    toolset, expected = data.draw(stacks(world))

    async def check(step: AbstractToolset[Any], ctx: RunContext[Any]) -> None:
        parts = await step.get_instructions(ctx)
        assert [getattr(part, 'content', part) for part in parts or ()] == list(expected.says)
        leaves: list[AbstractToolset[Any]] = []
        step.apply(leaves.append)
        assert [leaf.id for leaf in leaves] == [f'leaf {number}' for number in expected.leaves]
        if expected.tools is None:
            with pytest.raises(UserError, match='name'):
                await step.get_tools(ctx)
            return
        tools = await step.get_tools(ctx)
        assert list(tools) == list(expected.tools)
        again = await step.visit_and_replace(lambda leaf: leaf).get_tools(ctx)
        assert {name: tool.tool_def for name, tool in again.items()} == {n: t.tool_def for n, t in tools.items()}
        for name, fact in expected.tools.items():
            definition = tools[name].tool_def
            assert (definition.name, definition.metadata, definition.description) == (
                name,
                fact.metadata,
                fact.description,
            )
            assert (definition.defer_loading, definition.include_return_schema) == (fact.deferred, fact.returns)
            await check_call(step, tools, name, fact)

    async def check_call(step: AbstractToolset[Any], tools: dict[str, Any], name: str, fact: Fact) -> None:
        ctx, approved = (context(run_step=1, tool_name=name, tool_call_approved=approval) for approval in (False, True))
        if fact.asks:
            with pytest.raises(ApprovalRequired):
                await step.call_tool(name, {'x': 5}, ctx, tools[name])
            ctx = approved
        world.calls.clear()
        assert await step.call_tool(name, {'x': 5}, ctx, tools[name]) == [fact.leaf, fact.own, fact.own, 5]
        assert world.calls == list(reversed(fact.seen))

    wait(in_a_step(toolset, check))
    assert {number: world.entered[number] for number in expected.leaves} == dict.fromkeys(expected.leaves, 1)
    assert world.exited == dict.fromkeys(expected.leaves, 1)


@given(st.data())
def test_a_stack_works_in_a_run(data: st.DataObject) -> None:
    world = World()
    toolset, expected = data.draw(stacks(world, 3))
    offered = [name for name, fact in (expected.tools or {}).items() if not fact.asks and not fact.deferred]
    agent = Agent(calling(*((name, {'x': '7'}) for name in offered)), toolsets=[toolset])
    if expected.tools is None:
        with pytest.raises(UserError, match='name'):
            agent.run_sync('go')
    else:
        messages = agent.run_sync('go', output_type=str).all_messages() if offered else []
        returned = [part.content for part in messages[2].parts] if offered else []  # type: ignore[union-attr]
        facts = [expected.tools[name] for name in offered]
        assert returned == [[fact.leaf, fact.own, fact.own, 7] for fact in facts]
        assert sorted(world.calls) == sorted(seen for fact in facts for seen in fact.seen)
    assert world.exited == {number: count for number, count in world.entered.items() if count}


@given(st.data())
def test_tools_with_a_version_do_not_depend_on_the_step(data: st.DataObject) -> None:
    toolset, expected = data.draw(stacks(World()))
    if expected.tools is None or not wait(toolset.tool_listing(context())).is_static:
        return
    listings = [wait(toolset.get_tools(context(deps=step, run_step=step))) for step in (1, 2)]
    first, second = ({name: tool.tool_def for name, tool in listing.items()} for listing in listings)
    assert first == second
