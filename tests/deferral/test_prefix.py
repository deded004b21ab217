"""What a provider caches of a request stays as it was, as far as is promised."""

from __future__ import annotations

import json

import pytest
from pydantic_core import to_json

from stead.messages import ModelMessagesTypeAdapter

from .kit import Script, call, deferred, load, scripted


def prefixes(script: Script) -> list[bytes]:
    """Return instructions and tools of each request as bytes, in the order in which they were sent."""
    return [
        to_json([[part.content for part in info.model_request_parameters.instruction_parts or ()], info.function_tools])
        for info in script.sent
    ]


@pytest.mark.parametrize('local', [True, False])
def test_loading_instructions_changes_nothing(local: bool) -> None:
    agent, script = scripted(
        load('a'),
        load('b'),
        local=local,
        instructions='Base.',
        capabilities=[deferred('a'), deferred('b'), deferred('c', 'one')],
    )
    agent.run_sync('go')
    assert len(set(prefixes(script))) == 1


def test_messages_are_only_added() -> None:
    agent, script = scripted(load('a'), call('one'), capabilities=[deferred('a', 'one')])
    agent.run_sync('go')
    sent = [json.loads(ModelMessagesTypeAdapter.dump_json(messages)) for messages in script.messages]
    for before, after in zip(sent, sent[1:]):
        assert after[: len(before)] == before


def test_a_native_search_receives_the_same_tools() -> None:
    """All of them, before and after: only the mark of those that are deferred changes."""
    agent, script = scripted(
        load('a'), call('one'), local=False, capabilities=[deferred('a', 'one'), deferred('b', 'two')]
    )
    agent.run_sync('go')
    tools = [[(tool.name, tool.description, tool.with_native) for tool in info.function_tools] for info in script.sent]
    assert tools[0] == tools[1] == tools[2]
    assert script.names[1] == ['load_capability', 'one', 'two*', 'search_tools']
