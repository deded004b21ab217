"""Messages of a streamed run: before, while and after it is read, as lists and as JSON."""

import asyncio
import json

from _common import fact
from _stream import call, parts, script
from pydantic_ai import Agent
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, UserPromptPart


async def main():
    history = [ModelRequest(parts=[UserPromptPart('old')]), ModelResponse(parts=[TextPart('older')])]
    async with Agent(script(call('final_result', '{"response": 3}')), output_type=int).run_stream(
        'q', message_history=history
    ) as result:
        fact('before', [parts(result.all_messages()), parts(result.new_messages())])
        async for _ in result.stream_output(debounce_by=None):
            fact('while', [len(result.all_messages()), len(result.new_messages())])
        fact('after', [parts(result.all_messages()), parts(result.new_messages())])
        fact(
            'json',
            [
                [message['kind'] for message in json.loads(data)]
                for data in (result.all_messages_json(), result.new_messages_json())
            ],
        )
    async with Agent(script(['text'])).run_stream('q') as result:
        response = result.response
        fact('response', [response.model_name, response.finish_reason, response.provider_name, response.state])
        await result.get_output()
        last = result.all_messages()[-1]
        fact(
            'last',
            [
                last.model_name,
                last.usage.output_tokens,
                last.run_id == result.run_id,
                last.conversation_id == result.conversation_id,
            ],
        )
    result = await Agent(script(['text'])).run('q', event_stream_handler=read)
    last = result.all_messages()[-1]
    fact('run', [last.model_name, last.usage.output_tokens, last.state, last.run_id == result.run_id])
    async with Agent(script(['and ', 'more'])).run_stream('q2', message_history=result.all_messages()) as result:
        fact('continued', [await result.get_output(), len(result.all_messages()), len(result.new_messages())])
    async with Agent(script(['resumed'])).run_stream(message_history=history[:1]) as result:
        fact('without prompt', [await result.get_output(), parts(result.all_messages()), len(result.new_messages())])


async def read(ctx, stream):
    async for _ in stream:
        pass


asyncio.run(main())
