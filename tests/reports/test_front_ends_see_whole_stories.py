"""What front ends are sent ends what it began, and what they send may be newer than what reads it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from pydantic import BaseModel

from stead import (
    Agent,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from stead.models.function import DeltaThinkingPart, DeltaToolCall, FunctionModel
from stead.models.test import TestModel

pytest.importorskip('ag_ui')
pytest.importorskip('starlette')

from stead.ui.ag_ui import AGUIAdapter  # noqa: E402
from stead.ui.vercel_ai import VercelAIAdapter  # noqa: E402

USER = {'id': '1', 'role': 'user', 'parts': [{'type': 'text', 'text': 'hi'}]}


def vercel_body(messages: list[Any], trigger: str = 'submit-message') -> bytes:
    return json.dumps({'trigger': trigger, 'id': 'x', 'messages': messages, 'brandNew': 1}).encode()


def ag_ui_body(messages: list[Any]) -> bytes:
    rest = {'threadId': 't', 'runId': 'r', 'state': None, 'tools': [], 'context': [], 'forwardedProps': None}
    return json.dumps({**rest, 'messages': messages}).encode()


def asking_with(content: Any, id: str = '1') -> dict[str, Any]:
    return {'id': id, 'role': 'user', 'content': content}


async def text(messages: Any, info: Any) -> AsyncIterator[Any]:
    yield 'hel'
    raise RuntimeError('died')


async def thinking(messages: Any, info: Any) -> AsyncIterator[Any]:
    yield {0: DeltaThinkingPart(content='hm')}
    raise RuntimeError('died')


async def call(messages: Any, info: Any) -> AsyncIterator[Any]:
    yield {0: DeltaToolCall(name='t', json_args='{"a"', tool_call_id='c1')}
    raise RuntimeError('died')


async def call_and_text(messages: Any, info: Any) -> AsyncIterator[Any]:
    yield {0: DeltaToolCall(name='t', json_args='{"a": 1}', tool_call_id='c1')}
    yield {1: DeltaToolCall(name='t', json_args='{"a"', tool_call_id='c2')}
    raise RuntimeError('died')


def types_of(adapter: Any) -> list[str]:
    async def read() -> list[str]:
        return [str(getattr(event.type, 'value', event.type)) async for event in adapter.run_stream()]

    return asyncio.run(read())


def dying(stream: Any) -> Agent[None, str]:
    agent = Agent(FunctionModel(stream_function=stream))

    @agent.tool_plain
    def t(a: int) -> str:
        return 'x'

    return agent


@pytest.mark.parametrize('stream', [text, thinking, call, call_and_text])
@pytest.mark.parametrize('version', [5, 6])
def test_what_is_open_ends_when_a_stream_dies(stream: Any, version: Any) -> None:
    request = VercelAIAdapter.build_run_input(vercel_body([USER]))
    types = types_of(VercelAIAdapter(agent=dying(stream), run_input=request, sdk_version=version))
    assert types.count('text-start') == types.count('text-end')
    assert types.count('reasoning-start') == types.count('reasoning-end')
    assert types.count('tool-input-start') == types.count('tool-output-error')
    assert 'tool-input-available' not in types
    assert types.index('error') > max(types.index(name) for name in types if name.endswith(('-end', 'output-error')))

    request_of_ag_ui = AGUIAdapter.build_run_input(ag_ui_body([asking_with('hi')]))
    types = types_of(AGUIAdapter(agent=dying(stream), run_input=request_of_ag_ui))
    for name in ('TEXT_MESSAGE', 'TOOL_CALL', 'REASONING', 'THINKING'):
        assert types.count(f'{name}_START') == types.count(f'{name}_END')
    assert types[-1] == 'RUN_ERROR'


def test_ids_of_calls_may_be_used_again() -> None:
    history: list[ModelMessage] = [
        ModelRequest(parts=[UserPromptPart('go')]),
        ModelResponse(parts=[ToolCallPart('first', {'a': 1}, tool_call_id='c')]),
        ModelRequest(parts=[ToolReturnPart('first', 'FIRST', tool_call_id='c')]),
        ModelResponse(parts=[ThinkingPart('hm'), ToolCallPart('second', {'b': 2}, tool_call_id='c')]),
        ModelRequest(parts=[ToolReturnPart('second', 'SECOND', tool_call_id='c')]),
        ModelResponse(parts=[TextPart('done')]),
    ]
    for adapter in (VercelAIAdapter[None, str], AGUIAdapter[None, str]):
        messages: Any = adapter.dump_messages(history)
        loaded = adapter.load_messages(messages)
        results = [part for message in loaded for part in message.parts if isinstance(part, ToolReturnPart)]
        assert [(part.tool_name, part.content) for part in results] == [('first', 'FIRST'), ('second', 'SECOND')]


@pytest.mark.parametrize('result_first', [True, False])
def test_the_parts_of_a_request_stay_in_order(result_first: bool) -> None:
    result, prompt = ToolReturnPart('t', 'R', tool_call_id='c'), UserPromptPart('and more')
    history: list[ModelMessage] = [
        ModelResponse(parts=[ToolCallPart('t', {}, tool_call_id='c')]),
        ModelRequest(parts=[result, prompt] if result_first else [prompt, result]),
    ]
    roles = [message.role for message in AGUIAdapter.dump_messages(history)]
    assert roles == ['assistant', *(['tool', 'user'] if result_first else ['user', 'tool'])]


@pytest.mark.parametrize(
    'extra',
    [
        {'id': '2', 'role': 'hologram', 'content': 'x'},
        asking_with([{'type': 'hologram', 'data': 'x'}, {'type': 'text', 'text': 'seen'}], '2'),
        {'id': '2', 'role': 'activity', 'activityType': 'x', 'content': {}},
    ],
)
def test_ag_ui_may_be_newer(extra: Any) -> None:
    request = AGUIAdapter.build_run_input(ag_ui_body([asking_with('hi'), extra]))
    loaded = repr(AGUIAdapter.load_messages(request.messages))
    assert 'hi' in loaded
    assert ('seen' in loaded) is ('seen' in repr(extra))


def test_a_message_of_ag_ui_that_is_left_out_is_named() -> None:
    class HologramMessage(BaseModel):
        role: str = 'hologram'

    with pytest.warns(UserWarning, match='HologramMessage'):
        assert AGUIAdapter.load_messages([HologramMessage()]) == []  # type: ignore[list-item]


DYNAMIC = {'type': 'dynamic-tool', 'toolName': 't', 'toolCallId': 'c', 'state': 'output-available', 'input': {}}


@pytest.mark.parametrize(
    ('messages', 'trigger'),
    [
        ([USER, {'id': '2', 'role': 'assistant', 'parts': [{**DYNAMIC, 'output': 1, 'title': 'T'}]}], 'submit-message'),
        ([USER], 'regenerate-message'),
        ([{**USER, 'parts': [{'type': 'data-weather', 'id': 'x', 'data': {}}, *USER['parts']]}], 'submit-message'),  # type: ignore[misc]
        ([{**USER, 'brandNew': 2, 'metadata': {'a': 1}}], 'submit-message'),
        (
            [
                USER,
                {
                    'id': '2',
                    'role': 'assistant',
                    'parts': [{'type': 'brand-new', 'x': 1}, {'type': 'text', 'text': 'a'}],
                },
            ],
            'submit-message',
        ),
        ([USER, {'id': '2', 'role': 'assistant', 'parts': []}, USER], 'submit-message'),
    ],
)
def test_the_ai_sdk_may_be_newer(messages: list[Any], trigger: str) -> None:
    request = VercelAIAdapter.build_run_input(vercel_body(messages, trigger))
    assert 'hi' in repr(VercelAIAdapter.load_messages(request.messages))


CALL = {'id': 'c', 'type': 'function', 'function': {'name': 't', 'arguments': '{}'}}


@pytest.mark.parametrize(
    'messages',
    [
        [asking_with('hi'), {'id': '3', 'role': 'tool', 'toolCallId': 'zz', 'content': 'r'}, asking_with('go', '4')],
        [
            asking_with('hi'),
            {'id': '2', 'role': 'assistant', 'content': None, 'toolCalls': [CALL]},
            asking_with('go', '4'),
        ],
        [{'id': '0', 'role': 'developer', 'content': 'D'}, asking_with('')],
    ],
    ids=['a result without a call', 'a call without a result', 'an empty prompt'],
)
def test_odd_histories_of_ag_ui_are_answered(messages: list[Any]) -> None:
    agent = Agent(TestModel(call_tools=[]))
    request = AGUIAdapter.build_run_input(ag_ui_body(messages))
    types = types_of(AGUIAdapter(agent=agent, run_input=request, manage_system_prompt='client'))
    assert types[-1] == 'RUN_FINISHED'
    assert 'RUN_ERROR' not in types
