"""`ModelRetry` of tools and of hooks around them: what the hooks see, and how retries are counted."""

from pydantic_ai import Agent, ModelRetry
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel


class C(AbstractCapability):
    def __init__(self, m='raise'):
        self.m = m

    async def wrap_tool_execute(self, ctx, *, call, tool_def, args, handler):
        try:
            return await handler(args)
        except BaseException as e:
            print('wrap got', type(e).__name__, e, repr(e.__cause__), ctx.retry)
            if self.m == 'recover':
                return 'recovered'
            if self.m == 'other':
                raise ModelRetry('from wrap')
            raise

    async def after_tool_execute(self, ctx, *, call, tool_def, args, result):
        if self.m == 'after':
            raise ModelRetry('from after')
        return result


def respond(m, i):
    print('   ', [(p.part_kind, str(getattr(p, 'content', p))[:70]) for p in m[-1].parts])
    if len(m) < 6:
        return ModelResponse(parts=[ToolCallPart('t', {'x': 1}, f'c{len(m)}')])
    return ModelResponse(parts=[TextPart(f't{len(m)}')])


for mode in ('raise', 'recover', 'other', 'after'):
    a = Agent(FunctionModel(respond), capabilities=[C(mode)])

    @a.tool_plain
    def t(x: int):
        if mode != 'after':
            raise ModelRetry('no')
        return 1

    try:
        print(mode, a.run_sync('hi').output)
    except Exception as e:
        print(mode, type(e).__name__, e, repr(e.__cause__))
