"""An agent that is run by the tool of another: whose hooks see what, and whose run the contexts speak of."""

import asyncio

from _hooks import Boom
from pydantic_ai import Agent
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

log = []


class Named(AbstractCapability):
    def __init__(self, name):
        self.name = name

    async def wrap_run(self, ctx, *, handler):
        log.append(f'{self.name} run {ctx.prompt} {ctx.deps} {ctx.agent.name}')
        try:
            return await handler()
        finally:
            log.append(f'{self.name} run over {ctx.usage.requests}')

    async def before_model_request(self, ctx, request_context):
        log.append(f'{self.name} request {ctx.run_step} {ctx.usage.requests} {len(ctx.messages)}')
        return request_context

    async def on_tool_execute_error(self, ctx, *, call, tool_def, args, error):
        log.append(f'{self.name} {call.tool_name} failed: {error!r}')
        raise error


def one_call(name):
    def respond(messages, info):
        if len(messages) == 1:
            return ModelResponse(parts=[ToolCallPart(name, {}, 'c1')])
        return ModelResponse(parts=[TextPart(str(messages[-1].parts[0].content))])

    return FunctionModel(respond)


def build(fails, shares):
    inner = Agent(one_call('work'), name='inner', deps_type=str, capabilities=[Named('I')])
    outer = Agent(one_call('ask'), name='outer', deps_type=str, capabilities=[Named('O')])

    @inner.tool_plain
    async def work() -> str:
        if fails:
            raise Boom('work')
        return 'worked'

    @outer.tool
    async def ask(ctx) -> str:
        result = await inner.run('inner prompt', deps='inner deps', usage=ctx.usage if shares else None)
        return f'inner said {result.output}'

    return outer


for fails in (False, True):
    for shares in (False, True):
        log.clear()
        try:
            result = asyncio.run(build(fails, shares).run('outer prompt', deps='outer deps'))
            print(fails, shares, result.output, result.usage.requests)
        except Exception as error:
            print(fails, shares, repr(error))
        for line in log:
            print('   ', line)
