"""Output functions and validators of streamed answers: when they are called, with what."""

import asyncio

from _common import fact
from _stream import Out, parts, script
from pydantic_ai import Agent, ModelRetry, RunContext, TextOutput
from pydantic_ai.models.function import DeltaToolCall

seen = []


def plain(v: int, w: str = '') -> str:
    seen.append(['plain', v, w])
    return f'{v} {w}'


def with_ctx(ctx: RunContext, out: Out) -> str:
    seen.append(['with_ctx', ctx.partial_output, ctx.tool_name, ctx.retry, dict(out)])
    return str(out)


def refuses(ctx: RunContext, out: Out) -> str:
    seen.append(['refuses', ctx.partial_output])
    if not ctx.partial_output:
        raise ModelRetry('no')
    return 'partial'


def text_fn(ctx: RunContext, text: str) -> int:
    seen.append(['text', ctx.partial_output, text])
    return len(text)


async def tell(name, agent):
    seen.clear()
    try:
        async with agent.run_stream('q') as result:
            fact(name, [repr(output) async for output in result.stream_output(debounce_by=None)])
            fact('  again', repr(await result.get_output()))
        fact('  messages', parts(result.all_messages()))
    except Exception as error:
        fact(name, [type(error).__name__, str(error), type(error.__cause__).__name__])
    fact('  seen', seen)


def tool(name='final_result'):
    text = '{"v": 12, "w": "abc"}'
    return [
        {0: DeltaToolCall(name=name, tool_call_id='o')},
        *({0: DeltaToolCall(json_args=text[start : start + 5])} for start in range(0, len(text), 5)),
    ]


async def main():
    await tell('plain', Agent(script(tool()), output_type=plain))
    await tell('with context', Agent(script(tool()), output_type=with_ctx))
    await tell('refuses', Agent(script(tool(), tool()), output_type=refuses))
    await tell('text', Agent(script(['one ', 'two']), output_type=TextOutput(text_fn)))
    agent = Agent(script(tool()), output_type=Out)

    @agent.output_validator
    def first(ctx: RunContext, out: Out) -> Out:
        seen.append(['first', ctx.partial_output, ctx.retry, ctx.max_retries, dict(out)])
        return {**out, 'v': 1}

    @agent.output_validator
    def second(out: Out) -> Out:
        seen.append(['second', dict(out)])
        return out

    await tell('validators', agent)
    agent = Agent(script(['one ', 'two ', 'three']))

    @agent.output_validator
    def odd(ctx: RunContext, text: str) -> str:
        if ctx.partial_output and text.endswith('two '):
            raise ModelRetry('not yet')
        return text.upper()

    await tell('refuses a part', agent)


asyncio.run(main())
