"""Deferred calls in streamed runs: `run_stream`, an event handler, and `run_stream_events`."""

import asyncio

from _common import fact
from _deferred import OUTPUT, external, need
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.messages import ModelResponse
from pydantic_ai.models.function import DeltaToolCall, FunctionModel


async def answer(messages, info):
    if not any(isinstance(message, ModelResponse) for message in messages):
        yield {0: DeltaToolCall(name='need', json_args='{"x": 1}', tool_call_id='n')}
        yield {1: DeltaToolCall(name='ask', json_args='{}', tool_call_id='a')}
    else:
        yield 'do'
        yield 'ne'


def build():
    return need(Agent(FunctionModel(stream_function=answer), output_type=OUTPUT, toolsets=[external('ask')]))


def outline(messages):
    return [[type(part).__name__ for part in message.parts] for message in messages]


async def main():
    print('== run_stream')
    async with build().run_stream('q') as result:
        requests = await result.get_output()
        history = result.all_messages()
    fact('output', requests)
    fact('messages', outline(history))
    answers = requests.build_results(approve_all=True, calls={'a': 5})
    async with build().run_stream(message_history=history, deferred_tool_results=answers) as result:
        fact('resumed', await result.get_output())
    fact('messages', outline(result.all_messages()))
    print('== event handler')
    names = []

    async def handler(ctx, events):
        async for event in events:
            names.append(type(event).__name__)

    first = await build().run('q', event_stream_handler=handler)
    fact('asked', [names, first.output])
    names.clear()
    second = await build().run(
        message_history=first.all_messages(), deferred_tool_results=answers, event_stream_handler=handler
    )
    fact('resumed', [names, second.output])
    print('== run_stream_events')
    denied = requests.build_results(approvals={'n': False}, calls={'a': ModelRetry('not so')})
    events = build().run_stream_events(message_history=history, deferred_tool_results=denied)
    fact('denied', [type(event).__name__ async for event in events])


asyncio.run(main())
