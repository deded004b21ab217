"""`cancel()`: what is known after it, and what can still be read."""

import asyncio

from _common import fact
from _stream import call, parts, script
from pydantic_ai import Agent


async def main():
    async with Agent(script(['one ', 'two ', 'three'])).run_stream('q') as result:
        fact('before', [result.cancelled, result.is_complete])
        await result.cancel()
        fact('at once', [result.cancelled, result.is_complete, result.response.state, parts([result.response])])
        await result.cancel()
        fact('twice', [result.cancelled, parts(result.all_messages())])
    async with Agent(script(['one ', 'two ', 'three'])).run_stream('q') as result:
        await result.get_output()
        await result.cancel()
        fact('after the end', [result.is_complete, parts(result.all_messages())])
    agent = Agent(script(['one ', 'two'], ['end']))
    async with agent.iter('q') as run:
        node = await run.next(run.next_node)
        async with node.stream(run.ctx) as stream:
            await stream.cancel()
            fact('node', [stream.cancelled, stream.response.state])
        fact('node messages', run.all_messages()[-1].state)
    async with Agent(script(call('final_result', '{"response": 3}')), output_type=int).run_stream('q') as result:
        await result.cancel()
        fact('tool output', [result.cancelled, result.response.state, parts(result.all_messages())])


asyncio.run(main())
