"""Deferred tools: hidden, searched, found; here or by the provider."""

from __future__ import annotations

from typing import Any

import pytest

from stead import Agent, ModelRetry, RunContext
from stead._deferral.search import ToolSearchToolset, parse_discovered_tools
from stead.capabilities import Capability, ToolSearch, WrapperCapability
from stead.exceptions import UserError
from stead.messages import RetryPromptPart, ToolCallPart, ToolReturnPart, ToolSearchReturnPart
from stead.models.test import TestModel
from stead.toolsets import FunctionToolset

from .kit import call, deferred, function, parts, scripted, search


def hidden() -> list[Any]:
    return [
        function('weather_now', 'Current weather in a city.', defer_loading=True),
        function('send_mail', 'Send a letter.', defer_loading=True),
        function('plain'),
    ]


def found(agent: Agent[Any, Any], **options: Any) -> list[str]:
    [part] = parts(agent.run_sync('go', **options).all_messages(), ToolSearchReturnPart)
    return [tool['name'] for tool in part.discovered_tools]


def test_a_found_tool_is_there_from_the_next_request() -> None:
    agent, script = scripted(search('weather'), call('weather_now'), tools=hidden())
    messages = agent.run_sync('go').all_messages()
    assert script.names == [
        ['plain', 'search_tools'], ['plain', 'weather_now', 'search_tools'], ['plain', 'weather_now', 'search_tools'],
    ]  # fmt: skip
    assert parts(messages, ToolReturnPart)[-1].content == 1
    assert parse_discovered_tools(messages) == {'weather_now'}


def test_nothing_changes_without_deferred_tools() -> None:
    agent, script = scripted(tools=[function('plain')])
    agent.run_sync('go')
    assert script.names == [['plain']]
    assert script.sent[0].model_request_parameters.native_tools == []


def test_a_model_with_a_search_of_its_own_is_sent_all_tools() -> None:
    agent, script = scripted(local=False, tools=hidden())
    agent.run_sync('go')
    assert script.names == [['plain', 'weather_now*', 'send_mail*']]
    [native] = script.sent[0].model_request_parameters.native_tools
    assert (native.kind, native.optional) == ('tool_search', True)


@pytest.mark.parametrize('strategy', ['bm25', 'regex', 'keywords'])
def test_every_strategy_works_on_every_model(strategy: Any) -> None:
    agent, script = scripted(search('weather'), tools=hidden(), capabilities=[ToolSearch(strategy=strategy)])
    assert found(agent) == ['weather_now']
    assert script.names[0] == ['plain', 'search_tools']
    agent, script = scripted(local=False, tools=hidden(), capabilities=[ToolSearch(strategy=strategy)])
    agent.run_sync('go')
    [native] = script.sent[0].model_request_parameters.native_tools
    assert ('search_tools' in script.names[0], getattr(native, 'strategy', None)) == (
        (True, 'custom') if strategy == 'keywords' else (False, strategy)
    )


@pytest.mark.parametrize('strategy', ['bm25', 'regex', None])
def test_with_deferred_capabilities_the_search_is_ours(strategy: Any) -> None:
    """A provider would reveal tools of capabilities that are not loaded."""
    agent, script = scripted(
        search('weather two'),
        local=False,
        tools=hidden(),
        capabilities=[deferred('a', 'two'), ToolSearch(strategy=strategy)],
    )
    assert found(agent) == ['weather_now']
    assert script.names[0] == ['load_capability', 'plain', 'weather_now*', 'send_mail*', 'two*', 'search_tools']
    assert [getattr(tool, 'strategy', None) for tool in script.sent[0].model_request_parameters.native_tools] == [
        'custom'
    ]


def test_a_function_may_search() -> None:
    searches: list[Any] = []

    async def look(ctx: RunContext[Any], queries: Any, tools: Any) -> list[str]:
        searches.append((ctx.deps, list(queries), [tool.name for tool in tools]))
        return ['send_mail', 'nobody', 'plain', 'send_mail', 'weather_now']

    agent, _ = scripted(search('x', ' '), tools=hidden(), capabilities=[ToolSearch(strategy=look, max_results=1)])
    assert found(agent, deps='Ada') == ['send_mail']
    assert searches == [('Ada', ['x'], ['weather_now', 'send_mail'])]


@pytest.mark.parametrize('answer', [None, 'weather_now', 3])
def test_a_function_must_return_names(answer: Any) -> None:
    agent, _ = scripted(
        search('x'), tools=hidden(), capabilities=[ToolSearch(strategy=lambda ctx, queries, tools: answer)]
    )
    with pytest.raises(UserError, match='returned .*Return the names of the tools'):
        agent.run_sync('go')


def test_a_function_may_ask_again() -> None:
    def refuse(ctx: RunContext[Any], queries: Any, tools: Any) -> list[str]:
        raise ModelRetry('Be more precise.')

    agent, _ = scripted(search('x'), tools=hidden(), capabilities=[ToolSearch(strategy=refuse)])
    [retry] = parts(agent.run_sync('go').all_messages(), RetryPromptPart)
    assert retry.content == 'Be more precise.'


