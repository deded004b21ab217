"""What toolsets promise in corners that are seldom visited."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import pytest

from stead import RunContext
from stead.toolsets import AbstractToolset, WrapperToolset
from stead.toolsets._dynamic import DynamicToolset

from .kit import context, named, tools_of, wait


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


def test_a_copy_of_a_users_wrapper_is_initialized_for_what_it_wraps() -> None:
    @dataclass
    class Loud(WrapperToolset[Any]):
        _: KW_ONLY
        mark: str
        sign: str = field(init=False)

        def __post_init__(self) -> None:
            self.sign = f'{self.wrapped.id}{self.mark}'

    copy = Loud(named('a', id='one'), mark='!').visit_and_replace(lambda leaf: named('b', id='two'))
    assert isinstance(copy, Loud)
    assert copy.sign == 'two!'


@pytest.mark.parametrize(
    'toolset',
    [named('b'), named('a').renamed({'b': 'a'}), named('b').filtered(lambda ctx, tool: True), named('b').prefixed('p')],
    ids=lambda toolset: type(toolset).__name__,
)
def test_the_toolset_of_a_listed_tool_can_call_it(toolset: AbstractToolset[Any]) -> None:
    [(name, tool)] = tools_of(toolset).items()
    assert wait(tool.toolset.call_tool(name, {}, context(), tool)) in ('a', 'b')
