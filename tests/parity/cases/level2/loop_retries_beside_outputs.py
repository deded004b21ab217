"""Calls beside an output in 2.x: a tool that asks for another try is heard first, and answers are in the order of the calls."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

from pydantic import BaseModel
from pydantic_ai import Agent, ModelRetry, ToolOutput
from pydantic_ai.agent import EndStrategy
from pydantic_ai.exceptions import AgentRunError, ToolFailed
from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel


class Answer(BaseModel):
    x: int


async def answer(x: int) -> Answer:
    if x == 7:
        raise ModelRetry('bad')
    return Answer(x=x)


async def retry() -> int:
    raise ModelRetry('no')


async def fail() -> int:
    raise ToolFailed('failed')


async def one() -> int:
    return 1


CALLS = {
    'retry': {},
    'fail': {},
    'one': {},
    'nope': {},
    'invalid': {'name': 'one', 'args': {'y': (1,)}},
    'output': {'name': 'output', 'args': {'x': 1}},
    'other': {'name': 'output', 'args': {'x': 2}},
    'bad': {'name': 'output', 'args': {'x': 7}},
    'no output': {'name': 'output', 'args': {'x': 'a'}},
}


def called(names: str) -> list[ToolCallPart]:
    calls = [(name, CALLS[name]) for name in names.split(', ')]
    return [ToolCallPart(call.get('name', name), call.get('args', {}), name) for name, call in calls]


async def show(names: str, end_strategy: EndStrategy, events: bool = False, streamed: bool = False) -> None:
    steps = iter(
        [called(names), [ToolCallPart('output', {'x': 9}, 'later')], [ToolCallPart('output', {'x': 9}, 'last')]]
    )

    def whole(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=[*next(steps)])

    async def pieces(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[DeltaToolCalls]:
        for index, call in enumerate(next(steps)):
            yield {index: DeltaToolCall(call.tool_name, json.dumps(call.args), tool_call_id=call.tool_call_id)}

    async def seen(ctx: object, stream: AsyncIterator[object]) -> None:
        async for event in stream:
            kind, part = getattr(event, 'event_kind', ''), getattr(event, 'part', None)
            if kind.endswith(('_call', '_result')) and part is not None:
                print('   ', kind, part.tool_call_id, getattr(part, 'content', ''))

    agent = Agent(
        FunctionModel(whole, stream_function=pieces),
        output_type=ToolOutput(answer, name='output'),
        tools=[retry, fail, one],
        end_strategy=end_strategy,
        retries=2,
    )
    print(f'{names}, {end_strategy}{", with events" * events}{", streamed" * streamed}')
    try:
        if streamed:
            async with agent.run_stream('q') as stream:
                output, messages = await stream.get_output(), stream.all_messages()
        else:
            result = await agent.run('q', event_stream_handler=seen if events else None)
            output, messages = result.output, result.all_messages()
    except AgentRunError as error:
        print('  ', type(error).__name__)
        return
    for part in messages[2].parts:
        print(
            '  ',
            part.part_kind,
            getattr(part, 'tool_call_id', ''),
            getattr(part, 'content', ''),
            getattr(part, 'outcome', ''),
        )
    print('  ', output)


async def main() -> None:
    for strategy in ('early', 'graceful', 'exhaustive'):
        for names in (
            'retry, output',
            'output, one, retry',
            'nope, one, output, other',
            'invalid, output',
            'fail, output',
            'bad, one, output',
            'retry, no output, other, output',
            'output, no output, bad',
            'nope, retry, one',
        ):
            await show(names, strategy)
    for names in ('output, one', 'output, retry', 'output, other, nope'):
        await show(names, 'early', events=True)
        await show(names, 'graceful', events=True)
        await show(names, 'graceful', streamed=True)


asyncio.run(main())
