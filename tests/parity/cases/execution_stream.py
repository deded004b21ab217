"""Execution modes in streamed runs: `run_stream`, `run_stream_events`, and streams of nodes."""

import asyncio

from _common import fact
from _execution import LOG, caller, sleeper
from pydantic_ai import Agent


async def main():
    for mode in ('parallel', 'sequential', 'parallel_ordered_events'):
        with Agent.parallel_tool_call_execution_mode(mode):
            agent = caller('slow', 'quick', tools=[sleeper('slow', 0.1), sleeper('quick', 0.01)])
            LOG.clear()
            async with agent.run_stream('q') as result:
                fact(mode, [await result.get_output(), LOG])
            LOG.clear()
            events = []
            async with agent.run_stream_events('q') as stream:
                async for event in stream:
                    if 'tool' in event.event_kind:
                        events.append([event.event_kind, event.part.tool_call_id])
            fact(mode, events)
            LOG.clear()
            async with agent.iter('q') as agent_run:
                async for node in agent_run:
                    if Agent.is_call_tools_node(node):
                        async with node.stream(agent_run.ctx) as stream:
                            async for event in stream:
                                LOG.append(event.event_kind)
            fact(mode, LOG)


asyncio.run(main())
