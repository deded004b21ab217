"""`ModelRetry` of tools and of hooks around them: what the hooks see, and how retries are counted."""

from pydantic_ai import Agent, ModelRetry
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel


class Watch(AbstractCapability):
    def __init__(self, mode='raise'):
        self.mode = mode

    async def wrap_tool_execute(self, ctx, *, call, tool_def, args, handler):
        try:
            return await handler(args)
        except BaseException as error:
            print('wrap got', type(error).__name__, error, repr(error.__cause__), ctx.retry)
            if self.mode == 'recover':
                return 'recovered'
            if self.mode == 'other':
                raise ModelRetry('from wrap')
            raise

    async def after_tool_execute(self, ctx, *, call, tool_def, args, result):
        if self.mode == 'after':
            raise ModelRetry('from after')
        return result


def respond(messages, info):
    print('   ', [(part.part_kind, str(getattr(part, 'content', part))[:70]) for part in messages[-1].parts])
    if len(messages) < 6:
        return ModelResponse(parts=[ToolCallPart('t', {'x': 1}, f'c{len(messages)}')])
    return ModelResponse(parts=[TextPart(f't{len(messages)}')])


for mode in ('raise', 'recover', 'other', 'after'):
    agent = Agent(FunctionModel(respond), capabilities=[Watch(mode)])

    @agent.tool_plain
    def t(x: int):
        if mode != 'after':
            raise ModelRetry('no')
        return 1

    try:
        print(mode, agent.run_sync('hi').output)
    except Exception as error:
        print(mode, type(error).__name__, error, repr(error.__cause__))
