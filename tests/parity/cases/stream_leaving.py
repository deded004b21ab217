"""Streams that are left early, cancelled, or break: what is kept."""

import asyncio

from _common import fact
from _stream import parts, script
from pydantic_ai import Agent, UsageLimits


async def main():
    async with Agent(script(['one ', 'two ', 'three'])).run_stream('q') as result:
        async for text in result.stream_text(debounce_by=None):
            break
        fact('broken off', [text, result.is_complete, result.response.state, parts(result.all_messages())])
    async with Agent(script(['one ', 'two ', 'three'])).run_stream('q') as result:
        pass
    fact('not read', result.is_complete)
    try:
        async with Agent(script(['one ', 'two ', 'three'])).run_stream('q') as result:
            raise KeyError('mine')
    except Exception as error:
        fact('error inside', type(error).__name__)
    async with Agent(script(['one ', 'two ', 'three'])).run_stream('q') as result:
        async for text in result.stream_text(debounce_by=None):
            await result.cancel()
        fact('cancelled', [result.is_complete, result.cancelled, result.response.state, parts(result.all_messages())])
    fact('after', parts(result.all_messages()))
    try:
        async with Agent(script(['one ', ValueError('boom')])).run_stream('q') as result:
            async for text in result.stream_text(debounce_by=None):
                fact('text', text)
    except Exception as error:
        fact('breaks', [type(error).__name__, str(error)])
    try:
        await Agent(script(['one ', ValueError('boom')])).run('q', event_stream_handler=nothing)
    except Exception as error:
        fact('breaks in run', [type(error).__name__, str(error)])
    try:
        async with Agent(script([ValueError('boom')])).run_stream('q') as result:
            fact('never', None)
    except Exception as error:
        fact('breaks at once', [type(error).__name__, str(error)])
    agent = Agent(script(['one ', 'two']))
    async with agent.iter('q') as run:
        node = await run.next(run.next_node)
        async with node.stream(run.ctx) as stream:
            async for event in stream:
                break
        fact('node left', [stream.response.state, parts(run.all_messages())])
        node = await run.next(node)
        fact('next', [type(node).__name__, parts([node.model_response])])

    async def failing(ctx, stream):
        async for event in stream:
            raise ValueError('in handler')

    try:
        await Agent(script(['one ', 'two'])).run('q', event_stream_handler=failing)
    except Exception as error:
        fact('handler fails', [type(error).__name__, str(error)])
    for limits in (UsageLimits(request_limit=0), UsageLimits(output_tokens_limit=1)):
        try:
            async with Agent(script(['one two three', 'four'])).run_stream('q', usage_limits=limits) as result:
                fact('limits', await result.get_output())
        except Exception as error:
            fact('limits', [type(error).__name__, str(error)])


async def nothing(ctx, stream):
    async for _ in stream:
        pass


asyncio.run(main())
