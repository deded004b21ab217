"""`ModelRetry` from hooks of model requests: what stays in the history, and what is sent next."""

from pydantic_ai import Agent, ModelRetry
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel


class C(AbstractCapability):
    def __init__(self, mode):
        self.mode = mode
        self.n = 0

    async def before_model_request(self, ctx, request_context):
        if self.mode == 'before':
            self.n += 1
            if self.n == 1:
                raise ModelRetry('again')
        return request_context

    async def after_model_request(self, ctx, *, request_context, response):
        if self.mode == 'after':
            self.n += 1
            if self.n <= 2:
                raise ModelRetry(f'again {self.n}')
        return response

    async def wrap_model_request(self, ctx, *, request_context, handler):
        if self.mode == 'wrap':
            self.n += 1
            if self.n == 1:
                raise ModelRetry('again')
            r = await handler(request_context)
            if self.n == 2:
                raise ModelRetry('again2')
            return r
        return await handler(request_context)

    async def on_model_request_error(self, ctx, *, request_context, error):
        if self.mode == 'error':
            self.n += 1
            if self.n == 1:
                raise ModelRetry(f'try {error}')
        raise error


k = [0]


def respond(m, i):
    k[0] += 1
    print('   sent', [[(p.part_kind, str(p.content)) for p in mm.parts] for mm in m])
    if k[0] == 1 and mode == 'error':
        raise ValueError('boom')
    return ModelResponse(parts=[TextPart(f't{len(m)}')])


for mode in ('after', 'wrap', 'error'):
    k[0] = 0
    a = Agent(FunctionModel(respond), capabilities=[C(mode)], output_retries=3)
    try:
        r = a.run_sync('hi')
        print(
            mode,
            [[(p.part_kind, str(p.content)) for p in m.parts] for m in r.all_messages()],
            r.usage.requests,
            len(r.new_messages()),
        )
    except Exception as e:
        print(mode, type(e).__name__, e)
mode = 'after'
for out, strategy in ((str, 0),):
    a = Agent(FunctionModel(respond), capabilities=[C(mode)], output_retries=1)
    try:
        print(a.run_sync('hi').all_messages())
    except Exception as e:
        print(type(e).__name__, e, repr(e.__cause__))


# a retry after a response with tool calls
def respond2(m, i):
    print('   sent', [[(p.part_kind, str(getattr(p, 'content', p))[:80]) for p in mm.parts] for mm in m])
    if len(m) < 3:
        return ModelResponse(parts=[ToolCallPart('t', {}, 'c1')])
    return ModelResponse(parts=[TextPart('x')])


a = Agent(FunctionModel(respond2), capabilities=[C(mode)], output_retries=3)


@a.tool_plain
def t():
    print('called')


try:
    print([[p.part_kind for p in m.parts] for m in a.run_sync('hi').all_messages()])
except Exception as e:
    print(type(e).__name__, e, repr(e.__cause__))
