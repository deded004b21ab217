"""Requests that follow each other: hooks see them apart, the model sees them as one."""

from pydantic_ai import Agent, RunContext
from pydantic_ai.capabilities import Hooks
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel


def respond(messages, info):
    print('sent', [[part.part_kind for part in message.parts] for message in messages])
    if len(messages) < 2:
        return ModelResponse(parts=[ToolCallPart('step', {}, 'c1')])
    return ModelResponse(parts=[TextPart('x')])


def before(ctx, request_context):
    print(
        'before',
        [[part.part_kind for part in message.parts] for message in request_context.messages],
        [[part.part_kind for part in message.parts] for message in ctx.messages],
    )
    return request_context


def after(ctx, *, request_context, response):
    print(
        'after', [[part.part_kind for part in message.parts] for message in request_context.messages], len(ctx.messages)
    )
    return response


agent = Agent(FunctionModel(respond), capabilities=[Hooks(before_model_request=before, after_model_request=after)])


@agent.tool
def step(ctx: RunContext) -> int:
    ctx.enqueue('more')
    return 1


result = agent.run_sync('hi')
print([[part.part_kind for part in message.parts] for message in result.all_messages()], len(result.new_messages()))