@pytest.mark.parametrize(
    'arguments', [{}, {'queries': 'weather'}, {'queries': [1]}, '{"queries": [', {'query': 'weather'}]
)
def test_wrong_arguments_are_answered(arguments: Any) -> None:
    agent, _ = scripted([ToolCallPart('search_tools', arguments, 'c')], search('weather'), tools=hidden())
    messages = agent.run_sync('go').all_messages()
    assert len(parts(messages, RetryPromptPart)) == 1
    assert len(parts(messages, ToolSearchReturnPart)) == 1


def test_what_was_found_is_not_found_again() -> None:
    agent, _ = scripted(search('weather'), search('weather'), tools=hidden())
    first, second = parts(agent.run_sync('go').all_messages(), ToolSearchReturnPart)
    assert [tool['name'] for tool in first.discovered_tools] == ['weather_now']
    assert (second.discovered_tools, second.message) == (
        [], 'No matching tools found. The tools you need may not be available.',
    )  # fmt: skip


def test_there_is_no_strategy_of_that_name() -> None:
    with pytest.raises(UserError, match="no tool search strategy 'fuzzy'"):
        ToolSearch(strategy='fuzzy')  # type: ignore[arg-type]


def test_several_searches_are_one() -> None:
    agent, script = scripted(search('weather'), tools=hidden(), capabilities=[ToolSearch(), ToolSearch(max_results=1)])
    assert found(agent) == ['weather_now']
    agent, script = scripted(search('weather'), tools=hidden(), capabilities=[WrapperCapability(ToolSearch())])
    assert found(agent) == ['weather_now']
    assert script.names[0] == ['plain', 'search_tools']


def test_the_name_of_the_search_is_taken_only_while_it_is_needed() -> None:
    agent, _ = scripted(tools=[function('search_tools')])
    agent.run_sync('go')
    agent, _ = scripted(tools=[function('search_tools'), *hidden()])
    with pytest.raises(UserError, match="'search_tools' is reserved"):
        agent.run_sync('go')


def test_tools_that_come_and_go_are_found() -> None:
    def make(ctx: RunContext[Any]) -> FunctionToolset[Any]:
        return FunctionToolset([function(f'weather_{ctx.run_step}', 'Weather.', defer_loading=True)])

    agent, script = scripted(search('weather'), search('weather'), toolsets=[make])
    first, second = parts(agent.run_sync('go').all_messages(), ToolSearchReturnPart)
    assert [part.discovered_tools[0]['name'] for part in (first, second)] == ['weather_1', 'weather_2']


def test_a_deferred_tool_may_be_called_by_who_knows_it() -> None:
    """Providers that search themselves reveal tools on their side."""
    agent, _ = scripted(call('weather_now'), local=False, tools=hidden())
    [returned] = parts(agent.run_sync('go').all_messages(), ToolReturnPart)
    assert returned.content == 1


def test_a_tool_may_be_deferred_on_a_capability_that_is_not() -> None:
    agent, script = scripted(search('weather'), capabilities=[Capability(id='c', tools=hidden())])
    assert found(agent) == ['weather_now']
    assert script.names[1] == ['plain', 'weather_now', 'search_tools']


def test_a_wrapper_may_do_without_the_function() -> None:
    inner = FunctionToolset[Any](hidden())
    agent, script = scripted(toolsets=[ToolSearchToolset(inner, enable_fallback=False)], local=False)
    agent.run_sync('go')
    assert 'weather_now*' in script.names[0]


def test_test_model_searches() -> None:
    model = TestModel()
    Agent(model, tools=hidden()).run_sync('go')
    assert model.last_model_request_parameters is not None
    assert model.last_model_request_parameters.native_tools == []


def test_a_tool_that_is_deferred_later_is_hidden() -> None:
    agent, script = scripted(search('weather'), tools=[function('plain')])
    script.steps = []
    for _ in range(3):
        agent.run_sync('go')
    agent.tool_plain(name='weather_now', defer_loading=True)(lambda x: x)
    agent.run_sync('go')
    assert script.names == [['plain']] * 3 + [['plain', 'search_tools']]


def test_explicit_search_of_a_run() -> None:
    agent, script = scripted(search('weather letter'), tools=hidden())
    assert len(found(agent, capabilities=[ToolSearch(max_results=1)])) == 1
    assert script.names[0] == ['plain', 'search_tools']


def test_it_works_beside_structured_output() -> None:
    agent, script = scripted(
        search('weather'), call('weather_now'), [ToolCallPart('final_result', {'response': 3}, 'out')],
        output_type=int, tools=hidden(),
    )  # fmt: skip
    assert agent.run_sync('go').output == 3
    assert script.names[1] == ['plain', 'weather_now', 'search_tools']
