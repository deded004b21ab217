"""`ReinjectSystemPrompt` under every way to run, with histories that have none, some or other system prompts."""

import asyncio

from pydantic_ai import Agent
from pydantic_ai.capabilities import ReinjectSystemPrompt
from pydantic_ai.messages import ModelRequest, ModelResponse, SystemPromptPart, TextPart, UserPromptPart
from pydantic_ai.models.function import FunctionModel
from pydantic_graph import End

sent = []


def prompts(messages):
    return [[f'{part.part_kind}: {part.content}' for part in message.parts] for message in messages]


async def stream(messages, info):
    sent.append(prompts(messages))
    yield 'done'


def respond(messages, info):
    sent.append(prompts(messages))
    return ModelResponse(parts=[TextPart('done')])


model = FunctionModel(respond, stream_function=stream)


def history(*system):
    parts = [SystemPromptPart(text) for text in system]
    return [ModelRequest(parts=[*parts, UserPromptPart('before')]), ModelResponse(parts=[TextPart('answer')])]


HISTORIES = {
    'none': None,
    'without': history(),
    'own': history('be good'),
    'other': history('be bad'),
    'both': history('be bad', 'be good'),
    'later': [
        *history(),
        ModelRequest(parts=[SystemPromptPart('late'), UserPromptPart('more')]),
        ModelResponse(parts=[TextPart('x')]),
    ],
    'response first': [ModelResponse(parts=[TextPart('hello')]), *history()],
}


def agents():
    yield 'static', Agent(model, system_prompt='be good', capabilities=[ReinjectSystemPrompt()])
    yield 'replace', Agent(model, system_prompt='be good', capabilities=[ReinjectSystemPrompt(replace_existing=True)])
    dynamic = Agent(model, system_prompt='be good', capabilities=[ReinjectSystemPrompt()])
    dynamic.system_prompt(lambda ctx: f'prompt {ctx.prompt}')
    yield 'dynamic', dynamic
    yield 'without one', Agent(model, capabilities=[ReinjectSystemPrompt(replace_existing=True)])


async def ways(agent, messages):
    async def copy():
        return list(messages) if messages else None

    result = await agent.run('now', message_history=await copy())
    yield 'run', prompts(result.all_messages())
    async with agent.run_stream('now', message_history=await copy()) as streamed:
        await streamed.get_output()
    yield 'run_stream', prompts(streamed.all_messages())
    async with agent.iter('now', message_history=await copy()) as run:
        node = run.next_node
        while not isinstance(node, End):
            node = await run.next(node)
    yield 'next', prompts(run.result.all_messages())


async def main():
    for name, agent in agents():
        for label, messages in HISTORIES.items():
            outcomes = {}
            async for way, history in ways(agent, messages):
                outcomes.setdefault(repr([sent[:], history]), []).append(way)
                sent.clear()
            for fact, names in outcomes.items():
                print(name, label, '+'.join(names), fact)


asyncio.run(main())
