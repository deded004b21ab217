"""`run_stream_events`: its options, its result, and how often it can be read."""

import asyncio

from _common import fact
from _stream import call, script
from pydantic_ai import Agent
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.usage import RunUsage


async def collect(events):
    return [event async for event in events]


async def main():
    history = [ModelRequest(parts=[UserPromptPart('old')]), ModelResponse(parts=[TextPart('older')])]
    usage = RunUsage(requests=3)
    async with Agent(script(['one'])).run_stream_events(
        'q', message_history=history, usage=usage, metadata={'k': 1}, conversation_id='c'
    ) as events:
        last = (await collect(events))[-1]
    result = last.result
    fact(
        'result',
        [
            last.event_kind,
            result.output,
            len(result.all_messages()),
            len(result.new_messages()),
            usage.requests,
            result.metadata,
            result.conversation_id,
        ],
    )
    async with Agent(script(call('final_result', '{"response": 3}'))).run_stream_events('q', output_type=int) as events:
        seen = await collect(events)
    fact('output type', [[type(event).__name__ for event in seen], seen[-1].result.output])
    async with Agent(script(['one'])).run_stream_events('q') as events:
        first = await events.__anext__()
        rest = await collect(events)
        fact('first', [type(first).__name__, [type(event).__name__ for event in rest]])
        fact('again', len(await collect(events)))
    async with Agent(script(['one'])).run_stream_events(
        'q', instructions='be brief', model_settings={'max_tokens': 5}
    ) as events:
        result = (await collect(events))[-1].result
    fact('instructions', result.all_messages()[0].instructions)
    agent = Agent(script(['one']))
    with agent.override(model=script(['other'])):
        async with agent.run_stream_events('q') as events:
            fact('override', (await collect(events))[-1].result.output)
    async with Agent().run_stream_events('q', model=script(['given'])) as events:
        fact('model', (await collect(events))[-1].result.output)
    try:
        async with Agent().run_stream_events('q') as events:
            await collect(events)
    except Exception as error:
        fact('no model', type(error).__name__)


asyncio.run(main())
