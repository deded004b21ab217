"""`CombinedToolset` and dynamic toolsets."""

from __future__ import annotations

import asyncio
import gc
import weakref
from typing import Any

import pytest

from stead import Agent, FunctionToolset, RunContext
from stead.exceptions import UserError
from stead.toolsets import AbstractToolset, CombinedToolset, ToolsetTool, WrapperToolset

from ..waiting import run_in_virtual_time
from .kit import Watched, calling, context, named, names, returns, tools_of, wait


def refused(*toolsets: AbstractToolset[Any]) -> str:
    with pytest.raises(UserError) as caught:
        names(CombinedToolset(toolsets))
    return str(caught.value)


def test_a_conflict_names_the_tool_both_toolsets_and_the_remedy() -> None:
    one, two = named('a', 'b', id='one'), named('b', id='two')
    remedy = 'Rename the tool or wrap the toolset in a `PrefixedToolset` to avoid name conflicts.'
    assert refused(one, two) == (
        f"Two tools have the name 'b': one of FunctionToolset 'one', and one of FunctionToolset 'two'. {remedy}"
    )
    assert refused(one, named('p_a').renamed({'b': 'p_a'})).endswith(
        'and one of RenamedToolset(FunctionToolset). Change the `name_map` attribute to avoid name conflicts.'
    )
    assert 'Change the `prefix` attribute' in refused(named('p_a'), named('a').prefixed('p'))


def test_a_conflict_of_nested_toolsets_names_those_inside() -> None:
    inner = CombinedToolset([named('x', id='x'), named('b', id='two')])
    assert "one of FunctionToolset 'one', and one of FunctionToolset 'two'" in refused(named('b', id='one'), inner)


def test_a_conflict_of_toolsets_without_ids_tells_them_apart_anyway() -> None:
    assert 'one of FunctionToolset, and one of another FunctionToolset (an `id`' in refused(named('a'), named('a'))
    same = named('a', id='same')
    assert "FunctionToolset 'same' is combined with itself" in refused(same, same)


def test_a_conflict_with_a_tool_of_the_agent() -> None:
    agent = Agent('test', toolsets=[named('a', id='mine')])
    agent.tool_plain(name='a')(lambda: 1)
    with pytest.raises(UserError, match="one of the agent, and one of FunctionToolset 'mine'"):
        agent.run_sync('go')


def test_a_tool_listed_under_another_name_than_its_own_is_refused() -> None:
    class Renaming(WrapperToolset[Any]):
        async def get_tools(self, ctx: Any) -> Any:
            return {f'x_{name}': tool for name, tool in (await super().get_tools(ctx)).items()}

    assert "lists a tool as 'x_a', but its definition has the name 'a'" in refused(Renaming(named('a')))


def test_a_tool_of_somebody_else_is_refused() -> None:
    tool = tools_of(named('z'))['z']
    with pytest.raises(UserError, match=r"has no tool 'z'; there are \['a', 'b'\]"):
        wait(CombinedToolset([named('a'), named('b')]).call_tool('z', {}, context(), tool))


class Slow(WrapperToolset[Any]):
    """Takes its time to answer, as one that asks a server."""

    async def get_tools(self, ctx: Any) -> Any:
        await asyncio.sleep(0.05)
        return await super().get_tools(ctx)

    async def get_instructions(self, ctx: Any) -> Any:
        await asyncio.sleep(0.05)
        return self.wrapped.label

    async def for_run(self, ctx: Any) -> Any:
        await asyncio.sleep(0.05)
        return self

    async def for_run_step(self, ctx: Any) -> Any:
        await asyncio.sleep(0.05)
        return self


@pytest.mark.parametrize('method', ['get_tools', 'get_instructions', 'for_run', 'for_run_step'])
def test_toolsets_that_take_their_time_are_asked_at_once(method: str) -> None:
    combined = CombinedToolset([Slow(named(name, id=name)) for name in 'abcd'])

    async def main() -> tuple[Any, float]:
        return await getattr(combined, method)(context()), asyncio.get_running_loop().time()

    answer, took = run_in_virtual_time(main())
    assert took < 0.06
    expected = {
        'get_tools': ['a', 'b', 'c', 'd'],
        'get_instructions': [f'FunctionToolset {name!r}' for name in 'abcd'],
    }
    assert list(answer) == expected[method] if method in expected else answer is combined


def test_when_one_fails_to_list_its_tools_the_others_stop_listing_theirs() -> None:
    stopped: list[bool] = []

    class Endless(WrapperToolset[Any]):
        async def get_tools(self, ctx: Any) -> Any:
            try:
                await asyncio.sleep(60)
            finally:
                stopped.append(True)

    class Failing(WrapperToolset[Any]):
        async def get_tools(self, ctx: Any) -> Any:
            await asyncio.sleep(0)
            raise RuntimeError('no connection')

    with pytest.raises(RuntimeError, match='no connection'):
        tools_of(CombinedToolset([Endless(named('a')), Failing(named('b'))]))
    assert stopped == [True]


def test_a_subclass_stays_what_it_is_for_runs_and_visitors() -> None:
    class Mine(CombinedToolset[Any]):
        pass

    class PerRun(WrapperToolset[Any]):
        async def for_run(self, ctx: Any) -> Any:
            return named('run')

    mine = Mine([PerRun(named('a')), named('b')])
    of_run = wait(mine.for_run(context()))
    assert (type(of_run), names(of_run), names(mine)) == (Mine, ['run', 'b'], ['a', 'b'])
    assert type(mine.visit_and_replace(lambda leaf: leaf)) is Mine


