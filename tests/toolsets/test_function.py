"""`FunctionToolset`: its arguments, what tools have from it, instructions, timeouts."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from typing import Any

import pytest

from stead import Agent, FunctionToolset, ModelRetry, RunContext, Tool
from stead.exceptions import ApprovalRequired, UnexpectedModelBehavior, UserError
from stead.messages import InstructionPart, RetryPromptPart
from stead.tools import GenerateToolJsonSchema, ToolDefinition
from stead.toolsets import ToolsetTool, WrapperToolset

from ..waiting import run_with_time_held
from .kit import calling, context, definitions, named, names, returns, tools_of, wait


def f(a: int = 0) -> int:
    return a


DEFAULTS: dict[str, tuple[Any, Any, str, Any]] = {
    # argument: value for the toolset, value for the tool, field of the definition, its value without either
    'strict': (True, False, 'strict', None),
    'sequential': (True, False, 'sequential', False),
    'requires_approval': (True, False, 'kind', 'function'),
    'defer_loading': (True, False, 'defer_loading', False),
    'include_return_schema': (True, False, 'include_return_schema', None),
    'metadata': ({'a': 1}, {'a': 2, 'b': 2}, 'metadata', None),
}
FIELD_VALUES: dict[tuple[str, bool], str] = {('kind', True): 'unapproved', ('kind', False): 'function'}


@pytest.mark.parametrize('argument', DEFAULTS)
def test_a_tool_has_what_it_does_not_set_from_the_toolset(argument: str) -> None:
    for_toolset, for_tool, name, default = DEFAULTS[argument]

    def field_value(value: Any) -> Any:
        return FIELD_VALUES.get((name, value), value) if isinstance(value, bool) else value

    assert definitions(FunctionToolset([f]), name) == {'f': default}
    toolset = FunctionToolset[Any]([f], **{argument: for_toolset})
    toolset.tool_plain(name='own', **{argument: for_tool})(f)
    assert definitions(toolset, name) == {'f': field_value(for_toolset), 'own': field_value(for_tool)}


def test_metadata_is_merged_and_that_of_the_tool_wins() -> None:
    toolset = FunctionToolset([Tool(f, metadata={'b': 2, 'c': 2})], metadata={'a': 1, 'b': 1})
    assert definitions(toolset, 'metadata') == {'f': {'a': 1, 'b': 2, 'c': 2}}


def test_retries_come_from_tool_or_toolset_or_context() -> None:
    tools = [Tool(f, name='own', max_retries=0), Tool(f, name='other')]
    limits = {
        toolset_limit: [
            tool.max_retries
            for tool in tools_of(
                FunctionToolset(map(replace_tool, tools), max_retries=toolset_limit), max_retries=7
            ).values()
        ]  # type: ignore[arg-type]
        for toolset_limit in (3, None)
    }
    assert limits == {3: [0, 3], None: [0, 7]}


def replace_tool(tool: Tool[Any]) -> Tool[Any]:
    return Tool(tool.function, name=tool.name, max_retries=tool.max_retries)


def test_options_for_schemas_hold_for_all_tools_of_the_toolset() -> None:
    class Numbers(GenerateToolJsonSchema):
        def int_schema(self, schema: Any) -> dict[str, Any]:
            return {'type': 'number'}

    def documented(a: int) -> None:
        """Do.

        Args:
            a: The a.
        """

    toolset = FunctionToolset[Any](require_parameter_descriptions=True, schema_generator=Numbers)
    toolset.add_function(documented)
    assert tools_of(toolset)['documented'].tool_def.parameters_json_schema['properties'] == {
        'a': {'description': 'The a.', 'type': 'number'}
    }
    with pytest.raises(UserError, match='description'):
        toolset.add_function(f)
    assert toolset.tool_plain(require_parameter_descriptions=False)(f) is f


def test_decorators_return_the_function_and_tell_context_from_arguments() -> None:
    toolset = FunctionToolset[int]()

    @toolset.tool
    def with_context(ctx: RunContext[int], a: int) -> int:
        return ctx.deps + a

    with pytest.warns(DeprecationWarning, match="that of 'renamed' does not.*`tool_plain`") as warned:

        @toolset.tool(name='renamed', retries=4)
        async def without(a: int) -> int:
            return a

    assert warned[0].filename == __file__
    with pytest.warns(DeprecationWarning, match="'alone'") as warned:

        @FunctionToolset[int]().tool
        def alone() -> None: ...

    assert warned[0].filename == __file__

    @toolset.tool_plain
    def plain(ctx: int) -> int:
        return ctx

    assert wait(without(3)) == plain(3) == 3
    assert {name: tool.takes_ctx for name, tool in toolset.tools.items()} == {
        'with_context': True,
        'renamed': False,
        'plain': False,
    }
    calls = (('with_context', {'a': 1}), ('renamed', {'a': 2}), ('plain', {'ctx': 3}))
    result = Agent(calling(*calls), toolsets=[toolset], deps_type=int).run_sync('go', deps=10)
    assert [part.content for part in result.all_messages()[2].parts] == [11, 2, 3]  # type: ignore[union-attr]


def test_a_name_that_is_taken_is_refused_and_nothing_changes() -> None:
    toolset = FunctionToolset([f], id='mine')
    for add in (lambda: toolset.add_function(f), lambda: toolset.add_tool(Tool(f)), lambda: toolset.tool_plain(f)):
        with pytest.raises(UserError, match="already is a tool named 'f' in FunctionToolset 'mine'"):
            add()
    assert names(toolset) == ['f']


def test_tools_registered_between_two_steps_are_there_in_the_next() -> None:
    toolset = named('a')

    @toolset.tool_plain
    def learn() -> None:
        if 'b' not in toolset.tools:
            del toolset.tools['a']
            toolset.add_tool(Tool(lambda: 'b', name='b'))

    seen: list[list[str]] = []

    def note(ctx: RunContext[Any], tool_defs: list[ToolDefinition]) -> list[ToolDefinition]:
        seen.append([definition.name for definition in tool_defs])
        return tool_defs

    Agent(calling(('learn', {})), toolsets=[toolset.prepared(note)]).run_sync('go')
    assert seen == [['a', 'learn'], ['learn', 'b']]
    seen.clear()
    first = toolset.tools_version
    toolset.tools['b'] = Tool(lambda: 'other', name='b')
    assert toolset.tools_version != first


# Instructions


def instructions_of(*sources: Any) -> Any:
    return wait(FunctionToolset(instructions=list(sources)).get_instructions(context(deps='deps')))


async def later(ctx: RunContext[str]) -> str:
    return f'later {ctx.deps}'


@pytest.mark.parametrize('nothing', ['', ' \n', lambda: None, lambda: '', lambda ctx: '  '])
def test_nothing_to_say(nothing: Any) -> None:
    assert instructions_of(nothing) is None
    assert instructions_of('a', nothing, 'b') == [InstructionPart(content='a'), InstructionPart(content='b')]


def test_text_is_static_and_what_functions_return_is_dynamic() -> None:
    assert instructions_of('text', lambda: 'plain', later) == [
        InstructionPart(content='text'),
        InstructionPart(content='plain', dynamic=True),
        InstructionPart(content='later deps', dynamic=True),
    ]


def test_instructions_may_be_registered_later() -> None:
    toolset = FunctionToolset[str](instructions=lambda: 'first')
    assert not toolset.has_static_instructions
    assert toolset.instructions(later) is later
    parts = wait(toolset.get_instructions(context(deps='x')))
    assert parts and [part.content for part in parts] == ['first', 'later x']  # type: ignore[union-attr]


@pytest.mark.parametrize('wrong', [5, ['text', 5], [None]])
def test_instructions_that_are_none_are_refused_at_once(wrong: Any) -> None:
    with pytest.raises(UserError, match="Instructions of FunctionToolset 'mine' must be text"):
        FunctionToolset(id='mine', instructions=wrong)


def test_instructions_functions_must_return_text() -> None:
    def number() -> Any:
        return 5

    with pytest.raises(UserError, match=r"'.*number' returned int: 5"):
        instructions_of(number)


# Prepare functions of tools


def test_prepare_may_change_hide_and_rename_a_tool() -> None:
    def prepared(function: Any) -> FunctionToolset[Any]:
        return FunctionToolset([Tool(f, prepare=function), *named('g').tools.values()])

    assert names(prepared(lambda ctx, definition: None)) == ['g']
    assert names(prepared(lambda ctx, definition: replace(definition, name='other'))) == ['other', 'g']
    assert returns(('other', {'a': 3}), toolsets=[prepared(lambda c, d: replace(d, name='other'))]) == [3]


@pytest.mark.parametrize('order', [1, -1])
def test_a_name_that_prepare_makes_ambiguous_is_an_error_that_names_the_function(order: int) -> None:
    tools = [Tool(f, prepare=lambda ctx, definition: replace(definition, name='g')), *named('g').tools.values()]
    with pytest.raises(UserError, match=r"have the name 'g' in this step: the prepare function of 'f' gave it"):
        tools_of(FunctionToolset(tools[::order]))


def test_prepare_is_told_about_the_tool_and_its_retries() -> None:
    contexts: list[Any] = []

    async def note(ctx: RunContext[Any], definition: ToolDefinition) -> ToolDefinition:
        contexts.append((ctx.tool_name, ctx.retry, ctx.max_retries))
        return definition

    tools_of(FunctionToolset([Tool(f, prepare=note, max_retries=4)]), retries={'f': 2})
    assert contexts == [('f', 2, 4)]


# Calls


async def slow() -> str:
    await asyncio.sleep(60)
    return 'never'


@pytest.mark.parametrize('sync', [False, True], ids=['slow', 'slow_sync'])
@pytest.mark.parametrize('where', ['tool', 'toolset'])
def test_a_timeout_of_tool_or_toolset(where: str, sync: bool) -> None:
    begun, release, ended = threading.Event(), threading.Event(), threading.Event()

    def slow_sync() -> str:
        begun.set()
        release.wait(30)
        ended.set()
        return 'late'

    function = slow_sync if sync else slow
    toolset = FunctionToolset[Any](timeout=0.02 if where == 'toolset' else 30, max_retries=1)
    toolset.add_function(function, name='slow', timeout=0.02 if where == 'tool' else None)
    agent = Agent(calling_for_ever('slow'), toolsets=[toolset])
    with pytest.raises(UnexpectedModelBehavior, match="'slow' exceeded max retries count of 1") as caught:
        run_with_time_held(asyncio.wait_for(agent.run('go'), 20), lambda: sync and not begun.is_set())
    assert not ended.is_set(), 'nobody waits for it'
    release.set()
    prompts = [part for message in caught.value.messages for part in message.parts if isinstance(part, RetryPromptPart)]
    goes_on = ' The call was not stopped, so it may still have completed.' if sync else ''
    assert [prompt.content for prompt in prompts] == [f'Timed out after 0.02 seconds.{goes_on}']


def calling_for_ever(name: str) -> Any:
    from ..loop.kit import call, script

    return script([call(name)])


def test_a_toolset_timeout_that_is_changed_later_applies() -> None:
    toolset = FunctionToolset([slow])
    toolset.timeout = 0.01
    tool = tools_of(toolset)['slow']
    with pytest.raises(ModelRetry, match=r'Timed out after 0\.01 seconds'):
        wait(toolset.call_tool('slow', {}, context(), tool))


def test_a_tool_record_of_a_wrapper_is_good_enough_to_call() -> None:
    class Fresh(WrapperToolset[Any]):
        async def get_tools(self, ctx: Any) -> Any:
            tools = await super().get_tools(ctx)
            return {
                name: ToolsetTool(
                    toolset=self, tool_def=tool.tool_def, max_retries=1, args_validator=tool.args_validator
                )
                for name, tool in tools.items()
            }

    assert returns(('f', {'a': 3}), toolsets=[Fresh(FunctionToolset([f]))]) == [3]
    tool = tools_of(Fresh(FunctionToolset([f])))['f']
    with pytest.raises(UserError, match=r"FunctionToolset 'mine' has no tool 'f'; there are \['a', 'b'\]"):
        wait(named('a', 'b', id='mine').call_tool('f', {}, context(), tool))


def test_the_tool_of_a_definition_needs_the_approval_that_the_definition_has_lost() -> None:
    toolset: FunctionToolset[None] = FunctionToolset()
    ran: list[int] = []

    @toolset.tool_plain(requires_approval=True)
    def pay(euros: int) -> None:
        ran.append(euros)

    async def check() -> None:
        ctx = context()
        listed = (await toolset.get_tools(ctx))['pay']
        assert listed.original_name == 'pay'  # type: ignore[reportAttributeAccessIssue]
        tool = toolset.tool_for_tool_def(
            replace(listed.tool_def, kind='function', name='p'), ctx=ctx, original_name='pay'
        )
        with pytest.raises(ApprovalRequired):
            await toolset.call_tool('p', {'euros': 5}, ctx, tool)
        with pytest.raises(KeyError):
            await toolset.get_tool_for_tool_def(replace(listed.tool_def, name='unknown'), ctx)

    asyncio.run(check())
    assert ran == []
