"""Deferred tools with providers that search tools themselves."""

from __future__ import annotations

import asyncio
from typing import Any

from _wire import Wire
from kit import anthropic_model, block, message, message_events, response, responses_model, text_block, text_item

from stead import Agent
from stead.capabilities import ToolSearch
from stead.messages import NativeToolSearchCallPart, NativeToolSearchReturnPart, RetryPromptPart

CALL = {'type': 'tool_search_call', 'id': 'tsc-1', 'call_id': None, 'execution': 'server', 'status': 'completed'}
OUTPUT = {'type': 'tool_search_output', 'id': 'tso-1', 'call_id': None, 'execution': 'server', 'status': 'completed'}
FAR = {'type': 'function', 'name': 'far', 'description': 'Go far away.', 'parameters': {}, 'strict': True}


def use(name: str, arguments: str, call_id: str = 'call-1') -> dict[str, Any]:
    return {'type': 'function_call', 'id': 'fc-1', 'call_id': call_id, 'name': name, 'arguments': arguments}


def ours(*queries: str, call_id: str = 'call-1') -> dict[str, Any]:
    return {**CALL, 'execution': 'client', 'call_id': call_id, 'arguments': {'queries': list(queries)}}


def agent_of(model: Any, **options: Any) -> Agent:
    agent = Agent(model, **options)

    @agent.tool_plain(defer_loading=True)
    def far() -> str:
        """Go far away."""
        return 'gone'

    @agent.tool_plain(defer_loading=True)
    def paint(color: str) -> str:
        """Paint a wall."""
        return color

    return agent


def test_openai_finds_a_tool_and_the_run_knows_of_it() -> None:
    found = {**OUTPUT, 'tools': [{'type': 'namespace', 'name': 'all', 'description': 'd', 'tools': [FAR]}]}
    known: list[set[str]] = []
    call = {**CALL, 'arguments': {'paths': ['far']}}
    with Wire(response(call, found, use('far', '{}')), response(text_item('done'))) as wire:
        agent = agent_of(responses_model(wire, 'gpt-5.4'))

        @agent.instructions
        def note(ctx: Any) -> str:
            known.append(set(ctx.discovered_tool_names))
            return 'be quick'

        result = agent.run_sync('hi')
    assert result.output == 'done'
    searched, returned, _ = result.all_messages()[1].parts
    assert isinstance(searched, NativeToolSearchCallPart) and isinstance(returned, NativeToolSearchReturnPart)
    assert searched.queries == ['far']
    assert returned.tool_call_id == searched.tool_call_id
    assert known == [set(), {'far'}]
    assert wire.bodies[1]['tools'] == wire.bodies[0]['tools']


def test_a_way_of_searching_that_openai_does_not_have_is_ours() -> None:
    with Wire(response(ours('paint a wall')), response(text_item('done'))) as wire:
        agent_of(responses_model(wire, 'gpt-5.4'), capabilities=[ToolSearch(strategy='bm25')]).run_sync('hi')
    assert wire.bodies[0]['tools'][0]['execution'] == 'client'
    answer = wire.bodies[1]['input'][-1]
    assert (answer['type'], [tool['name'] for tool in answer['tools']]) == ('tool_search_output', ['paint'])


def test_a_search_for_nothing_is_answered_in_the_form_of_searches() -> None:
    with Wire(response(ours(' ')), response(text_item('done'))) as wire:
        result = agent_of(responses_model(wire, 'gpt-5.4'), capabilities=[ToolSearch(strategy='keywords')]).run_sync(
            'hi'
        )
    assert isinstance(result.all_messages()[2].parts[0], RetryPromptPart)
    search, answer, why = wire.bodies[1]['input'][-3:]
    assert (search['type'], answer['type']) == ('tool_search_call', 'tool_search_output')
    assert answer['call_id'] == search['call_id'] and answer['tools'] == []
    assert 'at least one' in why['content'][0]['text']


def test_a_found_tool_is_not_deferred_where_nothing_finds_it() -> None:
    called = {'type': 'tool_use', 'id': 'u1', 'name': 'search_tools', 'input': {'queries': ['far']}}
    with Wire(message(called), message({'type': 'text', 'text': 'done'})) as wire:
        agent_of(anthropic_model(wire, 'claude-unknown')).run_sync('hi')
    assert all('defer_loading' not in tool for body in wire.bodies for tool in body['tools'])
    assert 'far' in [tool['name'] for tool in wire.bodies[1]['tools']]


def test_a_streamed_search_of_anthropic_has_our_arguments() -> None:
    searched = {'type': 'server_tool_use', 'id': 's1', 'name': 'tool_search_tool_regex', 'input': {}}
    pieces = [{'type': 'input_json_delta', 'partial_json': piece} for piece in ('{"pat', 'tern": "f.*"}')]
    found = {
        'type': 'tool_search_tool_search_result',
        'tool_references': [{'type': 'tool_reference', 'tool_name': 'far'}],
    }
    back = {'type': 'tool_search_tool_result', 'tool_use_id': 's1', 'content': found}
    text = [{**event, 'index': 2} for event in text_block('done')]
    reply = message_events(block(0, searched, *pieces), block(1, back), text)

    async def main() -> Any:
        async with agent_of(anthropic_model(wire, 'claude-opus-4-8')).run_stream('hi') as result:
            assert await result.get_output() == 'done'
            return result.all_messages()[-1].parts

    with Wire(reply) as wire:
        call, returned, _ = asyncio.run(main())
    assert (call.args, call.provider_details) == ({'queries': ['f.*']}, {'strategy': 'regex'})
    assert [match['name'] for match in returned.discovered_tools] == ['far']
