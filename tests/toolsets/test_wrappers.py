"""The wrappers one by one: what they refuse, and what they leave alone."""

from __future__ import annotations

import asyncio
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any

import pytest
from pydantic_core import SchemaValidator, core_schema

from stead import Agent, FunctionToolset, RunContext, Tool
from stead._kit.warnings import PydanticAIDeprecationWarning
from stead.exceptions import ApprovalRequired, UserError
from stead.tools import DeferredToolRequests, ToolDefinition
from stead.toolsets import (
    AbstractToolset,
    ApprovalRequiredToolset,
    CombinedToolset,
    DeferredLoadingToolset,
    EffectToolset,
    ExternalToolset,
    IncludeReturnSchemasToolset,
    PreparedToolset,
    SetMetadataToolset,
    ToolsetTool,
    WrapperToolset,
)

from .kit import Watched, calling, context, definitions, named, names, returns, tools_of, wait


def wait_listing(toolset: Any) -> Any:
    return asyncio.run(toolset.tool_listing(context()))


def where(ctx: RunContext[Any], a: int = 0) -> list[Any]:
    return [ctx.tool_name, ctx.tool_call_id, a]


# Names


def test_tools_are_called_by_the_name_they_have_inside() -> None:
    toolset = FunctionToolset([where]).prefixed('p').renamed({'z': 'p_where'}).prefixed('q')
    assert returns(('q_z', {'a': '3'}), toolsets=[toolset]) == [['where', 'id_q_z', 3]]


def test_a_prefix_may_change_between_steps() -> None:
    toolset = named('a').prefixed('p')
    first = wait_listing(toolset)
    toolset.prefix = 'q'
    assert (names(toolset), wait_listing(toolset) is first) == (['q_a'], False)


def test_renaming_a_tool_that_does_not_exist_lists_those_that_do() -> None:
    with pytest.raises(
        UserError, match=r"refers to tools that do not exist: \['c'\]\. FunctionToolset has \['a', 'b'\]"
    ):
        names(named('a', 'b').renamed({'x': 'a', 'z': 'c'}))


def test_deferring_a_tool_that_does_not_exist_lists_those_that_do() -> None:
    with pytest.raises(UserError, match=r"do not exist: \['c'\]\. FunctionToolset 'mine' has \['a', 'b'\]"):
        names(named('a', 'b', id='mine').defer_loading(['a', 'c']))


def test_a_tool_that_comes_and_goes_may_be_missing() -> None:
    sometimes = named('a', 'b').filtered(lambda ctx, definition: definition.name != 'a' or ctx.run_step == 1)
    renamed, deferred = sometimes.renamed({'z': 'a'}), sometimes.defer_loading(['a'])
    assert [names(renamed, run_step=step) for step in (1, 2)] == [['z', 'b'], ['b']]
    assert [definitions(deferred, 'defer_loading', run_step=step) for step in (1, 2)] == [
        {'a': True, 'b': False},
        {'b': False},
    ]


@pytest.mark.parametrize('order', [['a', 'b'], ['b', 'a']])
def test_renaming_onto_a_tool_that_stays_is_an_error_that_names_both(order: list[str]) -> None:
    with pytest.raises(UserError, match="gives two tools the name 'b'") as caught:
        names(named(*order, id='mine').renamed({'b': 'a'}))
    assert "FunctionToolset 'mine' lists as" in str(caught.value)
    assert '`name_map`' in str(caught.value)


def test_names_may_change_places() -> None:
    toolset = named('a', 'b', 'c').renamed({'b': 'a', 'c': 'b', 'a': 'c'})
    assert names(toolset) == ['b', 'c', 'a']
    assert returns(('a', {}), ('b', {}), ('c', {}), toolsets=[toolset]) == ['c', 'a', 'b']


# Prepare and filter


def test_prepare_may_not_rename_or_add() -> None:
    def renamed(ctx: Any, tool_defs: list[ToolDefinition]) -> list[ToolDefinition]:
        return [replace(definition, name=f'x_{definition.name}') for definition in tool_defs]

    def added(ctx: Any, tool_defs: list[ToolDefinition]) -> list[ToolDefinition]:
        return [*tool_defs, ToolDefinition(name='new')]

    def renamed_in_place(ctx: Any, tool_defs: list[ToolDefinition]) -> list[ToolDefinition]:
        tool_defs[0].name = 'b'  # a name that exists, so that only the function knows whose it is
        return tool_defs[:1]

    for function, wrong in ((renamed, r"\['x_a', 'x_b'\]"), (added, r"\['new'\]"), (renamed_in_place, r"\['b'\]")):
        with pytest.raises(UserError, match=rf"returned tools {wrong}, where the tools are \['a', 'b'\]") as caught:
            names(named('a', 'b').prepared(function))
        assert '`RenamedToolset`' in str(caught.value)


