"""A retry prompt as the result of a deferred call that a tool has made: it names the call, whatever it says itself."""

from _common import fact
from pydantic_ai import Agent, CallDeferred, DeferredToolResults, ModelRetry, capture_run_messages
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelResponse, RetryPromptPart, TextPart, ToolCallPart, ToolReturn
from pydantic_ai.models.function import FunctionModel


class Answer(AbstractCapability):
    def __init__(self, value):
        self.value = value

    async def handle_deferred_tool_calls(self, ctx, *, requests):
        return DeferredToolResults(calls={call.tool_call_id: self.value for call in requests.calls})


def run(name, value):
    def answer(messages, info):
        was_called = any(isinstance(message, ModelResponse) for message in messages)
        return ModelResponse(parts=[TextPart('done') if was_called else ToolCallPart('outer', {}, 'c')])

    agent = Agent(FunctionModel(answer), capabilities=[Answer(value)])
    seen = []

    @agent.tool_plain
    def inner():
        raise CallDeferred

    @agent.tool
    async def outer(ctx):
        try:
            seen.append(repr(await ctx.tool_manager.handle_call(ToolCallPart('inner', {}, 'i'))))
        except Exception as error:
            part = error.tool_retry
            seen.append([type(error).__name__, part.tool_name, part.tool_call_id, part.content])
            raise
        return 'returned'

    with capture_run_messages() as messages:
        agent.run_sync('hi')
    parts = [part for message in messages[2:] for part in message.parts if part.part_kind != 'text']
    fact(name, [seen, [[part.part_kind, part.tool_name, part.tool_call_id, part.content] for part in parts]])


run('bare', RetryPromptPart('again'))
run('of another', RetryPromptPart('again', tool_name='other', tool_call_id='o'))
run('name of another', RetryPromptPart('again', tool_name='other'))
run('id of another', RetryPromptPart('again', tool_call_id='o'))
run('empty', RetryPromptPart('again', tool_name='', tool_call_id=''))
run('errors', RetryPromptPart([{'type': 'missing', 'loc': ('x',), 'msg': 'Field required', 'input': {}}]))
run('exception', ModelRetry('again'))
run('value', ToolReturn('x'))
