"""What a program of 2.x sees otherwise at level 2, on purpose."""

import asyncio

from _programs import call, in_short, out, script, told
from pydantic_ai import Agent, ModelRetry, RunContext, capture_run_messages
from pydantic_ai.capabilities import AbstractCapability, ProcessHistory
from pydantic_ai.messages import DocumentUrl, ImageUrl, ModelRequest, ToolReturnPart


class Twice(AbstractCapability):
    async def wrap_model_request(self, ctx, *, request_context, handler):
        await handler(request_context)
        return await handler(request_context)


class CallsTwice(AbstractCapability):
    async def wrap_tool_execute(self, ctx, *, call, tool_def, args, handler):
        await handler(args)
        return await handler(args)


def with_tool(model, **options):
    agent = Agent(model, **options)

    @agent.tool_plain
    def t() -> str:
        return 'r'

    return agent


async def handler_called_twice():
    out((await Agent(script('done'), capabilities=[Twice()]).run('x')).output)


async def tool_called_twice():
    result = await with_tool(script([call('t')], 'done'), capabilities=[CallsTwice()]).run('x')
    out(result.usage.tool_calls)


async def only_results():
    def results(messages):
        kept = [message for message in messages if isinstance(message, ModelRequest)]
        return [message for message in kept if isinstance(message.parts[0], ToolReturnPart)] or messages

    seen, steps = [], iter([[call('t')], 'done'])
    model = script(lambda messages, info: next(steps), seen=seen)
    try:
        await with_tool(model, capabilities=[ProcessHistory(results)]).run('x')
    finally:
        out([in_short(messages) for messages, _ in seen])


async def enqueued():
    agent = Agent(script([call('t')], 'done'))

    @agent.tool
    def t(ctx: RunContext) -> str:
        ctx.enqueue('note')
        return 'r'

    out(in_short((await agent.run('x')).all_messages()))


async def validators_in_streams():
    agent = Agent(script('one'), retries=3)

    @agent.output_validator
    def check(ctx: RunContext, text: str) -> str:
        out(ctx.retry, ctx.max_retries, ctx.last_attempt)
        return text

    async with agent.run_stream('x') as stream:
        await stream.get_output()


async def outputs_never_valid():
    agent = Agent(script('one'), retries=0)

    @agent.output_validator
    def check(text: str) -> str:
        raise ModelRetry('no')

    with capture_run_messages() as messages:
        try:
            await agent.run('x')
        except Exception as error:
            out(type(error).__name__)
    out(in_short(messages))


async def main():
    for work in (
        handler_called_twice,
        tool_called_twice,
        only_results,
        enqueued,
        validators_in_streams,
        outputs_never_valid,
    ):
        await told(work.__name__, work)
    for link in (ImageUrl('https://e.example/a.png?x=1'), DocumentUrl('https://e.example/doc.pdf?x=1#p')):
        try:
            out(link.media_type)
        except ValueError:
            out('ValueError')


asyncio.run(main())
