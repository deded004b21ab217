"""Changes made while a run is driven by hand: requests and responses replaced, nodes run twice, nodes skipped."""

import asyncio

from _common import call, dump, fact, script
from pydantic_ai import Agent, CallToolsNode, ModelRequestNode
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, UserPromptPart


def make():
    agent = Agent(script([call('y', {})], [TextPart('ok')]))

    @agent.tool_plain
    def y():
        return 'x'

    return agent


async def main():
    async with make().iter('hi') as run_:
        node = await run_.next(run_.next_node)
        node.request.parts.append(UserPromptPart('added'))
        while not Agent.is_end_node(node):
            node = await run_.next(node)
        fact('request changed', [run_.result.output, len(run_.all_messages())])
        dump(run_.all_messages())
        try:
            await run_.next(node)
        except Exception as error:
            fact('after the end', isinstance(error, Exception))
    async with make().iter('hi') as run_:
        node = await run_.next(run_.next_node)
        again = await run_.next(node)
        fact('same again', [await run_.next(node) is again, run_.usage.requests, len(run_.all_messages())])
    async with make().iter('hi') as run_:
        await run_.next(run_.next_node)
        node = await run_.next(CallToolsNode(ModelResponse(parts=[TextPart('made up')])))
        fact('response replaced', [run_.result.output, len(run_.all_messages()), run_.usage.requests])
    async with make().iter('hi') as run_:
        await run_.next(run_.next_node)
        node = await run_.next(ModelRequestNode(ModelRequest(parts=[UserPromptPart('other')])))
        fact('request replaced', [type(node).__name__, [part.content for part in run_.all_messages()[0].parts]])
    async with make().iter('hi') as run_:
        names = []
        async for node in run_:
            names.append(type(node).__name__)
            if Agent.is_call_tools_node(node):
                names.append('->' + type(await run_.next(node)).__name__)
        fact('mixed', [names, run_.usage.requests, run_.result.output])
    async with make().iter('hi') as run_:
        fact('json', [run_.all_messages_json().decode(), run_.new_messages_json().decode(), run_.metadata, run_.result])


asyncio.run(main())
