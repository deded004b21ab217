"""`ModelRetry` from hooks of model requests: what stays in the history, and what is sent next."""

from pydantic_ai import Agent, ModelRetry
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel


class Retrying(AbstractCapability):
    def __init__(self, mode):
        self.mode = mode
        self.calls = 0

    async def before_model_request(self, ctx, request_context):
        if self.mode == 'before':
            self.calls += 1
            if self.calls == 1:
                raise ModelRetry('again')
        return request_context

    async def after_model_request(self, ctx, *, request_context, response):
        if self.mode == 'after':
            self.calls += 1
            if self.calls <= 2:
                raise ModelRetry(f'again {self.calls}')
        return response

    async def wrap_model_request(self, ctx, *, request_context, handler):
        if self.mode == 'wrap':
            self.calls += 1
            if self.calls == 1:
                raise ModelRetry('again')
            result = await handler(request_context)
            if self.calls == 2:
                raise ModelRetry('again2')
            return result
        return await handler(request_context)

    async def on_model_request_error(self, ctx, *, request_context, error):
        if self.mode == 'error':
            self.calls += 1
            if self.calls == 1:
                raise ModelRetry(f'try {error}')
        raise error


requests = [0]


def respond(messages, info):
    requests[0] += 1
    print('   sent', [[(part.part_kind, str(part.content)) for part in message.parts] for message in messages])
    if requests[0] == 1 and mode == 'error':
        raise ValueError('boom')
    return ModelResponse(parts=[TextPart(f't{len(messages)}')])


for mode in ('after', 'wrap', 'error'):
    requests[0] = 0
    agent = Agent(FunctionModel(respond), capabilities=[Retrying(mode)], output_retries=3)
    try:
        result = agent.run_sync('hi')
        print(
            mode,
            [[(part.part_kind, str(part.content)) for part in message.parts] for message in result.all_messages()],
            result.usage.requests,
            len(result.new_messages()),
        )
    except Exception as error:
        print(mode, type(error).__name__, error)
mode = 'after'
agent = Agent(FunctionModel(respond), capabilities=[Retrying(mode)], output_retries=1)
try:
    print(agent.run_sync('hi').all_messages())
except Exception as error:
    print(type(error).__name__, error, repr(error.__cause__))


# a retry after a response with tool calls
def respond_with_call(messages, info):
    print(
        '   sent',
        [
            [(part.part_kind, str(getattr(part, 'content', part))[:80]) for part in message.parts]
            for message in messages
        ],
    )
    if len(messages) < 3:
        return ModelResponse(parts=[ToolCallPart('t', {}, 'c1')])
    return ModelResponse(parts=[TextPart('x')])


agent = Agent(FunctionModel(respond_with_call), capabilities=[Retrying(mode)], output_retries=3)


@agent.tool_plain
def t():
    print('called')


try:
    print([[part.part_kind for part in message.parts] for message in agent.run_sync('hi').all_messages()])
except Exception as error:
    print(type(error).__name__, error, repr(error.__cause__))
