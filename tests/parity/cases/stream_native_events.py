"""The old events of native tools: who sees them, where they stand, and what they hold."""

import asyncio

from _common import fact
from _stream import Out, call, script
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults
from pydantic_ai.messages import ModelResponse, NativeToolCallPart, NativeToolReturnPart, TextPart, ThinkingPart
from pydantic_ai.models.function import DeltaThinkingPart, FunctionModel

SEARCH = NativeToolCallPart(tool_name='web_search', args={'q': 1}, tool_call_id='n')
FOUND = NativeToolReturnPart(tool_name='web_search', content='r', tool_call_id='n')
RESPONSES = {
    'text around': ['t', {0: SEARCH}, {1: FOUND}, 'end'],
    'text after': [{0: SEARCH}, {1: FOUND}, 'a'],
    'thinking': [{0: DeltaThinkingPart(content='h')}, {1: SEARCH}, {2: FOUND}, 'a'],
    'only a call': [{0: SEARCH}, 'a'],
    'with a tool': [{0: SEARCH}, {1: FOUND}, *call('plain', index=3)],
    'tool before': [*call('plain', index=0), {1: SEARCH}, {2: FOUND}],
    'with an output': [{0: SEARCH}, {1: FOUND}, *call('final_result', '{"v": 3}', index=3)],
    'with a call that waits': [{0: SEARCH}, {1: FOUND}, *call('ask', index=3)],
}
WHOLE = {
    'text': [SEARCH, FOUND, TextPart('a')],
    'nothing else': [SEARCH, FOUND],
    'empty text': [SEARCH, FOUND, TextPart('')],
    'thinking': [ThinkingPart('x'), SEARCH, FOUND],
}


def agent(model, output=str):
    built = Agent(model, output_type=[*dict.fromkeys([output, str]), DeferredToolRequests])

    @built.tool_plain
    def plain() -> str:
        return 'p'

    @built.tool_plain(requires_approval=True)
    def ask() -> str:
        return 'asked'

    return built


def show(event):
    result = getattr(event, 'result', None) if 'Builtin' in type(event).__name__ else None
    part = getattr(event, 'part', None) if result is None else result
    return [type(event).__name__, getattr(event, 'event_kind', None), getattr(part, 'tool_name', None)]


async def node_events(built, **options):
    seen = []
    async with built.iter('x' if 'message_history' not in options else None, **options) as run:
        async for node in run:
            if Agent.is_call_tools_node(node):
                async with node.stream(run.ctx) as events:
                    seen += [show(event) async for event in events]
    return seen


async def main():
    for name, response in RESPONSES.items():
        output = Out if 'output' in name else str
        async with agent(script(response, ['done']), output).run_stream_events('x') as events:
            fact(f'{name}: events', [show(event) async for event in events])
        for how in ('run', 'run_stream'):
            seen = []

            async def handler(ctx, events, seen=seen):
                seen += [type(event).__name__ async for event in events]
                seen.append('|')

            built = agent(script(response, ['done']), output)
            if how == 'run':
                await built.run('x', event_stream_handler=handler)
            else:
                async with built.run_stream('x', event_stream_handler=handler) as result:
                    await result.get_output()
            fact(f'{name}: {how}', seen)
    for name, response in WHOLE.items():
        left = iter([ModelResponse(parts=response), ModelResponse(parts=[TextPart('done')])])
        built = agent(FunctionModel(lambda messages, info, left=left: next(left)))
        fact(f'{name}, not streamed', await node_events(built))
    async with agent(script(RESPONSES['with a call that waits'])).run_stream('x') as result:
        waiting = await result.get_output()
    decided = DeferredToolResults(approvals={waiting.approvals[0].tool_call_id: True})
    built = agent(FunctionModel(lambda messages, info: ModelResponse(parts=[TextPart('end')])))
    history = result.all_messages()
    fact('decided', await node_events(built, message_history=history, deferred_tool_results=decided))
    fact(
        'resumed at its end',
        await node_events(built, message_history=[*history[:1], ModelResponse(parts=WHOLE['text'])]),
    )


asyncio.run(main())
