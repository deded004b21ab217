"""The run context of tools, instructions and prompts in streamed runs, and what the model is sent."""

import asyncio

from _common import fact
from _stream import call, parts, script
from pydantic_ai import Agent, RunContext
from pydantic_ai.messages import ModelRequest


async def main():
    for way in ('handler', 'events', 'stream'):
        seen, log = [], []
        agent = Agent(
            script(call('look'), call('look', call_id='second'), ['end'], seen=seen),
            instructions='be brief',
            deps_type=str,
        )

        @agent.instructions
        def dynamic(ctx: RunContext) -> str:
            log.append(['instructions', ctx.run_step, ctx.usage.requests])
            return f'step {ctx.run_step}'

        @agent.system_prompt
        def prompt(ctx: RunContext) -> str:
            return f'deps {ctx.deps}'

        @agent.tool
        def look(ctx: RunContext) -> str:
            log.append(
                [
                    'tool',
                    ctx.run_step,
                    ctx.tool_call_id,
                    ctx.tool_name,
                    ctx.retry,
                    ctx.usage.requests,
                    len(ctx.messages),
                    ctx.deps,
                    ctx.partial_output,
                    ctx.prompt,
                ]
            )
            return 'looked'

        async def nothing(ctx, stream):
            log.append(
                ['handler', ctx.run_step if way == 'handler' else None, ctx.usage.requests, len(ctx.messages), ctx.deps]
            )
            async for _ in stream:
                pass

        if way == 'handler':
            messages = (await agent.run('q', deps='d', event_stream_handler=nothing)).all_messages()
        elif way == 'events':
            async with agent.run_stream_events('q', deps='d') as events:
                async for event in events:
                    pass
            messages = event.result.all_messages()
        else:
            async with agent.run_stream('q', deps='d', event_stream_handler=nothing) as result:
                await result.get_output()
            messages = result.all_messages()
        print(way)
        fact('  sent', seen)
        fact('  log', log)
        fact('  messages', parts(messages))
        fact('  instructions', [message.instructions for message in messages if isinstance(message, ModelRequest)])


asyncio.run(main())
