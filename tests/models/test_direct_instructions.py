"""`direct`: the instructions in force at the end of a conversation go with the request."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from stead.direct import model_request_stream, model_request_sync
from stead.messages import InstructionPart, ModelMessage, ModelRequest, ModelResponse, TextPart, UserPromptPart
from stead.models import ModelRequestParameters
from stead.models.function import AgentInfo, FunctionModel


def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    return ModelResponse(parts=[TextPart(str(info.instructions))])


async def streamed(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
    yield str(info.instructions)


MODEL = FunctionModel(answer, stream_function=streamed)


def conversation(*instructions: str | None) -> list[ModelMessage]:
    messages: list[ModelMessage] = []
    for text in instructions:
        messages.append(ModelRequest(parts=[UserPromptPart('hi')], instructions=text))
        messages.append(ModelResponse(parts=[TextPart('hello')]))
    return messages[:-1]


@pytest.mark.parametrize(
    ('instructions', 'expected'),
    [((None,), 'None'), (('A',), 'A'), (('A', 'B'), 'B'), (('A', None), 'A'), (('A', None, None), 'A')],
)
def test_the_last_ones_hold(instructions: tuple[str | None, ...], expected: str) -> None:
    messages = conversation(*instructions)
    assert model_request_sync(MODEL, messages).text == expected

    async def stream() -> str | None:
        async with model_request_stream(MODEL, messages) as response:
            async for _ in response:
                pass
        return response.get().text

    assert asyncio.run(stream()) == expected


def test_those_of_the_parameters_win() -> None:
    parameters = ModelRequestParameters(instruction_parts=[InstructionPart(content='C')])
    assert model_request_sync(MODEL, conversation('A'), model_request_parameters=parameters).text == 'C'
    nothing = ModelRequestParameters(instruction_parts=[])
    assert model_request_sync(MODEL, conversation('A'), model_request_parameters=nothing).text == 'None'
    assert parameters.instruction_parts == [InstructionPart(content='C')]
