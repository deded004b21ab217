"""Events of what was enqueued, and of calls that wait and are decided."""

import asyncio

from pydantic_ai import Agent, ApprovalRequired, CallDeferred, DeferredToolRequests, DeferredToolResults, RunContext
from pydantic_ai.capabilities import HandleDeferredToolCalls
from pydantic_ai.messages import EnqueuedMessagesEvent, ModelRequest, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.models.function import DeltaToolCall, FunctionModel

PARTS = ('PartStartEvent', 'PartDeltaEvent', 'PartEndEvent', 'FinalResultEvent')
ids = []


def script(*steps):
    """Return a model that answers with texts and calls."""
    left = list(steps)

    async def answer(messages, info):
        step = left.pop(0)
        if isinstance(step, str):
            yield step
        else:
            yield {
                index: DeltaToolCall(name=name, json_args='{}', tool_call_id=f'c{index}')
                for index, name in enumerate(step)
            }

    return FunctionModel(stream_function=answer)


async def show(ctx, stream):
    """Print events."""
    async for event in stream:
        name = type(event).__name__
        if isinstance(event, EnqueuedMessagesEvent):
            texts = [[part.content for part in message.parts] for message in event.messages]
            print(name, texts, event.enqueue_id in ids, [message.run_id == ctx.run_id for message in event.messages])
            print('  ', [part.content for part in event.parts])
        elif name in PARTS:
            print(name)
        elif 'Deferred' in name:
            print(event)
        else:
            print(name, event.part.tool_name)


async def ask(ctx: RunContext[None]) -> str:
    """Need an approval."""
    if not ctx.tool_call_approved:
        raise ApprovalRequired(metadata={'a': 1})
    return 'x'


async def elsewhere(ctx: RunContext[None]) -> str:
    """Have no result here."""
    raise CallDeferred


async def main():
    """Run agents whose calls wait, and whose tools enqueue messages."""
    agent = Agent(script(['put'], 'done', 'more'))

    @agent.tool
    async def put(ctx: RunContext[None]) -> str:
        ids.append(ctx.enqueue('hello'))
        ids.append(ctx.enqueue('idle', priority='when_idle'))
        ids.append(ctx.enqueue(ModelResponse(parts=[TextPart('t')]), ModelRequest(parts=[UserPromptPart('y')]), 'w'))
        return 'x'

    await agent.run('q', event_stream_handler=show)
    output_type = [str, DeferredToolRequests]
    waiting = Agent(script(['ask', 'elsewhere'], 'done'), tools=[ask, elsewhere], output_type=output_type)
    result = await waiting.run('q', event_stream_handler=show)
    print(type(result.output).__name__)
    results = DeferredToolResults(approvals={'c0': True}, calls={'c1': 5})
    history = result.all_messages()
    await waiting.run(message_history=history, deferred_tool_results=results, event_stream_handler=show)
    for known in (results, DeferredToolResults(approvals={'c0': True})):

        async def decide(ctx, requests, known=known):
            return known

        deciding = Agent(
            script(['ask', 'elsewhere'], 'done'),
            tools=[ask, elsewhere],
            output_type=output_type,
            capabilities=[HandleDeferredToolCalls(decide)],
        )
        result = await deciding.run('q', event_stream_handler=show)
        print(type(result.output).__name__)


asyncio.run(main())
