"""What was loaded is read from history: in another run, another process, on another model, and after it was cut."""

from __future__ import annotations

from typing import Any

import pytest

from stead import RunContext
from stead.capabilities import ProcessHistory
from stead.messages import (
    CapabilityLoadDeltaPart,
    LoadCapabilityCallPart,
    LoadCapabilityReturnPart,
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    NativeToolSearchReturnPart,
    TextPart,
    ToolAvailabilityDeltaPart,
    ToolReturnPart,
    ToolSearchCallPart,
    ToolSearchReturnPart,
    UserPromptPart,
)

from .kit import call, deferred, function, load, parts, scripted, search


def loading(outcome: Any = 'success', call_id: str = '1') -> list[ModelMessage]:
    return [
        ModelRequest(parts=[UserPromptPart('x')]),
        ModelResponse(parts=[LoadCapabilityCallPart(args={'id': 'a'}, tool_call_id='1')]),
        ModelRequest(parts=[LoadCapabilityReturnPart(content={}, tool_call_id=call_id, outcome=outcome)]),
        ModelResponse(parts=[TextPart('t')]),
    ]


@pytest.mark.parametrize('local', [True, False])
def test_a_stored_history_brings_it_back(local: bool) -> None:
    agent, _ = scripted(load('a'), capabilities=[deferred('a', 'one'), deferred('b', 'two')])
    stored = agent.run_sync('go').all_messages_json()
    other, script = scripted(call('one'), local=local, capabilities=[deferred('a', 'one'), deferred('b', 'two')])
    result = other.run_sync('more', message_history=ModelMessagesTypeAdapter.validate_json(stored))
    hidden = [] if local else ['two*']
    assert script.names[0] == ['load_capability', 'one', *hidden, 'search_tools']
    assert [part.content for part in parts(result.new_messages(), ToolReturnPart)] == [1]
    assert parts(result.new_messages(), ToolSearchCallPart) == []


def test_tools_that_a_history_does_not_tell_of_are_announced() -> None:
    agent, _ = scripted(capabilities=[deferred('a', 'one', 'two')])
    result = agent.run_sync('more', message_history=loading())
    [found] = parts(result.new_messages(), ToolSearchReturnPart)
    assert [tool['name'] for tool in found.discovered_tools] == ['one', 'two']
    again = agent.run_sync('more', message_history=result.all_messages())
    assert parts(again.new_messages(), ToolSearchReturnPart) == []


@pytest.mark.parametrize('history', [loading('failed'), loading('denied'), loading(call_id='2')])
def test_only_loading_that_succeeded_counts(history: list[ModelMessage]) -> None:
    agent, script = scripted(capabilities=[deferred('a', 'one')])
    agent.run_sync('more', message_history=history)
    assert script.names == [['load_capability', 'search_tools']]


def test_a_capability_that_is_gone_is_left_out() -> None:
    agent, script = scripted(tools=[function('plain')])
    agent.run_sync('more', message_history=loading())
    assert script.names == [['plain']]


def test_cutting_the_history_unloads() -> None:
    """Hooks of the capability are no longer in force, so neither are its tools."""

    def cut(messages: list[ModelMessage]) -> list[ModelMessage]:
        return messages[-2:] if len(messages) > 6 else messages

    agent, script = scripted(
        load('a'),
        call('one'),
        call('plain'),
        load('a'),
        tools=[function('plain')],
        capabilities=[deferred('a', 'one'), ProcessHistory(cut)],
    )
    agent.run_sync('go')
    assert ['one' in names for names in script.names] == [False, True, True, False, True]


def test_discovered_tools_are_read_too() -> None:
    found: Any = {'discovered_tools': [{'name': 'one', 'description': None}, {'name': 'gone', 'description': None}]}
    native: Any = {'discovered_tools': [{'name': 'two', 'description': None}]}
    history: list[ModelMessage] = [
        ModelRequest(parts=[UserPromptPart('x')]),
        ModelResponse(parts=[ToolSearchCallPart(args={'queries': ['q']}, tool_call_id='1')]),
        ModelRequest(parts=[ToolSearchReturnPart(content=found, tool_call_id='1')]),
        ModelResponse(parts=[NativeToolSearchReturnPart(content=native, tool_call_id='2'), TextPart('t')]),
    ]
    tools = [function(name, defer_loading=True) for name in ('one', 'two', 'three')]
    agent, script = scripted(tools=tools)
    agent.run_sync('more', message_history=history)
    assert script.names == [['one', 'two', 'search_tools']]


def test_a_found_tool_of_a_capability_stays_hidden_until_that_is_loaded() -> None:
    found: Any = {'discovered_tools': [{'name': 'one', 'description': None}]}
    history: list[ModelMessage] = [
        ModelRequest(parts=[UserPromptPart('x')]),
        ModelResponse(parts=[ToolSearchCallPart(args={'queries': ['q']}, tool_call_id='1')]),
        ModelRequest(parts=[ToolSearchReturnPart(content=found, tool_call_id='1')]),
        ModelResponse(parts=[TextPart('t')]),
    ]
    agent, script = scripted(capabilities=[deferred('a', 'one')])
    agent.run_sync('more', message_history=history)
    assert script.names == [['load_capability', 'search_tools']]


def test_a_search_does_not_reveal_tools_of_capabilities() -> None:
    agent, _ = scripted(search('one does'), capabilities=[deferred('a', 'one')])
    [found] = parts(agent.run_sync('go').all_messages(), ToolSearchReturnPart)
    assert found.discovered_tools == []


def test_what_a_history_of_2_x_notes_is_loaded_and_found():
    agent, script = scripted(
        [], tools=[function('found', defer_loading=True)], capabilities=[deferred('a'), deferred('b')]
    )
    note = ModelRequest([CapabilityLoadDeltaPart(loaded=['a']), ToolAvailabilityDeltaPart(tools_added=['found'])])
    loaded: list[tuple[set[str], set[str]]] = []

    @agent.instructions
    def noted(ctx: RunContext) -> None:
        loaded.append(({*ctx.loaded_capability_ids}, {*ctx.discovered_tool_names}))

    agent.run_sync('Go', message_history=[note, ModelResponse([TextPart('Well.')])])
    assert loaded[0] == ({'a'}, {'found'})
