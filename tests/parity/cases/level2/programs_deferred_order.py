"""Calls that waited are executed and answered in the order of the response, whether a person or a program decided them."""

import asyncio

from _programs import call, in_short, out, script
from pydantic_ai import (
    Agent,
    CallDeferred,
    DeferredToolRequests,
    DeferredToolResults,
    RetryPromptPart,
    ToolDenied,
    ToolReturn,
)
from pydantic_ai.capabilities import HandleDeferredToolCalls


def asking(order, **options):
    steps = [call(name) for name in order], 'done'
    agent = Agent(script(*steps), output_type=[str, DeferredToolRequests], retries=3, **options)

    @agent.tool_plain(requires_approval=True)
    def pay() -> str:
        return 'paid'

    @agent.tool_plain
    def look() -> str:
        return 'seen'

    @agent.tool_plain
    def elsewhere() -> str:
        raise CallDeferred

    return agent


async def approve_all(ctx, requests):
    return requests.build_results(approve_all=True, calls={call.tool_call_id: 'r' for call in requests.calls})


RESULTS = [
    DeferredToolResults(approvals={'pay-1': True}, calls={'elsewhere-1': ToolReturn('v', content='more')}),
    DeferredToolResults(
        approvals={'pay-1': ToolDenied('no')},
        calls={'elsewhere-1': RetryPromptPart('again', tool_name='elsewhere', tool_call_id='elsewhere-1')},
    ),
]


async def main():
    for order in (['pay', 'elsewhere', 'look'], ['elsewhere', 'pay', 'look'], ['pay', 'nope', 'elsewhere', 'look']):
        agent = asking(order)
        history = (await agent.run('x')).all_messages()
        out(order, in_short(history[-1:]))
        for results in RESULTS:
            options = {'message_history': history, 'deferred_tool_results': results}
            async with agent.run_stream_events(**options) as events:
                named = [(type(event).__name__, event.part) async for event in events if hasattr(event, 'part')]
            out([(name, part.tool_name) for name, part in named if name.startswith('FunctionTool')])
            out(in_short((await agent.run(**options)).new_messages()))
        if 'nope' not in order:
            result = await asking(order, capabilities=[HandleDeferredToolCalls(approve_all)]).run('x')
            out('handled', in_short(result.all_messages()))


asyncio.run(main())
