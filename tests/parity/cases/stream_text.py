"""`run_stream` with text: what the ways to read it give, and what is known when."""

import asyncio
import json

from _common import fact
from _stream import attempt, parts, script
from pydantic_ai import Agent
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, UserPromptPart


def agent(**options):
    return Agent(script(['one ', 'two ', 'three']), **options)


async def texts(result, **options):
    return [text async for text in result.stream_text(debounce_by=None, **options)]


async def main():
    for name, options in (('whole', {}), ('delta', {'delta': True})):
        async with agent().run_stream('q') as result:
            fact(name, await texts(result, **options))
            fact('complete', [result.is_complete, result.response.state, result.cancelled])
            fact('usage', [result.usage.requests, result.usage.output_tokens])
            await attempt('again', texts(result))
            await attempt('again delta', texts(result, delta=True))
            await attempt('output', result.get_output())
        fact('messages', parts(result.all_messages()))
        fact('new', parts(result.new_messages()))
    async with agent().run_stream('q') as result:
        fact('before', [result.is_complete, result.response.state, parts(result.all_messages()), result.usage.requests])
        fact('output', await result.get_output())
        fact('after', [result.is_complete, result.response.state, parts(result.all_messages()), result.usage.requests])
    async with agent().run_stream('q') as result:
        fact('stream_output', [out async for out in result.stream_output(debounce_by=None)])
        fact('messages', parts(result.all_messages()))
    async with agent().run_stream('q') as result:
        fact('stream_response', [parts([response]) async for response in result.stream_response(debounce_by=None)])
    async with agent().run_stream('q') as result:
        fact(
            'stream_responses',
            [[parts([response]), last] async for response, last in result.stream_responses(debounce_by=None)],
        )
    async with agent().run_stream('q') as result:
        fact('stream', [out async for out in result.stream(debounce_by=None)])
    async with agent().run_stream('q') as result:
        fact(
            'stream_structured',
            [[parts([response]), last] async for response, last in result.stream_structured(debounce_by=None)],
        )
    async with agent().run_stream('q') as result:
        fact('debounced', len([text async for text in result.stream_text()]))
    history = [ModelRequest(parts=[UserPromptPart('old')]), ModelResponse(parts=[TextPart('older')])]
    async with agent().run_stream('q', message_history=history, metadata={'k': 1}, conversation_id='c') as result:
        await result.get_output()
        fact(
            'history', [len(result.all_messages()), len(result.new_messages()), result.metadata, result.conversation_id]
        )
        fact('json', [len(json.loads(result.all_messages_json())), len(json.loads(result.new_messages_json()))])
        fact('ids', [message.run_id == result.run_id for message in result.new_messages()])
    result = await agent().run('q', event_stream_handler=lambda ctx, stream: asyncio.sleep(0))
    fact('handler that reads nothing', [result.output, parts(result.all_messages())])


asyncio.run(main())
