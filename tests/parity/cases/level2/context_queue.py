"""Messages that wait in the queue of a run are taken out, and moved."""

import asyncio
from typing import Any

from pydantic_ai import Agent, RunContext
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel


def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    if sum(message.kind == 'response' for message in messages) == 0:
        return ModelResponse(parts=[ToolCallPart('look', {})])
    return ModelResponse(parts=[TextPart('done')])


agent = Agent(FunctionModel(model))


def attempt(name: str, function: Any) -> None:
    try:
        print(name, function())
    except Exception as error:
        print(name, type(error).__name__)


@agent.tool
async def look(ctx: RunContext[None]) -> str:
    first, second = ctx.enqueue('first'), ctx.enqueue('second')
    third, fourth = ctx.enqueue('third', priority='when_idle'), ctx.enqueue('fourth', priority='when_idle')
    print(type(first).__name__, len({first, second, third, fourth}), ctx.enqueue())
    print([(one.priority, one.enqueue_id in (first, second)) for one in ctx.pending_messages or ()])
    for name in (first, 'unknown'):
        attempt('dequeue', lambda name=name: ctx.dequeue(name))
        attempt('dequeue', lambda name=name: ctx.dequeue(name))
    attempt('set', lambda: ctx.set_enqueue_priority(third, 'asap'))
    attempt('set same', lambda: ctx.set_enqueue_priority(second, 'asap'))
    attempt('set unknown', lambda: ctx.set_enqueue_priority('unknown', 'asap'))
    print([one.priority for one in ctx.pending_messages or ()])
    return 'x'


async def main() -> None:
    async with agent.iter('go') as run:
        early = run.enqueue('early')
        late = run.enqueue('late', priority='when_idle')
        print(run.dequeue(early), run.dequeue(early), run.set_enqueue_priority(late, 'asap'))
        async for _ in run:
            pass
    assert run.result is not None
    parts = [part for message in run.result.all_messages() for part in message.parts]
    print([(type(part).__name__, getattr(part, 'content', None)) for part in parts])
    print(run.dequeue(late), run.set_enqueue_priority(late, 'asap'))


asyncio.run(main())
