"""Model settings of the model, the agent and the run, as values and as functions."""

from _common import fact
from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models.function import FunctionModel

seen = []


def answer(messages, info):
    seen.append(info.model_settings)
    return ModelResponse(parts=[TextPart('x')])


model = FunctionModel(answer, settings={'max_tokens': 1, 'temperature': 0.1, 'top_p': 0.1})
Agent(model, model_settings={'temperature': 0.2, 'top_p': 0.2}).run_sync('q', model_settings={'top_p': 0.3})
Agent(model, model_settings=lambda ctx: {'temperature': ctx.run_step}).run_sync(
    'q', model_settings=lambda ctx: {'top_p': dict(ctx.model_settings)['temperature']}
)
Agent(FunctionModel(answer)).run_sync('q')
fact('settings', seen)
