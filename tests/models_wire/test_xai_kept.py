"""xAI's messages are encoded once, and again whenever anything in them has changed."""

from __future__ import annotations

import asyncio
import copy
from typing import Any

import pytest

pytest.importorskip('xai_sdk', reason='the SDK xai-sdk is not installed')

from _grpc_wire import GrpcWire
from kit_xai import says, xai_model
from test_kept import changes, parts_of, put

from stead.messages import (
    BinaryContent,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from stead.models import ModelRequestParameters
from stead.models.xai import _model

PARAMS = ModelRequestParameters()


def test_a_message_that_is_changed_in_place_is_encoded_again() -> None:
    changed = 0

    async def main(wire: GrpcWire) -> None:
        nonlocal changed
        model = xai_model(wire)

        async def sent(messages: Any) -> Any:
            wire.requests.clear()
            try:
                await model.request(messages, None, PARAMS)
            except Exception as error:
                return type(error), str(error)
            return wire.bodies[-1]

        for is_request, part in parts_of('xai'):
            head, end = ModelRequest.user_text_prompt('begin'), ModelRequest.user_text_prompt('end')
            message: Any = ModelRequest([part]) if is_request else ModelResponse([part], provider_name='xai')
            messages = [head, message, end]
            before = await sent(messages)
            for holder, name, other in changes(part):
                old = holder[name] if isinstance(holder, (dict, list)) else getattr(holder, name)
                put(holder, name, other)
                after = await sent(messages)
                if after != before:
                    changed += 1
                else:  # then it would have been the same without anything that is kept
                    assert after == await sent(copy.deepcopy(messages)), (part, name, other)
                put(holder, name, old)
            assert await sent(messages) == before

    with GrpcWire(says('hello', stream=False)) as wire:
        asyncio.run(main(wire))
    assert changed > 40


def test_results_have_the_order_of_their_calls_however_that_changes() -> None:
    results = [ToolReturnPart('t', name, name) for name in 'abc']
    calls = [ToolCallPart('t', {}, name) for name in 'bca']
    messages: list[ModelMessage] = [
        ModelRequest([SystemPromptPart('s'), UserPromptPart('u')]),
        ModelResponse(calls),
        ModelRequest([*results, UserPromptPart('more')]),
    ]

    def order(body: Any) -> list[str]:
        return [item.get('tool_call_id') or item['role'] for item in body['messages']]

    async def main(wire: GrpcWire) -> None:
        model = xai_model(wire)
        await model.request(messages, None, PARAMS)
        calls.reverse()
        messages[1].parts = calls
        await model.request(messages, None, PARAMS)
        await model.request(copy.deepcopy(messages), None, PARAMS)

    with GrpcWire(says('hello', stream=False)) as wire:
        asyncio.run(main(wire))
    head = ['ROLE_SYSTEM', 'ROLE_USER', 'ROLE_ASSISTANT', 'ROLE_USER']
    assert order(wire.bodies[0]) == [*head, 'b', 'c', 'a']
    assert order(wire.bodies[1]) == order(wire.bodies[2]) == [*head, 'a', 'c', 'b']


def test_a_message_is_encoded_once_and_a_file_is_uploaded_for_each_request(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded: list[ModelMessage] = []
    encode = _model.XaiMessageEncoder.encode_message

    def encode_message(self: Any, message: ModelMessage) -> Any:
        encoded.append(message)
        return encode(self, message)

    monkeypatch.setattr(_model.XaiMessageEncoder, 'encode_message', encode_message)
    file = ModelRequest([UserPromptPart([BinaryContent(b'%PDF', media_type='application/pdf')])])
    messages: list[ModelMessage] = [file]

    async def main(wire: GrpcWire) -> None:
        model = xai_model(wire)
        for number in range(3):
            messages.append(ModelResponse([TextPart(str(number))]))
            messages.append(ModelRequest.user_text_prompt('again'))
            await model.request(messages, None, PARAMS)

    with GrpcWire(says('hello', stream=False)) as wire:
        asyncio.run(main(wire))
    assert len(encoded) == 3 * 1 + 3 * 2
    assert [request.path for request in wire.requests].count('UploadFile') == 3
    assert len(wire.bodies[-1]['messages']) == 7
