"""A history is sent as the vendor that is asked accepts it, wherever it comes from and however it ended."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from _wire import Wire
from kit import ANSWERS, BOTH_WAYS

from stead import (
    Agent,
    ModelRequest,
    ModelResponse,
    NativeToolCallPart,
    NativeToolReturnPart,
    RetryPromptPart,
    TextContent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

VENDORS = [vendor for vendor in BOTH_WAYS if vendor != 'outlines']
each_vendor = pytest.mark.parametrize('vendor', VENDORS)


def body_for(vendor: str, history: Any = None, prompt: Any = None, **options: Any) -> Any:
    """What a vendor is sent for a history."""
    with Wire(ANSWERS[vendor.partition(',')[0]]('hello')) as wire:
        agent = Agent(BOTH_WAYS[vendor](wire), **options)
        asyncio.run(agent.run(prompt, message_history=history))
        return wire.bodies[0]


def inside(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    for item in value if isinstance(value, list) else ():
        yield from inside(item)


def arguments_in(body: Any) -> list[Any]:
    """The arguments of the calls in a request: JSON text, or objects."""
    found: list[Any] = []
    for item in inside(body):
        if 'arguments' in item:
            found.append(json.loads(item['arguments']))
        elif item.get('type') == 'tool_use' or 'toolUseId' in item and 'input' in item:
            found.append(item['input'])
        elif 'functionCall' in item:
            found.append(item['functionCall'].get('args') or {})
    return found


@each_vendor
@pytest.mark.parametrize(
    ('args', 'sent'),
    [
        ('{"a": 1', {'INVALID_JSON': '{"a": 1'}),
        ('not json', {'INVALID_JSON': 'not json'}),
        ('[1, 2]', {'INVALID_JSON': '[1, 2]'}),
        ('"text"', {'INVALID_JSON': '"text"'}),
        ('{"a": NaN}', {'a': None}),
        ('', {}),
        ({'a': float('inf'), 'b': b'x', 'c': ('y', 2)}, {'a': None, 'b': 'eA==', 'c': ['y', 2]}),
    ],
    ids=['half', 'words', 'list', 'text', 'nan', 'empty', 'objects'],
)
def test_arguments_that_are_not_json_do_not_break_the_next_request(vendor: str, args: Any, sent: Any) -> None:
    history = [
        ModelRequest(parts=[UserPromptPart('a')]),
        ModelResponse(parts=[ToolCallPart('t', args, tool_call_id='c1')]),
        ModelRequest(parts=[RetryPromptPart('bad', tool_name='t', tool_call_id='c1')]),
    ]
    assert arguments_in(body_for(vendor, history)) == [sent]


def ids_in(body: Any) -> tuple[list[str], list[str]]:
    """The ids of the calls in a request, and those of the results."""
    calls: list[str] = []
    results: list[str] = []
    for item in inside(body):
        if item.get('type') in ('function_call', 'function_call_output'):
            (calls if item['type'] == 'function_call' else results).append(item['call_id'])
        elif item.get('type') in ('function', 'tool_use') and 'id' in item:
            calls.append(item['id'])
        elif 'tool_use_id' in item or 'tool_call_id' in item:
            results.append(item.get('tool_use_id') or item['tool_call_id'])
        elif 'toolUseId' in item:
            (calls if 'input' in item else results).append(item['toolUseId'])
    return calls, results


@each_vendor
@pytest.mark.parametrize(
    'call_id', ['functions.get_weather:0', f'chatcmpl-tool-{"0123456789abcdef" * 2}', f'call_{"A" * 24}', 'x' * 300]
)
def test_ids_of_other_vendors_obey_the_rules_of_the_vendor_that_is_asked(vendor: str, call_id: str) -> None:
    history = [
        ModelRequest(parts=[UserPromptPart('a')]),
        ModelResponse(parts=[ToolCallPart('t', {'a': 1}, tool_call_id=call_id)], provider_name='other'),
        ModelRequest(parts=[ToolReturnPart('t', 'r', tool_call_id=call_id)]),
    ]
    calls, results = ids_in(body_for(vendor, history))
    assert calls == results
    rules = {'anthropic': r'[a-zA-Z0-9_-]+', 'bedrock': r'[a-zA-Z0-9_-]{1,64}', 'openai-responses': r'.{1,64}'}
    rule = rules.get(vendor.partition(',')[0], r'.{1,40}')
    assert [sent for sent in calls if not re.fullmatch(rule, sent)] == []


@each_vendor
@pytest.mark.parametrize('parts', [[ThinkingPart('hm')], [ThinkingPart('')], [], [TextPart('')]], ids=repr)
def test_a_response_without_text_is_not_sent_as_an_empty_message(vendor: str, parts: Any) -> None:
    history = [ModelRequest(parts=[UserPromptPart('a')]), ModelResponse(parts=parts)]
    body = body_for(vendor, history, 'c')
    messages = body.get('messages') or body.get('contents') or body.get('input')
    answers = [message for message in messages if message.get('role') in ('assistant', 'model')]
    assert [message for message in answers if not (message.get('content') or message.get('parts'))] == []
    assert [item for item in inside(answers) if item.get('text') == ''] == []


@each_vendor
@pytest.mark.parametrize('prompt', ['', ['', ''], [], [TextContent('')], None], ids=repr)
def test_an_empty_prompt_is_not_sent_as_an_empty_block(vendor: str, prompt: Any) -> None:
    body = body_for(vendor, None, prompt, instructions='Say hi.')
    messages = body.get('messages') or body.get('contents') or body.get('input')
    assert messages
    blocks = [block for message in messages for block in inside(message.get('content')) if 'text' in block]
    assert [block for block in blocks if not block['text']] == []
    assert [message for message in messages if message.get('content') == []] == []


@pytest.mark.parametrize('vendor', ['anthropic', 'anthropic, typed', 'bedrock'])
def test_an_empty_result_of_a_tool_is_not_sent_as_an_empty_block(vendor: str) -> None:
    history = [
        ModelRequest(parts=[UserPromptPart('a')]),
        ModelResponse(parts=[ToolCallPart('t', {}, tool_call_id='c1')]),
        ModelRequest(parts=[ToolReturnPart('t', '', tool_call_id='c1')]),
    ]
    assert [item for item in inside(body_for(vendor, history)) if item.get('text') == ''] == []


def searched(*parts: Any, reason: str | None = None) -> list[Any]:
    details = {'finish_reason': reason} if reason else None
    response = ModelResponse(parts=[*parts], provider_name='anthropic', provider_details=details)
    return [ModelRequest(parts=[UserPromptPart('a')]), response]


SEARCH = NativeToolCallPart('web_search', {'query': 'x'}, tool_call_id='srv1', provider_name='anthropic')
FOUND = NativeToolReturnPart('web_search', [], tool_call_id='srv1', provider_name='anthropic')


@pytest.mark.parametrize(
    ('history', 'kinds'),
    [
        (searched(SEARCH, TextPart('b')), ['text']),
        (searched(SEARCH, FOUND, TextPart('b')), ['server_tool_use', 'web_search_tool_result', 'text']),
        (searched(TextPart('b'), SEARCH, reason='pause_turn'), ['text', 'server_tool_use']),
    ],
    ids=['half', 'whole', 'paused'],
)
def test_a_native_call_without_its_result_is_left_out(history: Any, kinds: list[str]) -> None:
    body = body_for('anthropic', history, 'c')
    assert [block['type'] for block in body['messages'][1]['content']] == kinds


@each_vendor
def test_instructions_alone_are_sent_with_something_to_answer(vendor: str) -> None:
    """Vendors that take instructions apart from messages refuse a request without any message."""
    body = body_for(vendor, instructions='Say hi')
    messages = body.get('messages') or body.get('contents') or body['input']
    assert [message['role'] for message in messages] in (['user'], ['system'])
    assert 'Say hi' in json.dumps(body)
