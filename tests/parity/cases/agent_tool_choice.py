"""A `tool_choice` that makes the model call tools in every step: where it is refused, and where it is not."""

import asyncio

from _common import fact
from pydantic_ai import Agent, ToolOutput
from pydantic_ai.capabilities import AbstractCapability, Hooks
from pydantic_ai.direct import model_request
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart
from pydantic_ai.models.test import TestModel
from pydantic_ai.settings import ToolOrOutput
from pydantic_ai.usage import UsageLimits

sent = []


class Model(TestModel):
    async def request(self, messages, model_settings, model_request_parameters):
        sent.append(str((model_settings or {}).get('tool_choice')))
        return ModelResponse(parts=[TextPart('done')])


class Settings(AbstractCapability):
    def __init__(self, settings):
        self.settings = settings

    def get_model_settings(self):
        return self.settings


async def run(name, agent_options=None, run_options=None, *, of_model=None, override=None):
    sent.clear()
    try:
        agent = Agent(Model(settings=of_model), **(agent_options or {}))
        agent.tool_plain(lambda: 'done', name='t')
        with agent.override(**(override or {})):
            await agent.run('hi', usage_limits=UsageLimits(request_limit=3), **(run_options or {}))
        outcome = 'ran'
    except Exception as error:
        outcome = type(error).__name__
    fact(name, [outcome, *sent])


def chosen(choice):
    return {'model_settings': {'tool_choice': choice}}


async def one_by_one():
    for choice in ['required', ['t'], [], 'none', 'auto', ToolOrOutput(function_tools=['t'])]:
        await run(f'agent {choice}', chosen(choice))
        await run(f'run {choice}', {}, chosen(choice))
        await run(f'model {choice}', of_model={'tool_choice': choice})


async def layers(choice):
    auto, settings = chosen('auto'), {'tool_choice': choice}
    await run(f'{choice}, run auto', chosen(choice), auto)
    await run(f'{choice} at the run over auto', auto, chosen(choice))
    await run(f'{choice} of the model, run auto', {}, auto, of_model=settings)
    await run(f'{choice} in an override', override=chosen(choice))
    await run(f'{choice} by a function', {'model_settings': lambda ctx: settings})
    await run(f'{choice} by a function of the run', {}, {'model_settings': lambda ctx: settings})
    await run(f'{choice}, run a function', chosen(choice), {'model_settings': lambda ctx: {'tool_choice': 'auto'}})
    capability, varying = Settings(settings), Settings(lambda ctx: settings)
    await run(f'{choice} of a capability', {'capabilities': [capability]})
    await run(f'{choice} of a capability of the run', {}, {'capabilities': [capability]})
    await run(f'{choice} of a capability by a function', {'capabilities': [varying]})
    await run(f'{choice}, capability auto', {**chosen(choice), 'capabilities': [Settings({'tool_choice': 'auto'})]})

    async def choose(ctx, request_context):
        request_context.model_settings = settings
        return request_context

    await run(f'{choice} by a hook', {'capabilities': [Hooks(before_model_request=choose)]})
    if choice == 'required':
        await run(f'{choice}, output tool', {'output_type': ToolOutput(int), **chosen(choice)})
        await run('name of the output tool', {'output_type': ToolOutput(int), **chosen(['final_result'])})


async def ways():
    agent = Agent(Model(), **chosen('required'))

    async def streamed():
        async with agent.run_stream('hi'):
            pass

    async def stepped():
        async with agent.iter('hi'):
            pass

    async def events():
        async with agent.run_stream_events('hi') as stream:
            async for _ in stream:
                pass

    async def direct():
        await model_request(Model(), [ModelRequest.user_text_prompt('hi')], model_settings={'tool_choice': 'required'})

    for way in (streamed, stepped, events, direct):
        try:
            await way()
            fact(way.__name__, 'ran')
        except Exception as error:
            fact(way.__name__, type(error).__name__)


async def main():
    await one_by_one()
    for choice in ['required', ['t']]:
        await layers(choice)
    await ways()


asyncio.run(main())
