"""What `wrap_model_request` changes in a request: for the model it is there, for the history it is not."""

import asyncio
import json
from dataclasses import replace

from pydantic_ai import Agent
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.usage import UsageLimits


def outline(messages):
    return [' '.join(str(getattr(part, 'content', part.part_kind)) for part in message.parts) for message in messages]


def added():
    return ModelRequest(parts=[UserPromptPart('more')])


def last_with_more(messages):
    return replace(messages[-1], parts=[*messages[-1].parts, UserPromptPart('more')])


CHANGES = {
    'replaced': lambda request: replace(request, messages=[*request.messages[:-1], last_with_more(request.messages)]),
    'appended': lambda request: request.messages.append(added()),
    'prepended': lambda request: replace(request, messages=[added(), *request.messages]),
    'dropped': lambda request: replace(request, messages=request.messages[-1:]),
    'nothing left': lambda request: replace(request, messages=[]),
    'ends in a response': lambda request: replace(
        request, messages=[*request.messages, ModelResponse(parts=[TextPart('pre')])]
    ),
}


class Wraps(AbstractCapability):
    def __init__(self, change, log, before=False):
        self.change, self.log, self.before = change, log, before

    async def before_model_request(self, ctx, request_context):
        if self.before:
            request_context.messages = [*request_context.messages, ModelRequest(parts=[UserPromptPart('before')])]
        return request_context

    async def wrap_model_request(self, ctx, *, request_context, handler):
        self.log.append(['wrap', outline(request_context.messages), outline(ctx.messages)])
        return await handler(self.change(request_context) or request_context)

    async def after_model_request(self, ctx, *, request_context, response):
        self.log.append(['after', len(request_context.messages)])
        return response

    async def on_model_request_error(self, ctx, *, request_context, error):
        self.log.append(['error', type(error).__name__])
        raise error


def build(log, *capabilities):
    def answer(messages, info):
        log.append(['model', outline(messages)])
        if not any(entry == ['call'] for entry in log):
            log.append(['call'])
            return ModelResponse(parts=[ToolCallPart('look', {}, tool_call_id='1')])
        return ModelResponse(parts=[TextPart('done')])

    agent = Agent(FunctionModel(answer), capabilities=list(capabilities))

    @agent.tool_plain
    def look() -> str:
        return 'seen'

    return agent


async def main():
    for name, change in CHANGES.items():
        for before in (False, True):
            log = []
            history = [ModelRequest(parts=[UserPromptPart('old')]), ModelResponse(parts=[TextPart('answer')])]
            result = await build(log, Wraps(change, log, before)).run('new', message_history=history)
            end = [outline(result.all_messages()), outline(result.new_messages())]
            print(json.dumps([name, before, log, *end]))

    log = []
    agent = build(log, Wraps(CHANGES['appended'], log), Wraps(CHANGES['prepended'], log))
    result = await agent.run('new')
    print(json.dumps(['two', log, outline(result.all_messages())]))

    log = []
    try:
        await build(log, Wraps(CHANGES['appended'], log)).run('new', usage_limits=UsageLimits(request_limit=0))
    except Exception as error:
        print(json.dumps(['limit', log, type(error).__name__]))


asyncio.run(main())