def test_what_prepare_changes_in_place_is_gone_in_the_next_step() -> None:
    def describe(ctx: RunContext[Any], tool_defs: list[ToolDefinition]) -> list[ToolDefinition]:
        for definition in tool_defs:
            definition.description = f'{definition.description}, step {ctx.run_step}'
        return tool_defs

    toolset = FunctionToolset([Tool(where, description='Where')])
    wrapped = toolset.prepared(describe)
    for step in (1, 2):
        assert definitions(wrapped, 'description', run_step=step) == {'where': f'Where, step {step}'}
    assert definitions(toolset, 'description') == {'where': 'Where'}


def test_prepare_may_return_any_iterable_or_none_for_no_tools() -> None:
    assert names(named('a', 'b').prepared(lambda ctx, tool_defs: iter(tool_defs[1:]))) == ['b']  # type: ignore[arg-type, return-value]
    with pytest.warns(PydanticAIDeprecationWarning, match='returned `None`, which hides all tools'):
        assert names(named('a', 'b').prepared(lambda ctx, tool_defs: None)) == []


# Approval


async def over_limit(ctx: RunContext[Any], definition: ToolDefinition, args: dict[str, Any]) -> bool:
    return args['a'] > 10


@pytest.mark.parametrize('function', [over_limit, lambda ctx, definition, args: args['a'] > 10])
def test_approval_is_asked_for_where_the_function_says_so(function: Any) -> None:
    toolset = FunctionToolset([where]).approval_required(function)
    agent = Agent(
        calling(('where', {'a': 10}), ('where', {'a': 11})), toolsets=[toolset], output_type=[str, DeferredToolRequests]
    )
    output = agent.run_sync('go').output
    assert isinstance(output, DeferredToolRequests)
    assert [call.args for call in output.approvals] == [{'a': 11}]


def test_approval_by_hand() -> None:
    toolset = FunctionToolset([where]).approval_required()
    tool = tools_of(toolset)['where']
    with pytest.raises(ApprovalRequired):
        wait(toolset.call_tool('where', {}, context(), tool))
    assert wait(toolset.call_tool('where', {}, context(tool_name='where', tool_call_approved=True), tool)) == [
        'where',
        None,
        0,
    ]
    assert isinstance(toolset, ApprovalRequiredToolset)


# Definitions


def test_wrappers_of_definitions_are_prepared_toolsets() -> None:
    toolsets: list[AbstractToolset[Any]] = [
        named('a').defer_loading(),
        named('a').include_return_schemas(),
        named('a').with_metadata(x=1),
    ]
    for toolset in toolsets:
        assert isinstance(toolset, PreparedToolset)
        listed = [tool.tool_def for tool in tools_of(toolset).values()]
        wrapped = [tool.tool_def for tool in tools_of(toolset.wrapped).values()]  # type: ignore[reportUnknownMemberType]
        assert toolset.prepare_func(context(), wrapped) == listed  # type: ignore[reportUnknownMemberType]
    assert [type(toolset) for toolset in toolsets] == [
        DeferredLoadingToolset,
        IncludeReturnSchemasToolset,
        SetMetadataToolset,
    ]


def test_definitions_change_only_outside() -> None:
    inner = FunctionToolset([Tool(where, metadata={'a': 1})])
    outer = inner.with_metadata(a=2, b=2).defer_loading().include_return_schemas()
    assert definitions(outer, 'metadata') == {'where': {'a': 2, 'b': 2}}
    assert definitions(inner, 'metadata') == {'where': {'a': 1}}
    assert definitions(inner, 'defer_loading') == {'where': False}


def test_a_signature_that_was_asked_for_does_not_outlive_a_new_name() -> None:
    toolset = FunctionToolset([where])
    assert tools_of(toolset)['where'].tool_def.function_signature.name == 'where'
    renamed = tools_of(toolset.renamed({'here': 'where'}))['here'].tool_def
    assert renamed.function_signature.name == 'here'


# External tools


def test_external_tools_are_not_called() -> None:
    definition = ToolDefinition(name='e', kind='function')
    toolset = ExternalToolset[Any]([definition], id='mine')
    tool = tools_of(toolset)['e']
    assert (tool.tool_def.kind, definition.kind, tool.max_retries) == ('external', 'function', 0)
    with pytest.raises(
        NotImplementedError, match=r"'e' of ExternalToolset 'mine' is executed outside .* `deferred_tool"
    ):
        wait(toolset.call_tool('e', {}, context(), tool))


# What users bring


@dataclass(kw_only=True, slots=True)
class SlottedTool(ToolsetTool[Any]):
    answer: str


class Slotted(AbstractToolset[Any]):
    @property
    def id(self) -> str:
        return 'slotted'

    async def get_tools(self, ctx: Any) -> dict[str, ToolsetTool[Any]]:
        validator = SchemaValidator(core_schema.any_schema())
        definition = ToolDefinition(name='a')
        return {
            'a': SlottedTool(
                toolset=self, tool_def=definition, max_retries=1, args_validator=validator, answer='from a slot'
            )
        }

    async def call_tool(self, name: str, tool_args: Any, ctx: Any, tool: Any) -> Any:
        return tool.answer