# Toolsets that functions make


def test_a_function_that_returns_no_toolset_is_named() -> None:
    def wrong(ctx: RunContext[Any]) -> Any:
        return [1]

    with pytest.raises(UserError, match=r"toolset function '.*wrong' returned list: \[1\]\. Return a toolset"):
        Agent('test', toolsets=[wrong]).run_sync('go')


@pytest.mark.parametrize('per_run_step', [True, False])
def test_what_a_function_makes_is_entered_once_and_exited_once(per_run_step: bool) -> None:
    log: list[str] = []
    agent = Agent(calling(('a', {})))

    @agent.toolset(per_run_step=per_run_step)
    async def make(ctx: RunContext[Any]) -> AbstractToolset[Any]:
        return Watched(named('a'), f'{ctx.run_step}', log)

    agent.run_sync('go')
    assert log == (['enter 1', 'exit 1', 'enter 2', 'exit 2'] if per_run_step else ['enter 0', 'exit 0'])


def test_the_same_toolset_again_stays_entered() -> None:
    log: list[str] = []
    same = Watched(named('a'), 'same', log)
    assert returns(('a', {}), toolsets=[lambda ctx: same]) == ['a']
    assert log == ['enter same', 'exit same']


def test_a_toolset_for_the_run_is_made_once_of_what_a_function_returns_again() -> None:
    log: list[str] = []

    class PerRun(WrapperToolset[Any]):
        async def for_run(self, ctx: Any) -> Any:
            return Watched(self.wrapped, f'made in {ctx.run_step}', log)

    same = PerRun(named('a'))
    assert returns(('a', {}), toolsets=[lambda ctx: same]) == ['a']
    assert log == ['enter made in 1', 'exit made in 1']


@pytest.mark.parametrize('what', ['enter', 'exit'])
def test_when_an_exchange_fails_nothing_is_exited_twice(what: str) -> None:
    log: list[str] = []
    failing_step = {'enter': 2, 'exit': 1}[what]

    def make(ctx: RunContext[Any]) -> AbstractToolset[Any]:
        return Watched(named('a'), f'{ctx.run_step}', log, what if ctx.run_step == failing_step else '')

    with pytest.raises(RuntimeError, match=f'{failing_step} failed to {what}'):
        Agent(calling(('a', {})), toolsets=[make]).run_sync('go')
    assert log == ['enter 1', 'exit 1', *(['enter 2'] if what == 'enter' else [])]


def test_runs_at_once_have_toolsets_of_their_own() -> None:
    agent = Agent(calling(('who', {})), deps_type=str)

    @agent.toolset
    def make(ctx: RunContext[str]) -> FunctionToolset[Any]:
        toolset = FunctionToolset[Any]()

        @toolset.tool_plain
        async def who() -> str:
            await asyncio.sleep(0.01)
            return ctx.deps

        return toolset

    async def main() -> list[Any]:
        results = await asyncio.gather(*(agent.run('go', deps=name) for name in 'abc'))
        return [result.all_messages()[2].parts[0].content for result in results]  # type: ignore[union-attr]

    assert wait(main()) == ['a', 'b', 'c']


def test_a_tool_of_a_toolset_that_was_not_made_cannot_be_called() -> None:
    dynamic = Agent('test', toolsets=[lambda ctx: named('a')]).toolsets[-1]
    assert names(dynamic) == []
    with pytest.raises(UserError, match=r"DynamicToolset has no tool 'a': its function has not returned a toolset"):
        wait(dynamic.call_tool('a', {}, context(), tools_of(named('a'))['a']))


def test_before_it_is_made_visitors_see_the_toolset_of_a_function_itself() -> None:
    dynamic = Agent('test', toolsets=[lambda ctx: named('a')]).toolsets[-1]
    seen: list[AbstractToolset[Any]] = []
    dynamic.prefixed('p').apply(seen.append)
    assert seen == [dynamic]
    assert names(dynamic.prefixed('p').visit_and_replace(lambda leaf: named('b'))) == ['p_b']


def test_a_tool_record_of_a_wrapper_around_several_is_good_enough_to_call() -> None:
    class Fresh(WrapperToolset[Any]):
        async def get_tools(self, ctx: Any) -> Any:
            fields = ('tool_def', 'max_retries', 'args_validator')
            tools = await super().get_tools(ctx)
            return {
                name: ToolsetTool(toolset=self, **{field: getattr(tool, field) for field in fields})
                for name, tool in tools.items()
            }

    assert returns(('b', {}), toolsets=[Fresh(CombinedToolset([named('a'), named('b')]))]) == ['b']


def test_a_conflict_with_a_wrapped_toolset_names_the_wrapper() -> None:
    combined = CombinedToolset([named('my_a', id='one'), named('a', id='two').prefixed('my')])
    with pytest.raises(UserError, match=r"'my_a': one of .*'one'.*, and one of PrefixedToolset\(.*'two'.*\)\."):
        tools_of(combined)


def test_a_loop_that_has_ended_is_not_kept() -> None:
    class Connected(FunctionToolset[Any]):
        async def __aenter__(self) -> Any:
            return self

    combined = CombinedToolset([Connected(), Connected()])

    async def main() -> Any:
        async with combined:
            return weakref.ref(asyncio.get_running_loop())

    loop = asyncio.run(main())
    gc.collect()
    assert loop() is None
