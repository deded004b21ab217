"""Results of streams: their usage, copies of the output, a second reader, cancelling what is whole, and results made by hand."""

import asyncio

from _common import fact
from _stream import attempt, call, parts, script
from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.messages import ModelRequest, ModelResponse, UserPromptPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.test import TestModel
from pydantic_ai.result import StreamedRunResult, StreamedRunResultSync
from pydantic_ai.usage import RequestUsage, RunUsage

OUTPUT = call('final_result', '{"n": 3, "k": [1]}')
REQUEST = [ModelRequest(parts=[UserPromptPart('x')])]


class Row(BaseModel):
    n: int = 1
    k: list[int] = []


def usage(value):
    same = RunUsage(
        requests=1, input_tokens=value.input_tokens, output_tokens=value.output_tokens, details=value.details
    )
    other = RunUsage(requests=2, input_tokens=value.input_tokens)
    return [value == same, same == value, value == value, value != same, value == other, value == value()]


async def usages():
    async with Agent(script(['a', 'b'])).run_stream('x') as result:
        fact('usage', usage(result.usage))
        await result.get_output()
        fact('usage at the end', usage(result.usage) + [result.usage == result.usage])
    async with Agent(script(['a', 'b'])).iter('x') as run:
        async for node in run:
            if Agent.is_model_request_node(node):
                async with node.stream(run.ctx) as stream:
                    await stream.get_output()
                    fact('usage of a node', usage(stream.usage))
    async with script(['a']).request_stream(REQUEST, None, ModelRequestParameters()) as stream:
        async for _ in stream:
            pass
        same = RequestUsage(input_tokens=stream.usage.input_tokens, output_tokens=stream.usage.output_tokens)
        fact('usage of a model', [stream.usage == same, same == stream.usage])


async def copies():
    async with Agent(script(OUTPUT), output_type=Row).run_stream('x') as result:
        first = await result.get_output()
        first.n = 9
        first.k.append(5)
        second = await result.get_output()
        fact('another copy', [repr(second), first is second])
        for _ in range(2):
            read = [item async for item in result.stream_output(debounce_by=None)]
            fact('streamed again', [repr(item) for item in read])
            read[-1].k.append(6)
    async with Agent(script(OUTPUT), output_type=Row).run_stream('x') as result:
        async for item in result.stream_output(debounce_by=None):
            item.k.append(7)
        fact('changed while it was streamed', repr(await result.get_output()))
    async with Agent(script(OUTPUT), output_type=Row).iter('x') as run:
        async for node in run:
            if Agent.is_model_request_node(node):
                async with node.stream(run.ctx) as stream:
                    first = await stream.get_output()
                    first.k.append(5)
                    fact('another copy at the node', repr(await stream.get_output()))
        fact('output of the run', repr(run.result.output))


def validated(seen):
    agent = Agent(script(['a', 'b']))

    @agent.output_validator
    def mark(ctx, output: str) -> str:
        seen.append(ctx.partial_output)
        return output + '!'

    return agent


WAYS = {
    'text': lambda stream: stream.stream_text(debounce_by=None),
    'delta': lambda stream: stream.stream_text(delta=True, debounce_by=None),
    'groups': lambda stream: stream.stream_text(debounce_by=0.01),
    'output': lambda stream: stream.stream_output(debounce_by=None),
    'response': lambda stream: stream.stream_response(debounce_by=None),
}


async def second_readers():
    for first in ('text', 'output', 'response'):
        seen, read = [], []
        async with validated(seen).run_stream('x') as result:
            for way in (first, first, *WAYS):
                read.append([getattr(item, 'state', item) async for item in WAYS[way](result)])
                seen.append('|')
        fact(f'{first} first', [read, seen])
    for first in ('text', 'output'):
        seen, read = [], []
        async with validated(seen).iter('x') as run:
            async for node in run:
                if Agent.is_model_request_node(node):
                    async with node.stream(run.ctx) as stream:
                        for way in (first, first, None, 'text'):
                            if way is None:
                                read.append(await stream.get_output())
                            else:
                                read.append([item async for item in WAYS[way](stream)])
                            seen.append('|')
        fact(f'{first} first, at a node', [read, seen])


async def cancelled():
    for when in ('text', 'output', 'part', 'nothing'):
        async with Agent(script(['a', 'b'])).run_stream('x') as result:
            if when == 'text':
                [item async for item in result.stream_text()]
            elif when == 'output':
                await result.get_output()
            elif when == 'part':
                async for _ in result.stream_text(debounce_by=None):
                    break
            for _ in range(2):
                await result.cancel()
                fact(f'cancelled after {when}', [result.cancelled, result.is_complete, parts(result.all_messages())])
    async with script(['a']).request_stream(REQUEST, None, ModelRequestParameters()) as stream:
        async for _ in stream:
            pass
        await stream.cancel()
        fact('cancelled model', stream.cancelled)


async def by_hand():
    result = StreamedRunResult(list(REQUEST), 0)
    for title, item in {'by hand': result, 'by hand, sync': StreamedRunResultSync(result)}.items():
        for name in ('metadata', 'run_id', 'conversation_id', 'response', 'usage', 'timestamp', 'is_complete'):
            try:
                fact(f'{title}: {name}', getattr(item, name))
            except Exception as error:
                fact(f'{title}: {name}', type(error).__name__)
    fact('by hand: messages', [len(result.all_messages()), len(result.new_messages()), result.cancelled])

    async def failed(work):
        try:
            await work
        except ValueError as error:
            return type(error).__name__

    async def read(items):
        return [item async for item in items]

    for name in ('stream_text', 'stream_output', 'stream_response'):
        await attempt(f'by hand: {name}', failed(read(getattr(result, name)())))
    await attempt('by hand: get_output', failed(result.get_output()))
    await attempt('by hand: validate', failed(result.validate_response_output(ModelResponse(parts=[]))))


async def main():
    await usages()
    await copies()
    await second_readers()
    await cancelled()
    await by_hand()


asyncio.run(main())
result = Agent(script(['a', 'b'])).run_stream_sync('x')
fact('usage of run_stream_sync', usage(result.usage))
result.get_output()
fact('usage of run_stream_sync at the end', usage(result.usage))
result = Agent(script(OUTPUT), output_type=Row).run_stream_sync('x')
result.get_output().n = 9
fact('another copy of run_stream_sync', repr(result.get_output()))
fact('usage of run', usage(Agent(TestModel()).run_sync('x').usage))
