"""A run that is streamed, stepped over and watched: events, nodes, text beside calls, hooks in their order."""

import asyncio

from _programs import call, in_short, out, script, told
from pydantic_ai import Agent
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import TextPart


def talking(**options):
    steps = [TextPart('let me see'), call('t', {'x': 1}, 'c1'), call('bad', {}, 'c2')], 'final answer here'
    agent = Agent(script(*steps), retries=2, **options)

    @agent.tool_plain
    def t(x: int) -> int:
        return x

    return agent


async def events():
    async with talking().run_stream_events('x') as stream:
        out([type(event).__name__ async for event in stream])


async def text():
    agent = talking()
    async with agent.run_stream('x') as stream:
        out([piece async for piece in stream.stream_text(debounce_by=None)])
        out(stream.is_complete, in_short(stream.all_messages()))
    async with Agent(script('one two three')).run_stream('x') as stream:
        out([piece async for piece in stream.stream_text(delta=True, debounce_by=None)])


async def nodes():
    agent = talking()
    async with agent.iter('x') as run:
        async for node in run:
            kinds = agent.is_user_prompt_node, agent.is_model_request_node, agent.is_call_tools_node, agent.is_end_node
            out(type(node).__name__, [kind(node) for kind in kinds])
            if agent.is_model_request_node(node) or agent.is_call_tools_node(node):
                async with node.stream(run.ctx) as stream:
                    out([type(event).__name__ async for event in stream])
    out(run.result.output, run.usage.requests, run.usage.tool_calls)


async def hooks():
    log = []

    class Watching(AbstractCapability):
        async def before_run(self, ctx):
            log.append('before_run')

        async def after_run(self, ctx, *, result):
            log.append('after_run')
            return result

        async def before_model_request(self, ctx, request_context):
            log.append('before_model_request')
            return request_context

        async def wrap_model_request(self, ctx, *, request_context, handler):
            log.append('wrap in')
            response = await handler(request_context)
            log.append('wrap out')
            return response

        async def before_tool_validate(self, ctx, *, call, tool_def, args):
            log.append(['validate', args])
            return args

        async def before_tool_execute(self, ctx, *, call, tool_def, args):
            log.append(['execute', args])
            return args

        async def after_tool_execute(self, ctx, *, call, tool_def, args, result):
            log.append(['executed', result])
            return result

        async def before_node_run(self, ctx, *, node):
            log.append(type(node).__name__)
            return node

    agent = talking(capabilities=[Watching()])
    await agent.run('x')
    async with agent.run_stream('x') as stream:
        await stream.get_output()
    async with agent.iter('x') as run:
        async for _ in run:
            pass
    out(log)


async def handled():
    names = []

    async def handler(ctx, stream):
        names.extend([type(event).__name__ async for event in stream])

    result = await talking().run('x', event_stream_handler=handler)
    out(names, result.output)


async def main():
    for work in (events, text, nodes, hooks, handled):
        await told(work.__name__, work)


asyncio.run(main())
