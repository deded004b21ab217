"""Calls that wait for an answer, in streamed runs."""

import asyncio
import json

from _common import fact
from _stream import call, parts, script, settled, show
from pydantic_ai import (
    Agent,
    ApprovalRequired,
    CallDeferred,
    DeferredToolRequests,
    DeferredToolResults,
    RunContext,
    ToolApproved,
    ToolDenied,
)


def build(*responses, **options):
    agent = Agent(script(*responses), output_type=[str, DeferredToolRequests], **options)

    @agent.tool_plain(requires_approval=True)
    def delete(x: int = 0) -> str:
        return f'deleted {x}'

    @agent.tool_plain
    def later() -> str:
        raise CallDeferred

    @agent.tool
    def asks(ctx: RunContext) -> str:
        if not ctx.tool_call_approved:
            raise ApprovalRequired(metadata={'why': 'because'})
        return 'asked'

    @agent.tool_plain
    def look() -> str:
        return 'looked'

    return agent


async def tell(name, agent, *args, **options):
    print(name)
    result, lines = None, []
    try:
        async with agent.run_stream_events(*args, **options) as events:
            async for event in events:
                lines.append(show(event))
                result = getattr(event, 'result', None)
        for line in settled(lines):
            print('   ', json.dumps(line))
        fact('  output', repr(result.output) if isinstance(result.output, str) else requests(result.output))
        fact('  messages', parts(result.all_messages()))
        return result
    except Exception as error:
        fact('  error', [type(error).__name__, str(error)])


def requests(output):
    return [
        [call.tool_call_id for call in output.calls],
        [call.tool_call_id for call in output.approvals],
        output.metadata,
    ]


async def main():
    for name, pieces in {
        'approval': call('delete', '{"x": 1}'),
        'approval beside a tool': [*call('look'), *call('delete', '{"x": 1}', index=1)],
        'deferred': call('later'),
        'asks': call('asks'),
        'all': [*call('later'), *call('asks', index=1), *call('delete', index=2), *call('look', index=3)],
        'bad arguments': call('delete', '{"x": "no"}'),
        'after text': ['text', *call('delete', index=1)],
    }.items():
        result = await tell(name, build(pieces, ['end']), 'q')
        if result is None or isinstance(result.output, str):
            continue
        results = DeferredToolResults()
        for number, part in enumerate(result.output.approvals):
            results.approvals[part.tool_call_id] = ToolDenied('no') if number % 2 else ToolApproved()
        for part in result.output.calls:
            results.calls[part.tool_call_id] = 'given'
        await tell('  then', build(['end']), message_history=result.all_messages(), deferred_tool_results=results)
    async with build(call('delete', '{"x": 1}')).run_stream('q') as result:
        fact('run_stream', requests(await result.get_output()))
        fact('  messages', parts(result.all_messages()))
    async with build(call('delete', '{"x": 1}')).run_stream('q') as result:
        outputs = [requests(output) async for output in result.stream_output(debounce_by=None)]
        fact('stream_output', outputs[-1])


asyncio.run(main())
