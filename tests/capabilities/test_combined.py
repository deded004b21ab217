"""What a combination of capabilities makes of their configuration."""

from __future__ import annotations

import asyncio
import inspect
from dataclasses import dataclass
from typing import Any

import pytest

from stead import Agent
from stead._contracts.hooks import HOOK_NAMES, POINTS
from stead.capabilities import (
    AbstractCapability,
    Capability,
    CombinedCapability,
    Hooks,
    SetToolMetadata,
    Thinking,
    WrapperCapability,
)
from stead.capabilities.abstract import leaf_capabilities
from stead.models.test import TestModel
from stead.native_tools import CodeExecutionTool
from stead.toolsets import FunctionToolset, WrapperToolset

from .kit import SUBJECTS, context, recorder


class Settings(AbstractCapability[None]):
    def __init__(self, layer: Any) -> None:
        self.layer = layer

    def get_model_settings(self) -> Any:
        return self.layer


def test_instructions_of_all_are_joined() -> None:
    def function(ctx: Any) -> str:
        return 'x'

    parts = [Capability[None](instructions=source) for source in ('a', None, ['b', function], function)]
    assert CombinedCapability(parts).get_instructions() == ['a', 'b', function, function]


def test_settings_of_later_ones_go_over_those_of_earlier_ones() -> None:
    combined = CombinedCapability([Settings({'temperature': 1, 'seed': 1}), Settings(None), Settings({'seed': 2})])
    assert combined.get_model_settings() == {'temperature': 1, 'seed': 2}
    dynamic = CombinedCapability([Settings({'seed': 1}), Settings(lambda ctx: {'top_k': sorted(ctx.model_settings)})])
    assert dynamic.get_model_settings()(context(model_settings={'top_p': 0.5})) == {  # type: ignore[misc]
        'seed': 1,
        'top_k': ['seed', 'top_p'],
    }


def test_wrapper_toolsets_nest() -> None:
    class Around(AbstractCapability[None]):
        def get_wrapper_toolset(self, toolset: Any) -> Any:
            return WrapperToolset(toolset)

    toolset = FunctionToolset[None]()
    wrapped: Any = CombinedCapability([Around(), Thinking(), Around()]).get_wrapper_toolset(toolset)
    assert wrapped.wrapped.wrapped is toolset
    assert CombinedCapability([Thinking()]).get_wrapper_toolset(toolset) is None


def test_wrapper_toolsets_are_made_for_each_run() -> None:
    """A wrapper may keep the state of a run, so runs do not share one."""
    wrappers: list[WrapperToolset[None]] = []

    @dataclass
    class Counting(WrapperToolset[None]):
        calls: int = 0

        async def call_tool(self, name: str, tool_args: Any, ctx: Any, tool: Any) -> Any:
            self.calls += 1
            return await super().call_tool(name, tool_args, ctx, tool)

    class Counts(AbstractCapability[None]):
        def get_wrapper_toolset(self, toolset: Any) -> Any:
            wrappers.append(Counting(toolset))
            return wrappers[-1]

    agent = Agent(
        TestModel(), capabilities=[SetToolMetadata(x=1), Counts(), Thinking(), SetToolMetadata(y=2), Counts()]
    )
    agent.tool_plain(lambda: 1, name='one')
    for _ in range(2):
        agent.run_sync('hi')
    assert [wrapper.calls for wrapper in wrappers] == [1, 1, 1, 1]  # type: ignore[attr-defined]
    inner, outer = wrappers[:2]
    assert any(toolset is inner for toolset in within(outer))


def within(toolset: Any) -> list[Any]:
    """Return the toolsets inside of another, outermost first."""
    found: list[Any] = []
    while (toolset := getattr(toolset, 'wrapped', None)) is not None:
        found.append(toolset)
    return found


def test_combined_ones_in_combined_ones_are_one_flat_list() -> None:
    one, two, three = Thinking(), Thinking(), Thinking()
    combined = CombinedCapability([one, CombinedCapability([two, CombinedCapability([three])])])
    assert combined.capabilities == [one, two, three]
    assert all(a is b for a, b in zip(leaf_capabilities(combined), (one, two, three)))


