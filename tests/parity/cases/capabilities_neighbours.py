"""Requests that follow each other: hooks see them apart, the model sees them as one."""

from pydantic_ai import Agent, RunContext
from pydantic_ai.capabilities import Hooks
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel


def respond(messages, info):
    print('sent', [[p.part_kind for p in m.parts] for m in messages])
    if len(messages) < 2:
        return ModelResponse(parts=[ToolCallPart('step', {}, 'c1')])
    return ModelResponse(parts=[TextPart('x')])


def before(ctx, rc):
    print(
        'before',
        [[p.part_kind for p in m.parts] for m in rc.messages],
        [[p.part_kind for p in m.parts] for m in ctx.messages],
    )
    return rc


def after(ctx, *, request_context, response):
    print('after', [[p.part_kind for p in m.parts] for m in request_context.messages], len(ctx.messages))
    return response


a = Agent(FunctionModel(respond), capabilities=[Hooks(before_model_request=before, after_model_request=after)])


@a.tool
def step(ctx: RunContext) -> int:
    ctx.enqueue('more')
    return 1


r = a.run_sync('hi')
print([[p.part_kind for p in m.parts] for m in r.all_messages()], len(r.new_messages()))
