"""The stream of a node with structured output: outputs, responses, partial validation, and the nodes after it."""

import asyncio

from _common import fact
from _stream import parts, script
from _stream_modes import GOOD, MODES, outputs
from pydantic_ai import Agent


async def main():
    for name, (form, make) in MODES.items():
        for way in ('outputs', 'responses', 'get_output', 'validate'):
            print(f'{name}: {way}')
            try:
                async with Agent(script(make(GOOD), make(GOOD)), output_type=form).iter('q') as run:
                    node = await run.next(run.next_node)
                    async with node.stream(run.ctx) as stream:
                        if way == 'outputs':
                            fact('  read', (await outputs(stream))[-1:])
                        elif way == 'responses':
                            fact(
                                '  read',
                                [parts([response])[0] async for response in stream.stream_response(debounce_by=None)],
                            )
                        elif way == 'get_output':
                            fact('  read', repr(await stream.get_output()))
                        else:
                            async for _ in stream:
                                pass
                            fact('  read', repr(await stream.validate_response_output(stream.response)))
                            fact(
                                '  part',
                                repr(await stream.validate_response_output(stream.response, allow_partial=True)),
                            )
                    seen = []
                    while not Agent.is_end_node(node):
                        node = await run.next(node)
                        seen.append(type(node).__name__)
                    fact('  nodes', [seen, repr(run.result.output), parts(run.all_messages())])
            except Exception as error:
                fact('  error', [type(error).__name__, str(error)])


asyncio.run(main())