def test_native_tools_under_their_old_name() -> None:
    class Old(AbstractCapability[None]):
        def get_builtin_tools(self) -> Any:
            return [*super().get_builtin_tools(), CodeExecutionTool()]

    class New(AbstractCapability[None]):
        def get_native_tools(self) -> Any:
            return [*super().get_native_tools(), CodeExecutionTool()]

    for capability in (Old(), New(), CombinedCapability([New()]), WrapperCapability(Old())):
        assert len(capability.get_native_tools()) == len(capability.get_builtin_tools()) == 1


@pytest.mark.parametrize('point', POINTS, ids=lambda point: point.name)
def test_hooks_can_be_called_directly(point: Any) -> None:
    log: list[str] = []
    combined = WrapperCapability(CombinedCapability([recorder(point, name, log) for name in 'AB']))
    subjects = SUBJECTS[point.name]
    value = {point.value: 'in'} if point.value else {}
    seen = value if point.after_sees_value else {}

    async def handler(*_: Any) -> str:
        return 'out'

    async def go() -> None:
        if point.name == 'model_request':
            assert await combined.before_model_request(context(), 'in') == 'in'  # type: ignore[arg-type]
        else:
            assert await getattr(combined, point.before)(context(), **subjects, **value) == value.get(point.value)
        assert await getattr(combined, point.wrap)(context(), **subjects, **value, handler=handler) == 'out'
        assert await getattr(combined, point.after)(context(), **subjects, **{**seen, point.result: 'out'}) == 'out'
        with pytest.raises(KeyError):
            await getattr(combined, point.on_error)(context(), **subjects, **value, error=KeyError('x'))

    asyncio.run(go())
    order = [line.split()[0] for line in log]
    assert order[:6] == ['A.before', 'B.before', 'A.wrap', 'B.wrap', 'B.after', 'A.after']


@pytest.mark.parametrize('cls', [CombinedCapability, WrapperCapability, Hooks])
def test_derived_methods_look_like_those_they_stand_for(cls: type) -> None:
    def parameters(owner: type, name: str) -> list[tuple[str, Any]]:
        return [(p.name, p.kind) for p in inspect.signature(getattr(owner, name)).parameters.values()]

    for name in HOOK_NAMES:
        assert parameters(cls, name) == parameters(AbstractCapability, name), name
        assert getattr(cls, name).__name__ == name


class Inside(AbstractCapability[None]):
    def __init__(self, name: str, log: list[str]) -> None:
        self.name, self.log = name, log

    async def before_run(self, ctx: Any) -> None:
        self.log.append(self.name)

    def get_instructions(self) -> str:
        return self.name


def test_the_parts_of_a_wrapper_are_visited_and_still_run_once() -> None:
    log: list[str] = []
    inner = CombinedCapability([Inside('a', log), Inside('b', log)])
    wrapper = WrapperCapability[None](inner)
    assert leaf_capabilities(wrapper) == [wrapper, *inner.capabilities]
    result = Agent(TestModel(), capabilities=[CombinedCapability([wrapper])]).run_sync('hi')
    assert log == ['a', 'b']
    assert result.all_messages()[0].instructions == 'a\nb'  # type: ignore[union-attr]


class Deferred(AbstractCapability[None]):
    id = 'deferred'
    description = 'what it is for'
    defer_loading = True


@pytest.mark.parametrize(
    ('arguments', 'expected'),
    [
        ({}, ('deferred', 'what it is for', True)),
        ({'id': 'other'}, ('other', 'what it is for', True)),
        ({'description': None, 'defer_loading': False}, ('deferred', None, False)),
    ],
)
def test_what_is_passed_counts_more_than_the_body_of_the_class(arguments: Any, expected: Any) -> None:
    capability = Deferred(**arguments)
    assert (capability.id, capability.description, capability.defer_loading) == expected
