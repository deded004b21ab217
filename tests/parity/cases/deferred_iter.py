"""Runs with deferred calls, driven by `iter`: nodes, events of calls, and their results."""

import asyncio

from _common import call, fact
from _deferred import agent_of, external, need
from pydantic_ai import Agent, CallDeferred, DeferredToolResults, ModelRetry, ToolApproved, ToolReturn
from pydantic_ai.messages import FunctionToolCallEvent, FunctionToolResultEvent, TextPart


def build():
    agent = need(
        agent_of(
            [call('job', {}), call('need', {'x': '1'}), call('ask', {}), call('ok', {})],
            [TextPart('done')],
            toolsets=[external('ask')],
        )
    )

    @agent.tool_plain
    def ok():
        return 'fine'

    @agent.tool_plain
    async def job():
        raise CallDeferred

    return agent


async def watched(title, *args, **options):
    print('==', title)
    agent, results = build(), []
    async with agent.iter(*args, **options) as agent_run:
        async for node in agent_run:
            fact('node', type(node).__name__)
            if Agent.is_call_tools_node(node):
                async with node.stream(agent_run.ctx) as events:
                    async for event in events:
                        if isinstance(event, FunctionToolCallEvent):
                            fact('called', [event.part.tool_name, event.part.args, event.args_valid])
                        elif isinstance(event, FunctionToolResultEvent):
                            results.append([event.part.tool_name, str(event.part.content)])
                        else:
                            fact('event', type(event).__name__)
    fact('results, in any order', sorted(results))
    fact('output', agent_run.result.output)
    return agent_run.result


async def main():
    first = await watched('asked', 'q')
    await watched(
        'answered',
        message_history=first.all_messages(),
        deferred_tool_results=DeferredToolResults(
            calls={'id_ask': 'A', 'id_job': ModelRetry('no')},
            approvals={'id_need': ToolApproved(override_args={'x': 5})},
        ),
    )
    await watched(
        'denied',
        'more',
        message_history=first.all_messages(),
        deferred_tool_results=DeferredToolResults(
            calls={'id_ask': 'A', 'id_job': ToolReturn('J', content='c')}, approvals={'id_need': False}
        ),
    )


asyncio.run(main())
