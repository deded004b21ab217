"""`run_stream` with structured output: partial values, validators, and what ends it."""

import asyncio

from _common import fact
from _stream import attempt, parts, script
from pydantic import BaseModel
from pydantic_ai import Agent, ModelRetry, NativeOutput, PromptedOutput, RunContext, TextOutput
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import DeltaToolCall
from typing_extensions import TypedDict


class Whale(TypedDict, total=False):
    name: str
    length: float


class Strict(BaseModel):
    name: str
    length: float


def words(text: str) -> list[str]:
    return text.split()


JSON = '{"name": "Blue", "length": 25.5}'


def cut(text, size=6):
    return [text[start : start + size] for start in range(0, len(text), size)]


def tool(name='final_result', text=JSON, size=6):
    return [
        {0: DeltaToolCall(name=name, tool_call_id='o1')},
        *({0: DeltaToolCall(json_args=piece)} for piece in cut(text, size)),
    ]


async def outputs(result):
    return [repr(out) async for out in result.stream_output(debounce_by=None)]


async def show_stream(name, agent, **options):
    try:
        async with agent.run_stream('q', **options) as result:
            fact(name, await outputs(result))
            fact('  complete', [result.is_complete, repr(await result.get_output())])
        fact('  messages', parts(result.all_messages()))
    except Exception as error:
        fact(name, [type(error).__name__, str(error)])


async def main():
    await show_stream('typed dict', Agent(script(tool()), output_type=Whale))
    await show_stream('model', Agent(script(tool()), output_type=Strict))
    await show_stream(
        'list',
        Agent(
            script(tool(text='{"response": [{"name": "a", "length": 1}, {"name": "b", "length": 2}]}')),
            output_type=list[Whale],
        ),
    )
    await show_stream('int', Agent(script(tool(text='{"response": 12345}', size=4)), output_type=int))
    await show_stream('union', Agent(script(tool(name='final_result_Whale')), output_type=[Whale, int]))
    await show_stream('or text', Agent(script(['some ', 'text']), output_type=[Whale, str]))
    await show_stream('native', Agent(script(cut(JSON)), output_type=NativeOutput(Whale)))
    await show_stream('prompted', Agent(script(cut(JSON)), output_type=PromptedOutput(Whale)))
    await show_stream(
        'prompted in prose', Agent(script(['Here: ```json\n', *cut(JSON), '\n```']), output_type=PromptedOutput(Whale))
    )
    await show_stream('text function', Agent(script(['a ', 'b ', 'c']), output_type=TextOutput(words)))

    def shout(whale: Whale) -> str:
        return whale['name'].upper()

    await show_stream('output function', Agent(script(tool()), output_type=shout))
    seen = []
    agent = Agent(script(tool()), output_type=Whale)

    @agent.output_validator
    def check(ctx: RunContext, value: Whale) -> Whale:
        seen.append([ctx.partial_output, dict(value)])
        return value

    await show_stream('validator', agent)
    fact('  seen', seen)
    agent = Agent(script(tool(), tool()), output_type=Whale)

    @agent.output_validator
    def refuse(ctx: RunContext, value: Whale) -> Whale:
        if ctx.partial_output:
            return value
        raise ModelRetry('not this one')

    await show_stream('refused', agent)
    await show_stream('invalid', Agent(script(tool(text='{"name": "Blue"}'), tool()), output_type=Strict))
    async with Agent(script(tool()), output_type=Whale).run_stream('q') as result:
        try:
            fact('text of structured', [text async for text in result.stream_text()])
        except Exception as error:
            fact('text of structured', type(error).__name__)
        response = ModelResponse(parts=[ToolCallPart('final_result', '{"name": "x"}')])
        await attempt('validate', result.validate_response_output(response))
        await attempt(
            'validate partial',
            result.validate_response_output(
                ModelResponse(parts=[ToolCallPart('final_result', '{"na')]), allow_partial=True
            ),
        )
        await attempt('validate text', result.validate_response_output(ModelResponse(parts=[TextPart('x')])))


asyncio.run(main())