def test_tool_records_of_users_arrive_whole() -> None:
    stack = Slotted().prefixed('p').with_metadata(m=1).renamed({'z': 'p_a'}).prepared(lambda ctx, tool_defs: tool_defs)
    assert returns(('z', {}), toolsets=[stack]) == ['from a slot']


def test_a_wrapper_enters_and_exits_what_it_wraps() -> None:
    inner = Watched(named('a', id='inner'), 'inner')

    async def enter() -> None:
        async with WrapperToolset(inner).prefixed('p') as entered:
            assert entered.id is None
            assert inner.log == ['enter inner']

    wait(enter())
    assert inner.log == ['enter inner', 'exit inner']


def test_a_tool_may_say_otherwise_about_its_return_schema() -> None:
    tools = [Tool(where, name='no', include_return_schema=False), Tool(where, name='yes')]
    assert definitions(FunctionToolset(tools).include_return_schemas(), 'include_return_schema') == {
        'no': False,
        'yes': True,
    }


class Shouting(WrapperToolset[Any]):
    async def call_tool(self, name: str, tool_args: dict[str, Any], ctx: Any, tool: Any) -> Any:
        return f'{await super().call_tool(name, tool_args, ctx, tool)}!'


@pytest.mark.parametrize(
    'wrap',
    [
        lambda toolset: toolset,
        lambda toolset: toolset.prefixed('p').renamed({'a': 'p_a'}),
        lambda toolset: toolset.filtered(lambda ctx, definition: True),
        lambda toolset: toolset.prepared(lambda ctx, tool_defs: tool_defs),
        lambda toolset: toolset.with_metadata(x=1).include_return_schemas().defer_loading([]),
        lambda toolset: toolset.approval_required(lambda ctx, definition, args: False),
        lambda toolset: WrapperToolset(toolset),
        lambda toolset: lambda ctx: toolset,
    ],
)
@pytest.mark.filterwarnings('ignore:The return schema of tool')
def test_a_call_passes_a_wrapper_of_the_user_under_any_other(wrap: Any) -> None:
    assert returns(('a', {}), toolsets=[wrap(Shouting(Shouting(named('a'))))]) == ['a!!']


def test_a_wrapper_that_overrides_the_listing_is_asked_at_every_step() -> None:
    class Growing(WrapperToolset[Any]):
        async def get_tools(self, ctx: RunContext[Any]) -> Any:
            tools = await super().get_tools(ctx)
            return dict(list(tools.items())[: ctx.run_step])

    growing = Growing(named('a', 'b', 'c'))
    assert [names(growing, run_step=step) for step in (1, 2)] == [['a'], ['a', 'b']]
    for toolset in (growing, growing.prefixed('p'), WrapperToolset(growing), growing.with_metadata(a=1)):
        assert not wait_listing(toolset).is_static
    assert wait_listing(named('a').prefixed('p').with_metadata(a=1)).is_static


class Counting(WrapperToolset[Any]):
    """Has an `__init__` of its own, as classes have."""

    def __init__(self, inner: AbstractToolset[Any], calls: list[str] | None = None) -> None:
        super().__init__(inner)
        self.calls = calls if calls is not None else []

    async def call_tool(self, name: str, tool_args: dict[str, Any], ctx: Any, tool: Any) -> Any:
        self.calls.append(name)
        return await super().call_tool(name, tool_args, ctx, tool)


class PerRun(WrapperToolset[Any]):
    async def for_run(self, ctx: Any) -> Any:
        return self.wrapped


def test_a_wrapper_with_arguments_of_its_own_is_copied_for_runs_and_visitors() -> None:
    calls: list[str] = []
    assert returns(('a', {}), toolsets=[Counting(PerRun(named('a')), calls)]) == ['a']
    assert calls == ['a']
    visited = Counting(named('a'), calls).visit_and_replace(lambda leaf: named('b'))
    assert isinstance(visited, Counting)
    assert (visited.calls is calls, names(visited)) == (True, ['b'])


def test_a_combination_with_arguments_of_its_own_is_copied_too() -> None:
    class Mine(CombinedToolset[Any]):
        def __init__(self, *toolsets: AbstractToolset[Any]) -> None:
            super().__init__(list(toolsets))

    assert returns(('b', {}), toolsets=[Mine(PerRun(named('a')), named('b'))]) == ['b']
    visited = Mine(named('a')).visit_and_replace(lambda leaf: named('b'))
    assert (type(visited), names(visited)) == (Mine, ['b'])


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


@pytest.mark.parametrize('method', ['filtered', 'prepared', 'approval_required'])
def test_what_a_wrapper_is_given_must_be_a_function(method: str) -> None:
    with pytest.raises(UserError, match=r'must be a function, not \'yes\''):
        getattr(named('a'), method)('yes')


def lambda_named(name: str) -> Tool[Any]:
    return Tool(lambda: name, name=name)


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
