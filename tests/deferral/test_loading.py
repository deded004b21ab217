"""Deferred capabilities: the catalog, the loader, and the whole bundle with the next request."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest

from stead import Agent, RunContext
from stead.capabilities import (
    AbstractCapability,
    Capability,
    NativeTool,
    ProcessHistory,
    ToolSearch,
    WrapperCapability,
)
from stead.exceptions import UserError
from stead.messages import (
    LoadCapabilityCallPart,
    LoadCapabilityReturnPart,
    ModelMessage,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    ToolSearchCallPart,
    ToolSearchReturnPart,
    UserPromptPart,
)
from stead.models.test import TestModel
from stead.native_tools import WebSearchTool
from stead.toolsets import FunctionToolset, WrapperToolset

from .kit import call, deferred, function, load, parts, scripted

CATALOG = 'The following capabilities are deferred and can be loaded using the `load_capability` tool:'


def test_a_capability_is_hidden_until_it_is_loaded() -> None:
    agent, script = scripted(
        load('refunds'), call('refund'), instructions='Base.', capabilities=[deferred('refunds', 'refund')]
    )
    result = agent.run_sync('go')
    assert script.names == [
        ['load_capability', 'search_tools'],
        ['load_capability', 'refund', 'search_tools'],
        ['load_capability', 'refund', 'search_tools'],
    ]
    assert {info.instructions for info in script.sent} == {f'Base.\n\n{CATALOG}\n- refunds: About refunds.'}
    [loaded] = parts(result.all_messages(), LoadCapabilityReturnPart)
    assert loaded.instructions == 'How to refunds.'
    assert parts(result.all_messages(), LoadCapabilityCallPart)[0].capability_id == 'refunds'


def test_the_model_is_told_of_the_tools_that_came() -> None:
    agent, _ = scripted(load('b', 'a'), capabilities=[deferred('b', 'second'), deferred('a', 'first')])
    messages = agent.run_sync('go').new_messages()
    [search], [found] = parts(messages, ToolSearchCallPart), parts(messages, ToolSearchReturnPart)
    assert search.queries == ['a', 'b']
    assert [tool['name'] for tool in found.discovered_tools] == ['first', 'second']
    assert search.tool_call_id == found.tool_call_id
    assert all(message.run_id for message in messages)


def test_nothing_is_announced_of_a_capability_without_tools() -> None:
    agent, script = scripted(load('a'), capabilities=[deferred('a')])
    assert parts(agent.run_sync('go').all_messages(), ToolSearchCallPart) == []
    assert script.names == [['load_capability']] * 2


def test_an_unknown_id_is_answered_with_the_known_ones() -> None:
    agent, _ = scripted(load('a'), load('nobody'), capabilities=[deferred('a'), deferred('b'), deferred('c')])
    [retry] = parts(agent.run_sync('go').all_messages(), RetryPromptPart)
    assert retry.content == "No capability found with id 'nobody'. Capabilities that can be loaded: 'b', 'c'."


def test_what_is_there_already_is_not_loaded_again() -> None:
    agent, _ = scripted(load('always'), capabilities=[deferred('a'), Capability(id='always')])
    [retry] = parts(agent.run_sync('go').all_messages(), RetryPromptPart)
    assert retry.content.startswith("Capability 'always' is already available.")


@pytest.mark.parametrize('arguments', [{}, {'id': 3}, '{"id": ', 'nonsense'])
def test_wrong_arguments_are_answered(arguments: Any) -> None:
    agent, _ = scripted([ToolCallPart('load_capability', arguments, 'c')], load('a'), capabilities=[deferred('a')])
    messages = agent.run_sync('go').all_messages()
    assert len(parts(messages, RetryPromptPart)) == 1
    assert len(parts(messages, LoadCapabilityReturnPart)) == 1


def test_a_tool_cannot_be_called_before_its_capability_is_loaded() -> None:
    opened: list[int] = []
    hidden = Capability[Any](id='vault', tools=[function('open_vault', act=opened.append)], defer_loading=True)
    agent, _ = scripted(
        call('open_vault', 1),
        [*load('vault'), *call('open_vault', 2)],
        call('open_vault', 3),
        capabilities=[hidden],
        retries=3,
    )
    messages = agent.run_sync('go').all_messages()
    refused = parts(messages, RetryPromptPart)
    assert opened == [3]
    assert [part.tool_name for part in refused] == ['open_vault', 'open_vault']
    assert "Call `load_capability` with `id='vault'` first" in refused[0].content


def test_a_validator_of_a_tool_is_back_once_it_is_loaded() -> None:
    seen: list[int] = []

    def check(ctx: RunContext[Any], x: int) -> None:
        seen.append(x)

    hidden = Capability[Any](id='a', tools=[function('one', args_validator=check)], defer_loading=True)
    agent, _ = scripted(call('one', 1), load('a'), call('one', 2), capabilities=[hidden])
    agent.run_sync('go')
    assert seen == [2]


def test_settings_hooks_and_native_tools_come_with_it() -> None:
    log: list[str] = []

    @dataclass
    class Bundle(AbstractCapability[Any]):
        def get_model_settings(self) -> Any:
            return lambda ctx: {'seed': ctx.run_step}

        def get_native_tools(self) -> list[Any]:
            return [WebSearchTool()]

        async def before_model_request(self, ctx: RunContext[Any], request_context: Any) -> Any:
            log.append(f'request {ctx.run_step}')
            return request_context

        async def after_tool_execute(self, ctx: RunContext[Any], *, result: Any, **kwargs: Any) -> Any:
            log.append(f'tool {ctx.run_step}')
            return result

    agent, script = scripted(
        call('plain'), load('all'), call('plain'), local=False, model_settings={'top_p': 0.5},
        tools=[function('plain')], capabilities=[Bundle(id='all', defer_loading=True)],
    )  # fmt: skip
    agent.run_sync('go')
    assert log == ['tool 2', 'request 3', 'tool 3', 'request 4']
    assert [info.model_settings for info in script.sent] == [
        {'top_p': 0.5}, {'top_p': 0.5}, {'top_p': 0.5, 'seed': 3}, {'top_p': 0.5, 'seed': 4},
    ]  # fmt: skip
    native = [[tool.kind for tool in info.model_request_parameters.native_tools] for info in script.sent]
    assert native == [[], [], ['web_search'], ['web_search']]


def test_a_wrapper_of_the_toolset_is_in_force_from_the_request_after() -> None:
    class Shout(WrapperToolset[Any]):
        async def get_tools(self, ctx: RunContext[Any]) -> Any:
            return {f'{name}': tool for name, tool in (await super().get_tools(ctx)).items() if name != 'quiet'}

        async def call_tool(self, name: str, tool_args: Any, ctx: RunContext[Any], tool: Any) -> Any:
            return f'{await super().call_tool(name, tool_args, ctx, tool)}!'

    class Wrapping(AbstractCapability[Any]):
        def __init__(self) -> None:
            self.id, self.description, self.defer_loading = 'shout', None, True

        def get_wrapper_toolset(self, toolset: Any) -> Any:
            return Shout(toolset)

    agent, script = scripted(
        [*load('shout'), *call('loud')],
        call('loud'),
        tools=[function('quiet'), function('loud')],
        capabilities=[Wrapping()],
    )
    returned = [
        part.content for part in parts(agent.run_sync('go').all_messages(), ToolReturnPart) if part.tool_name == 'loud'
    ]
    assert returned == [1, '1!']
    assert script.names == [
        ['load_capability', 'quiet', 'loud'],
        ['load_capability', 'loud'],
        ['load_capability', 'loud'],
    ]


def test_wrappers_see_their_own_run() -> None:
    """Toolsets made for each run stay inside of the wrapper of a deferred capability."""

    class Pass(AbstractCapability[Any]):
        def __init__(self) -> None:
            self.id, self.description, self.defer_loading = 'pass', None, True

        def get_wrapper_toolset(self, toolset: Any) -> Any:
            return toolset.prefixed('p')

    def make(ctx: RunContext[Any]) -> FunctionToolset[Any]:
        return FunctionToolset([function(f'for_{ctx.deps}')])

    agent, script = scripted(load('pass'), toolsets=[make], capabilities=[Pass()])
    agent.run_sync('go', deps='ada')
    assert script.names == [['load_capability', 'for_ada'], ['load_capability', 'p_for_ada']]


def test_instructions_of_a_toolset_come_with_loading() -> None:
    toolset = FunctionToolset[Any]([function('one')], instructions=['Mind the gap.', lambda: 'Twice.'])
    agent, script = scripted(
        load('a'), capabilities=[Capability(id='a', instructions='Own.', toolsets=[toolset], defer_loading=True)]
    )
    [loaded] = parts(agent.run_sync('go').all_messages(), LoadCapabilityReturnPart)
    assert loaded.instructions == 'Own.\n\nMind the gap.\n\nTwice.'
    assert all('gap' not in (info.instructions or '') for info in script.sent)


def test_instruction_functions_are_asked_when_it_is_loaded() -> None:
    steps: list[int] = []

    def say(ctx: RunContext[str]) -> str:
        steps.append(ctx.run_step)
        return f'For {ctx.deps}.'

    agent, _ = scripted([], load('a'), capabilities=[deferred('a', instructions=['First.', say])], retries=3)
    [loaded] = parts(agent.run_sync('go', deps='Ada').all_messages(), LoadCapabilityReturnPart)
    assert loaded.instructions == 'First.\n\nFor Ada.'
    assert steps == [2]


def test_entries_of_the_catalog_may_be_functions() -> None:
    async def later(ctx: RunContext[Any]) -> str:
        return f'step {ctx.run_step}'

    capabilities = [
        deferred('a', description=later),
        deferred('b', description=lambda ctx: None),
        deferred('c', description=''),
    ]
    agent, script = scripted(load('c'), capabilities=capabilities)
    agent.run_sync('go')
    assert [info.instructions for info in script.sent] == [f'{CATALOG}\n- a: step {step}\n- b\n- c' for step in (1, 2)]


def test_functions_that_are_added_later_belong_to_it() -> None:
    capability = deferred('a', 'one')
    agent, script = scripted(load('a'), capabilities=[capability])
    agent.run_sync('go')
    capability.tool_plain(function('two').function)
    script.sent.clear()
    agent.run_sync('go')
    assert script.names[-1] == ['load_capability', 'one', 'two', 'search_tools']


def test_two_capabilities_may_not_have_one_tool() -> None:
    agent, _ = scripted(capabilities=[deferred('a', 'one'), deferred('b', 'one')])
    with pytest.raises(UserError, match="'one': one of the capability 'a', and one of 'b'"):
        agent.run_sync('go')


def test_the_name_of_the_loader_is_taken_only_while_it_is_needed() -> None:
    agent, _ = scripted(tools=[function('load_capability')])
    agent.run_sync('go')
    agent, _ = scripted(tools=[function('load_capability')], capabilities=[deferred('a')])
    with pytest.raises(UserError, match="'load_capability' is reserved"):
        agent.run_sync('go')


def test_a_deferred_capability_needs_an_id() -> None:
    with pytest.raises(UserError, match='no `id`'):
        Agent('test', capabilities=[Capability(defer_loading=True)])
    with pytest.raises(UserError, match='no `id`'):
        Agent('test', capabilities=[WrapperCapability(Capability(defer_loading=True))])
    with pytest.raises(UserError, match='no `id`'):
        Agent('test').run_sync('go', capabilities=[Capability(defer_loading=True)])


def test_contexts_know_what_is_loaded() -> None:
    agent, _ = scripted(call('look'), load('a'), call('look'), capabilities=[deferred('a', 'one'), deferred('b')])

    @agent.tool
    def look(ctx: RunContext[Any], x: int) -> list[Any]:
        return [
            sorted(ctx.loaded_capability_ids), sorted(ctx.available_capability_ids),
            sorted(ctx.available_tool_names), list(ctx.capabilities),
        ]  # fmt: skip

    returns = [
        part.content for part in parts(agent.run_sync('go').all_messages(), ToolReturnPart) if part.tool_name == 'look'
    ]
    assert returns == [
        [[], [], ['load_capability', 'look', 'search_tools'], ['a', 'b']],
        [['a'], ['a'], ['load_capability', 'look', 'one', 'search_tools'], ['a', 'b']],
    ]


def test_runs_of_one_agent_load_for_themselves() -> None:
    agent, script = scripted(load('a'), capabilities=[deferred('a', 'one')])
    agent.run_sync('go')
    script.sent.clear()
    script.steps = []
    agent.run_sync('go')
    assert script.names == [['load_capability', 'search_tools']]


def test_a_capability_of_a_run_may_be_deferred() -> None:
    agent, script = scripted(load('b'), capabilities=[deferred('a', 'one')])
    agent.run_sync('go', capabilities=[deferred('b', 'two')])
    assert script.names[1] == ['load_capability', 'two', 'search_tools']


def test_test_model_plays_it() -> None:
    result = Agent(TestModel(), capabilities=[deferred('a', 'one')]).run_sync('go')
    assert [part.instructions for part in parts(result.all_messages(), LoadCapabilityReturnPart)] == ['How to a.']


def test_a_native_tool_of_a_deferred_capability_is_left_to_a_function_of_the_context() -> None:
    agent, script = scripted(
        load('web'),
        local=False,
        capabilities=[NativeTool(lambda ctx: WebSearchTool(), id='web', defer_loading=True), ToolSearch()],
    )
    agent.run_sync('go')
    assert [len(info.model_request_parameters.native_tools) for info in script.sent] == [0, 1]


class Refuse(AbstractCapability[Any]):
    async def after_tool_execute(self, ctx: RunContext[Any], *, tool_def: Any, result: Any, **kwargs: Any) -> Any:
        return 'not today' if tool_def.name == 'load_capability' else result


def test_a_result_that_a_hook_replaces_does_not_count_as_loading() -> None:
    agent, script = scripted(load('a'), capabilities=[deferred('a', 'one'), Refuse()])
    result = agent.run_sync('go')
    assert script.names[1] == ['load_capability', 'search_tools']
    assert [type(part) for part in parts(result.all_messages(), ToolReturnPart)] == [ToolReturnPart]


@pytest.mark.parametrize(('others', 'steps'), [([], [2]), ([Refuse()], [])])
def test_hooks_of_a_capability_without_tools_run_once_it_is_loaded(others: list[Any], steps: list[int]) -> None:
    seen: list[int] = []

    class Watch(AbstractCapability[Any]):
        def __init__(self) -> None:
            self.id, self.description, self.defer_loading = 'watch', 'Watches.', True

        async def before_model_request(self, ctx: RunContext[Any], request_context: Any) -> Any:
            seen.append(ctx.run_step)
            return request_context

    scripted(load('watch'), capabilities=[Watch(), *others])[0].run_sync('go')
    assert seen == steps


def test_a_capability_whose_loading_a_history_processor_takes_out_is_hidden_again() -> None:
    looked: list[int] = []

    def forget(messages: list[ModelMessage]) -> list[ModelMessage]:
        return [replace(message, parts=[*map(without_loading, message.parts)]) for message in messages]

    def without_loading(part: Any) -> Any:
        if len(looked) < 1 or not isinstance(part, (LoadCapabilityCallPart, LoadCapabilityReturnPart)):
            return part
        return TextPart('...') if isinstance(part, LoadCapabilityCallPart) else UserPromptPart('...')

    steps = [load('billing'), call('look'), call('look')]
    agent, script = scripted(
        *steps,
        tools=[function('look', act=looked.append)],
        capabilities=[deferred('billing', 'pay'), ProcessHistory(forget)],
    )
    agent.run_sync('go')
    assert ['pay' in names for names in script.names] == [False, True, True, False]
