"""Toolsets that a function makes: when it is asked, what is open meanwhile, and what visitors see of it."""

from __future__ import annotations

from typing import Any

import pytest

from stead import RunContext
from stead.toolsets import AbstractToolset, WrapperToolset
from stead.toolsets._dynamic import DynamicToolset

from .kit import context, named, wait


def test_a_toolset_that_cannot_be_opened_does_not_leave_the_closed_one_in_its_place() -> None:
    class Broken(WrapperToolset[Any]):
        async def __aenter__(self) -> Any:
            raise OSError('refused')

    def make(ctx: RunContext[Any]) -> AbstractToolset[Any]:
        return named('a') if ctx.run_step == 1 else Broken(named('b'))

    async def main() -> list[list[str]]:
        dynamic: Any = DynamicToolset(make, per_run_step=True)
        offered: list[list[str]] = []
        async with dynamic:
            await dynamic.for_run_step(context(run_step=1))
            offered.append(list(await dynamic.get_tools(context(run_step=1))))
            with pytest.raises(OSError, match='refused'):
                await dynamic.for_run_step(context(run_step=2))
            offered.append(list(await dynamic.get_tools(context(run_step=2))))
        return offered

    assert wait(main()) == [['a'], []]


def test_a_toolset_made_once_a_run_is_asked_for_at_its_beginning_and_gone_at_its_end() -> None:
    steps: list[int] = []

    def make(ctx: RunContext[Any]) -> AbstractToolset[Any]:
        steps.append(ctx.run_step)
        return named('a')

    async def main() -> list[list[str]]:
        dynamic = DynamicToolset(make, per_run_step=False, id='dynamic')
        offered: list[list[str]] = []
        run: Any = await dynamic.for_run(context())
        async with run:
            for step in (1, 2):
                assert await run.for_run_step(context(run_step=step)) is run
                offered.append(list(await run.get_tools(context(run_step=step))))
        offered.append(list(await run.get_tools(context())))
        offered.append(list(await dynamic.get_tools(context())))
        assert run.id == 'dynamic'
        return offered

    assert wait(main()) == [['a'], ['a'], [], []]
    assert steps == [0]


def test_a_visitor_may_replace_what_a_function_returned() -> None:
    async def main() -> None:
        dynamic = DynamicToolset(lambda ctx: named('a'), per_run_step=False)
        run = await dynamic.for_run(context())
        seen: list[Any] = []
        run.apply(seen.append)
        other = run.visit_and_replace(lambda leaf: named('b'))
        assert [list(await leaf.get_tools(context())) for leaf in seen] == [['a']]
        assert (list(await run.get_tools(context())), list(await other.get_tools(context()))) == (['a'], ['b'])
        [(name, tool)] = (await other.get_tools(context())).items()
        assert await other.call_tool(name, {}, context(), tool) == 'b'
        assert list(await (await other.for_run_step(context())).get_tools(context())) == ['b']

    wait(main())
