"""What `ctx.prompt` is in a run without a prompt, whose history ends in a request."""

import asyncio

from _common import fact
from pydantic_ai import Agent
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import (
    ImageUrl,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart as User,
)
from pydantic_ai.models.test import TestModel

seen = []


def note(where, ctx):
    prompt = ctx.prompt
    items = prompt if isinstance(prompt, (list, tuple)) else [prompt]
    contents = [item.url if isinstance(item, ImageUrl) else item for item in items]
    seen.append([where, contents if isinstance(prompt, (list, tuple)) else contents[0]])


class Hooks(AbstractCapability):
    async def for_run(self, ctx):
        note('for_run', ctx)
        return self

    async def before_run(self, ctx):
        note('before_run', ctx)

    async def before_node_run(self, ctx, *, node):
        note(f'before {type(node).__name__}', ctx)
        return node

    async def before_model_request(self, ctx, request_context):
        note('before_model_request', ctx)
        return request_context

    async def after_run(self, ctx, *, result):
        note('after_run', ctx)
        return result


def agent(**options):
    built = Agent(
        TestModel(custom_output_text='done', **options),
        instructions=lambda ctx: note('instructions', ctx) or 'Be nice.',
    )

    @built.system_prompt(dynamic=True)
    def today(ctx):
        note('system prompt', ctx)
        return 'today'

    @built.tool
    def look(ctx):
        note('tool', ctx)
        return 'looked'

    @built.output_validator
    def check(ctx, output):
        note('validator', ctx)
        return output

    return built


async def run(name, *messages, call_tools='all', **options):
    seen.clear()
    history = [message if hasattr(message, 'parts') else ModelRequest(parts=message) for message in messages]
    await agent(call_tools=call_tools).run(message_history=history, capabilities=[Hooks()], **options)
    fact(name, seen)


async def main():
    await run('one', [User('hello')])
    await run('a list', [User(['a', 'b'])])
    await run('two', [User('hello'), User('world')])
    await run('two of two kinds', [User('hello'), User(['world', ImageUrl('https://example.com/a.png')])])
    await run('system prompt', [SystemPromptPart('s'), User('hello')])
    await run('empty', [User('')])
    await run('empty list', [User([])])
    await run('two requests', [User('q')], [User('r')])
    earlier = [User('q')], ModelResponse(parts=[TextPart('a')])
    await run('later request', *earlier, [User('r')])
    called = [User('q')], ModelResponse(parts=[ToolCallPart('look', {}, 'c')])
    await run('results', *called, [ToolReturnPart('look', 1, 'c')], call_tools=[])
    await run('results and prompt', *called, [ToolReturnPart('look', 1, 'c'), User('more')], call_tools=[])
    await run('open call', *called, call_tools=[])
    await run('with a prompt', [User('q')], user_prompt='mine', call_tools=[])

    first = (await agent(call_tools=[]).run('hello')).all_messages()[0]
    await run('dynamic system prompt', first, call_tools=[])
    seen.clear()
    async with agent(call_tools=[]).run_stream(message_history=[first]) as result:
        await result.get_output()
    fact('streamed', seen)
    async with agent(call_tools=[]).iter(message_history=[first]) as run_by_hand:
        await run_by_hand.next(run_by_hand.next_node)
        fact('deps', run_by_hand.ctx.deps.prompt)


asyncio.run(main())
