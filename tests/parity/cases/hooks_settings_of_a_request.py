"""The settings that hooks and tools see: a dict, also where nothing is set, in which a hook may set something."""

from pydantic_ai import Agent, RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.test import TestModel


class Looks(AbstractCapability):
    async def before_model_request(self, ctx, request_context):
        same = request_context.model_settings is ctx.model_settings
        print('  hook', request_context.model_settings, ctx.model_settings, same)
        return request_context


class Sets(Looks):
    async def before_model_request(self, ctx, request_context):
        request_context.model_settings['seed'] = ctx.run_step
        return await super().before_model_request(ctx, request_context)


class Own(FunctionModel):
    async def request(self, messages, model_settings, model_request_parameters):
        print('  request', model_settings)
        return await super().request(messages, model_settings, model_request_parameters)


def answer(messages, info):
    print('  model', info.model_settings)
    return ModelResponse([TextPart('Done.')])


for of_agent in (None, {}, {'top_p': 0.5}):
    for of_model in (None, {'max_tokens': 3}):
        for capabilities in ([], [Looks()], [Sets()]):
            print(of_agent, of_model, *(type(capability).__name__ for capability in capabilities))
            model = Own(answer, settings=of_model)
            Agent(model, model_settings=of_agent and {**of_agent}, capabilities=capabilities).run_sync('Go')


def tool(ctx: RunContext):
    print('  tool', ctx.model_settings)


Agent(TestModel(), tools=[tool]).run_sync('Go')
