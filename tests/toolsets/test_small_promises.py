"""What toolsets promise in corners that are seldom visited."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import pytest
from pydantic_core import SchemaValidator, core_schema

from stead import FunctionToolset, ModelRetry, RunContext, Tool, UserError
from stead.tools import ToolDefinition
from stead.toolsets import AbstractToolset, EffectToolset, ToolsetTool, WrapperToolset
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


@dataclass
class Listing(AbstractToolset[Any]):
    """A toolset that lists definitions as they are."""

    definitions: list[ToolDefinition]

    @property
    def id(self) -> str | None:
        return 'fixed'

    async def get_tools(self, ctx: RunContext[Any]) -> dict[str, ToolsetTool[Any]]:
        validator = SchemaValidator(core_schema.any_schema())
        return {
            one.name: ToolsetTool(toolset=self, tool_def=one, max_retries=1, args_validator=validator)
            for one in self.definitions
        }

    async def call_tool(self, name: str, tool_args: Any, ctx: RunContext[Any], tool: Any) -> Any:
        return name


def test_a_definition_under_another_name_is_the_same_object_until_it_changes() -> None:
    definition = ToolDefinition(name='look', description='Look.')
    toolset = Listing([definition]).prefixed('my')
    first, again = (tools_of(toolset)['my_look'].tool_def for _ in range(2))
    assert first is again, 'what is cached for it remains valid'
    definition.description = 'Look closely.'
    assert tools_of(toolset)['my_look'].tool_def.description == 'Look closely.'
    assert first.description == 'Look.'


def test_a_copy_has_what_is_made_for_each_toolset_for_itself() -> None:
    @dataclass(init=False)
    class Noting(WrapperToolset[Any]):
        notes: list[str] = field(default_factory=lambda: [], init=False)

        def __init__(self, name: str, wrapped: AbstractToolset[Any]) -> None:
            super().__init__(wrapped)
            self.name, self.notes = name, []

    noting = Noting('one', named('a'))
    noting.notes.append('before')
    copy = noting.visit_and_replace(lambda leaf: named('b'))
    assert isinstance(copy, Noting)
    assert (copy.name, copy.notes, noting.notes) == ('one', [], ['before'])


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


@pytest.mark.parametrize('method', ['filtered', 'prepared', 'approval_required'])
def test_what_a_wrapper_is_given_must_be_a_function(method: str) -> None:
    with pytest.raises(UserError, match=r'must be a function, not \'yes\''):
        getattr(named('a'), method)('yes')


def test_a_toolset_says_what_its_tools_do_unless_they_say_so_themselves() -> None:
    def ask(call: Any) -> None:
        raise AssertionError('it is not called')

    own = Tool(lambda: None, name='own', effect='read')
    limited = Tool(lambda: None, name='limited', max_calls=3)
    tools = tools_of(EffectToolset(FunctionToolset([lambda_named('plain'), own, limited]), 'idempotent', ask))
    assert {name: (tool.policy.effect, tool.policy.reconcile) for name, tool in tools.items()} == {
        'plain': ('idempotent', ask),
        'own': ('read', ask),
        'limited': ('idempotent', ask),
    }
    assert tools['limited'].policy.max_calls == 3
    with pytest.raises(UserError, match="must be one of .* not 'none of these'"):
        EffectToolset(named('a'), 'none of these')  # type: ignore[arg-type]


def lambda_named(name: str) -> Tool[Any]:
    return Tool(lambda: name, name=name)


def test_no_time_at_all_is_said_to_the_model_and_the_tool_does_not_run() -> None:
    ran: list[str] = []
    toolset = FunctionToolset([Tool(lambda: ran.append('ran'), name='quick')], timeout=0)
    [(name, tool)] = tools_of(toolset).items()
    with pytest.raises(ModelRetry, match='Timed out after 0 seconds'):
        wait(toolset.call_tool(name, {}, context(), tool))
    assert ran == []
