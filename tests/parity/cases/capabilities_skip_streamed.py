"""Requests that hooks answer in place of the model: what streams show, and what is counted."""

import asyncio

from _hooks import scripted
from pydantic_ai import Agent, SkipModelRequest
from pydantic_ai.capabilities import Hooks
from pydantic_ai.messages import ModelResponse, TextPart, ThinkingPart, ToolCallPart
from pydantic_ai.usage import RequestUsage


def answers():
    yield 'text', lambda: ModelResponse(parts=[TextPart('skipped')])
    yield (
        'with usage',
        lambda: ModelResponse(parts=[TextPart('skipped')], usage=RequestUsage(input_tokens=5), model_name='cache'),
    )
    yield 'thinking', lambda: ModelResponse(parts=[ThinkingPart('hm'), TextPart('skipped')])
    yield 'call', lambda: ModelResponse(parts=[ToolCallPart('double', {'x': 21}, 'c9')])


def skipping(make, way):
    skips = []

    def before(ctx, request_context):
        if not skips:
            skips.append(1)
            raise SkipModelRequest(make())
        return request_context

    async def around(ctx, *, request_context, handler):
        if not skips:
            skips.append(1)
            return make()
        return await handler(request_context)

    return Hooks(before_model_request=before) if way == 'skip' else Hooks(model_request=around)


async def ways(agent_of):
    result = await agent_of().run('hi')
    print(
        '   run',
        result.output,
        result.usage.requests,
        result.usage.input_tokens > 5,
        [message.kind for message in result.all_messages()],
    )
    async with agent_of().run_stream('hi') as streamed:
        chunks = [chunk async for chunk in streamed.stream_text(debounce_by=None)]
        print('   run_stream', chunks, streamed.is_complete, [message.kind for message in streamed.all_messages()])
    async with agent_of().run_stream_events('hi') as events:
        print('   events', [type(event).__name__ async for event in events])
    async with agent_of().iter('hi') as run:
        async for node in run:
            if hasattr(node, 'request'):
                async with node.stream(run.ctx) as stream:
                    print(
                        '   node',
                        [type(event).__name__ async for event in stream],
                        [part.part_kind for part in stream.response.parts],
                    )
    print('   iter', run.result.output)


for label, make in answers():
    for way in ('skip', 'wrap'):
        print(label, way)

        def agent_of():
            agent = Agent(scripted(None, 'text')[0], capabilities=[skipping(make, way)])

            @agent.tool_plain
            def double(x: int) -> int:
                return x * 2

            return agent

        try:
            asyncio.run(ways(agent_of))
        except Exception as error:
            print('   ', type(error).__name__)
