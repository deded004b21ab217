"""The decorators: functions of every shape, with and without options."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import pytest

from stead import Agent, ModelRetry, RunContext, UserError
from stead.toolsets import FunctionToolset

from ..loop.kit import call, calling, script, text


def returned(agent: Agent[Any, Any], **options: Any) -> list[Any]:
    return [
        part.content
        for message in agent.run_sync('go', **options).all_messages()
        for part in message.parts
        if part.part_kind == 'tool-return'
    ]


def test_decorators_give_the_function_back():
    agent = Agent('test')

    def with_context(ctx: RunContext) -> str:
        return 'x'

    def without() -> str:
        return 'x'

    def check(value: str) -> str:
        return value

    assert agent.tool(with_context) is with_context
    assert agent.tool(name='other')(with_context) is with_context
    assert agent.tool_plain(without) is without
    assert agent.tool_plain(name='another')(without) is without
    assert agent.system_prompt(without) is without
    assert agent.system_prompt(dynamic=True)(with_context) is with_context
    assert agent.instructions(without) is without
    assert agent.instructions()(with_context) is with_context
    assert agent.output_validator(check) is check

    def toolset_function(ctx: RunContext) -> None:
        return None

    assert agent.toolset(toolset_function) is toolset_function
    assert agent.toolset(per_run_step=False)(toolset_function) is toolset_function
    assert agent.run_sync('go').output


def test_tools_of_every_shape():
    agent = calling(*[call(name, {'n': 1}) for name in ('sync', 'async_', 'method', 'part', 'object_')], deps_type=int)

    @agent.tool_plain
    def sync(n: int) -> str:
        return f'sync {n}'

    @agent.tool
    async def async_(ctx: RunContext[int], n: int) -> str:
        return f'async {n} {ctx.deps}'

    class Things:
        def method(self, ctx: RunContext[int], n: int) -> str:
            return f'method {n} {ctx.deps}'

        def __call__(self, n: int) -> str:
            return f'object {n}'

    def two(word: str, n: int) -> str:
        return f'{word} {n}'

    agent.tool(Things().method)
    agent.tool_plain(name='part')(partial(two, 'partial'))
    agent.tool_plain(name='object_')(Things())
    assert returned(agent, deps=7) == ['sync 1', 'async 1 7', 'method 1 7', 'partial 1', 'object 1']


def test_options_of_tools_reach_the_model():
    seen: Any = []
    agent = Agent(script(text('ok'), seen=seen))

    @agent.tool_plain(name='renamed', description='for the model', strict=True, metadata={'k': 1}, sequential=True)
    def original(n: int) -> int:
        """Not this."""
        return n

    agent.run_sync('go')
    (definition,) = seen[0][1].function_tools
    assert (definition.name, definition.description) == ('renamed', 'for the model')
    assert (definition.strict, definition.metadata, definition.sequential) == (True, {'k': 1}, True)


def test_docstrings_describe_tools_and_parameters():
    seen: Any = []
    agent = Agent(script(text('ok'), seen=seen))

    @agent.tool_plain
    def add(a: int, b: int = 2) -> int:
        """Add numbers.

        Args:
            a: The first.
            b: The second.
        """
        return a + b

    agent.run_sync('go')
    (definition,) = seen[0][1].function_tools
    properties = definition.parameters_json_schema['properties']
    assert definition.description == 'Add numbers.'
    assert [properties[name]['description'] for name in 'ab'] == ['The first.', 'The second.']
    with pytest.raises(UserError, match="'bare'"):

        @agent.tool_plain(require_parameter_descriptions=True)
        def bare(a: int) -> int:
            """Do it."""
            return a


def test_two_tools_of_one_name_are_refused():
    agent = Agent('test')
    agent.tool_plain(name='t')(lambda: 1)
    with pytest.raises(UserError, match="'t'"):
        agent.tool_plain(name='t')(lambda: 2)
    other = FunctionToolset[Any]()
    other.add_function(lambda: 3, name='t', takes_ctx=False)
    with pytest.raises(UserError, match="'t'"):
        agent.run_sync('go', toolsets=[other])


def test_the_wrong_decorator_for_a_function_says_which_is_right():
    agent = Agent('test')
    with pytest.raises(UserError, match='`tool`'):

        @agent.tool_plain
        def wants(ctx: RunContext) -> str:
            return 'x'

    with pytest.raises(UserError, match='`tool_plain`'):

        @agent.tool  # type: ignore[arg-type]
        def lacks(n: int) -> str:
            return 'x'


@pytest.mark.parametrize('wrong', [5, 'text', None.__class__()])
def test_only_functions_can_be_tools(wrong: Any):
    agent = Agent('test')
    if wrong is None:
        assert callable(agent.tool(wrong)), 'without a function it waits for one'
        return
    with pytest.raises(UserError, match='A tool must be a function'):
        agent.tool(wrong)


def test_tools_can_be_added_between_runs():
    agent = Agent('test')
    assert agent.run_sync('go').output == 'success (no tool calls)'
    agent.tool_plain(name='late')(lambda: 'x')
    assert agent.run_sync('go').output == '{"late":"x"}'


def test_toolset_functions_are_called_for_every_step_or_every_run():
    log: list[str] = []
    agent = Agent(script([call('t')], text('ok'), [call('t')], text('ok')))
    agent.tool_plain(name='t')(lambda: 1)

    @agent.toolset
    def each_step(ctx: RunContext) -> Any:
        log.append('step')
        return FunctionToolset[Any]()

    @agent.toolset(per_run_step=False)
    async def each_run(ctx: RunContext) -> Any:
        log.append('run')
        return None

    agent.run_sync('go')
    assert sorted(log) == ['run', 'step', 'step']


def test_toolset_functions_see_the_run():
    agent = Agent('test', deps_type=str)

    @agent.toolset
    def by_deps(ctx: RunContext[str]) -> Any:
        toolset = FunctionToolset[Any]()
        toolset.add_function(lambda: 'x', name=f'tool_of_{ctx.deps}', takes_ctx=False)
        return toolset

    assert agent.run_sync('go', deps='ann').output == '{"tool_of_ann":"x"}'
    assert agent.run_sync('go', deps='bob').output == '{"tool_of_bob":"x"}'


def test_output_validators_of_every_shape():
    agent = Agent(script(text('a')), deps_type=str)

    @agent.output_validator
    def first(value: str) -> str:
        return value + '1'

    @agent.output_validator
    def second(ctx: RunContext[str], value: str) -> str:
        return value + ctx.deps

    @agent.output_validator
    async def third(value: str) -> str:
        await asyncio.sleep(0)
        return value + '3'

    @agent.output_validator
    async def fourth(ctx: RunContext[str], value: str) -> str:
        return value + str(ctx.run_step)

    assert agent.run_sync('go', deps='2').output == 'a1231'


def test_an_output_validator_sees_outputs_of_tools():
    agent = Agent(
        script([call('final_result', {'response': 1})], [call('final_result', {'response': 20})]), output_type=int
    )

    @agent.output_validator
    def big(value: int) -> int:
        if value < 10:
            raise ModelRetry('bigger')
        return value * 2

    result = agent.run_sync('go')
    retry: Any = result.all_messages()[2].parts[0]
    assert result.output == 40
    assert (retry.content, retry.tool_name) == ('bigger', 'final_result')


@pytest.mark.parametrize('decorator', ['system_prompt', 'output_validator', 'instructions'])
def test_other_decorators_refuse_what_cannot_be_called(decorator: str):
    with pytest.raises((UserError, TypeError), match='5'):
        getattr(Agent('test'), decorator)(5)
