"""`iter`: the nodes in their order, driven by `next`, and a run that is left early."""

import asyncio

from _common import call, fact, script
from pydantic_ai import Agent
from pydantic_ai.messages import TextPart

agent = Agent(script([call('y', {})], [TextPart('ok')]))


@agent.tool_plain
def y():
    return 'x'


async def main():
    async with agent.iter('hi') as run_:
        fact('start', [type(run_.next_node).__name__, run_.result, repr(run_)])
        async for node in run_:
            fact(
                type(node).__name__,
                [
                    run_.ctx.state.run_step,
                    len(run_.all_messages()),
                    Agent.is_model_request_node(node),
                    Agent.is_end_node(node),
                    Agent.is_call_tools_node(node),
                    Agent.is_user_prompt_node(node),
                ],
            )
        fact('end', [run_.result.output, str(run_.usage), len(run_.new_messages())])
    async with agent.iter('hi') as run_:
        node = run_.next_node
        while not Agent.is_end_node(node):
            before, node = node, await run_.next(node)
            fact(type(before).__name__, [type(node).__name__, run_.result is not None])
        fact('data', repr(node))
    async with agent.iter('hi') as run_:
        async for node in run_:
            if Agent.is_call_tools_node(node):
                break
        fact('broken off', [run_.result, len(run_.all_messages())])


asyncio.run(main())
