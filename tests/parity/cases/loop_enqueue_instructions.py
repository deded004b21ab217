"""Instructions of requests that were enqueued, and of those before them."""

import asyncio

from _common import fact
from pydantic_ai import Agent
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import FunctionModel


def request(instructions):
    return ModelRequest(parts=[UserPromptPart('more')], instructions=instructions)


def response():
    return ModelResponse(parts=[TextPart('r')])


ENQUEUED = {
    'own': lambda: [request('own')],
    'none': lambda: [request(None)],
    'text': lambda: ['text'],
    'own, own': lambda: [request('own'), request('second')],
    'own, none': lambda: [request('own'), request(None)],
    'none, own': lambda: [request(None), request('own')],
    'own, text': lambda: [request('own'), 'text'],
    'own, response, none': lambda: [request('own'), response(), request(None)],
    'none, response, own': lambda: [request(None), response(), request('own')],
}


def outline(messages):
    return [[m.kind, getattr(m, 'instructions', None), [part.part_kind for part in m.parts]] for m in messages]


async def run(name, instructions, enqueued, priority):
    sent = []

    async def answer(messages, info):
        sent.append([info.instructions, outline(messages)])
        return ModelResponse(parts=[ToolCallPart('t', {}, 'c') if len(messages) == 1 else TextPart('done')])

    agent = Agent(FunctionModel(answer), instructions=instructions)

    @agent.tool
    def t(ctx):
        if ctx.run_step == 1:
            ctx.enqueue(*enqueued, priority=priority)
        return 1

    result = await agent.run('hi')
    fact(f'{name} sent', sent[1:])
    fact(f'{name} kept', outline(result.all_messages()))


async def main():
    for instructions in ('agent', None):
        for priority in ('asap', 'when_idle'):
            for name, enqueued in ENQUEUED.items():
                await run(f'{instructions} {priority} {name}', instructions, enqueued(), priority)


asyncio.run(main())
