"""Swapping the model and its settings in hooks around the request, whether it is streamed or not, and for how long."""

import asyncio

from _hooks import MODES, run_as
from pydantic_ai import Agent, UsageLimits
from pydantic_ai.capabilities import Hooks
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import DeltaToolCall, FunctionModel

seen = []


def model(name):
    def part(messages, info):
        seen.append(
            [name, dict(info.model_settings or {}), [tool.name for tool in info.function_tools], info.instructions]
        )
        return ToolCallPart('step', '{}', f'c{len(messages)}') if len(messages) < 4 else TextPart(f'by {name}')

    async def stream(messages, info):
        chosen = part(messages, info)
        yield (
            chosen.content
            if isinstance(chosen, TextPart)
            else {0: DeltaToolCall('step', '{}', tool_call_id=chosen.tool_call_id)}
        )

    return FunctionModel(
        lambda messages, info: ModelResponse(parts=[part(messages, info)]), stream_function=stream, model_name=name
    )


own, other, third = model('own'), model('other'), model('third')


def swap(model, step=None):
    def before(ctx, request_context):
        if step is None or ctx.run_step == step:
            request_context.model = model
        seen.append(f'context says {ctx.model.model_name}, request says {request_context.model.model_name}')
        return request_context

    return Hooks(before_model_request=before)


async def around(ctx, *, request_context, handler):
    request_context.model = third
    request_context.model_settings = {'seed': ctx.run_step}
    return await handler(request_context)


async def twice(ctx, *, request_context, handler):
    first = await handler(request_context)
    request_context.model = other
    second = await handler(request_context)
    seen.append(['twice', first.model_name, second.model_name])
    return second


def settings(ctx, request_context):
    request_context.model_settings = {**(request_context.model_settings or {}), 'top_p': 0.1 * ctx.run_step}
    return request_context


def in_place(ctx, request_context):
    request_context.model_settings['max_tokens'] = ctx.run_step
    return request_context


def read(ctx, request_context):
    seen.append(['context', dict(ctx.model_settings or {}), 'request', dict(request_context.model_settings or {})])
    return request_context


CASES = {
    'always': [swap(other)],
    'at the second step': [swap(other, 2)],
    'two hooks': [swap(other), swap(third, 1)],
    'wrap over before': [swap(other), Hooks(model_request=around)],
    'settings': [Hooks(before_model_request=settings), Hooks(before_model_request=read)],
    'settings in place': [Hooks(before_model_request=in_place), Hooks(before_model_request=read)],
}
for label, capabilities in CASES.items():
    for mode in MODES:
        seen.clear()
        agent = Agent(own, instructions='be good', model_settings={'temperature': 0.5}, capabilities=capabilities)

        @agent.tool_plain
        def step() -> int:
            return 1

        try:
            print(label, mode, asyncio.run(run_as(mode, agent)))
        except Exception as error:
            print(label, mode, type(error).__name__)
        for line in seen:
            print('   ', line)
seen.clear()
agent = Agent(own, capabilities=[Hooks(model_request=twice)])
agent.tool_plain(lambda: 1, name='step')
result = agent.run_sync('hi', usage_limits=UsageLimits(request_limit=3))
print(
    'asked twice',
    result.output,
    result.usage.requests,
    [message.model_name for message in result.all_messages() if message.kind == 'response'],
)
for line in seen:
    print('   ', line)
