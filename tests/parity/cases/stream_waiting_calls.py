"""Streams whose calls wait for an approval or an external result, with and without a place among the outputs for them."""

import asyncio

from _common import fact
from _stream import Out, attempt, call, parts, script
from pydantic_ai import Agent, DeferredToolRequests
from pydantic_ai.capabilities import HandleDeferredToolCalls
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import ExternalToolset

OUTSIDE = ToolDefinition(
    name='ext', parameters_json_schema={'type': 'object', 'properties': {'a': {'type': 'integer'}}}
)
RESPONSES = {
    'never called': ['hi'],
    'text before': ['hi', *call('ext', '{"a": 1}', index=1)],
    'alone': call('ext', '{"a": 1}'),
    'text after': [*call('ext', '{"a": 1}'), 'hi'],
}
OUTPUTS = {'text': str, 'object': Out, 'allowed': [str, DeferredToolRequests]}


async def handle(ctx, requests):
    return requests.build_results(
        approvals={call.tool_call_id: True for call in requests.approvals},
        calls={call.tool_call_id: 'done' for call in requests.calls},
    )


def agent(kind, output, response, **options):
    built = Agent(
        script(response, ['end']),
        output_type=output,
        toolsets=[ExternalToolset([OUTSIDE])] if kind == 'external' else [],
        **options,
    )
    if kind == 'approval':

        @built.tool_plain(requires_approval=True)
        def ext(a: int) -> int:
            return a

    return built


async def main():
    for kind in ('external', 'approval'):
        for output_name, output in OUTPUTS.items():
            for name, response in RESPONSES.items():
                if output is Out and name == 'never called':
                    continue
                for end_strategy in ('early', 'exhaustive'):
                    for capability in ([], [HandleDeferredToolCalls(handler=handle)]):
                        title = f'{kind} {output_name} {name} {end_strategy} {len(capability)}'
                        options = {'end_strategy': end_strategy, 'capabilities': capability}
                        for how in ('get_output', 'stream_output', 'stream_response'):
                            seen = []

                            async def read(how=how, seen=seen, built=agent(kind, output, response, **options)):
                                async with built.run_stream('x') as result:
                                    if how != 'get_output':
                                        async for item in getattr(result, how)(debounce_by=None):
                                            seen.append(type(item).__name__)
                                    return [type(await result.get_output()).__name__, parts(result.all_messages())]

                            await attempt(f'{title} {how}', read())
                            fact('  seen', seen)


asyncio.run(main())
