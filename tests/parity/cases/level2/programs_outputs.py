"""Outputs of each kind, what their tools are called, and what a model is told to give again."""

import asyncio

from _programs import call, in_short, out, script, told
from pydantic import BaseModel
from pydantic_ai import Agent, ModelRetry, PromptedOutput, RunContext, StructuredDict, TextOutput, ToolOutput


class Point(BaseModel):
    x: int
    y: str = 'd'


class Length(BaseModel):
    z: float


async def kinds():
    named = ToolOutput(Point, name='give', description='gives', max_retries=2, strict=False)
    schema = {'type': 'object', 'properties': {'a': {'type': 'integer'}}, 'required': ['a']}
    for output_type, args in (
        (Point, {'x': 1}),
        (list[int], {'response': [1]}),
        ([Point, Length], {'z': 1.5}),
        (named, {'x': 2}),
        (bool, {'response': True}),
        (StructuredDict(schema, name='SD', description='d'), {'a': 1}),
    ):
        seen = []

        def last(messages, info, args=args):
            return [call(info.output_tools[-1].name, args)]

        result = await Agent(script(last, seen=seen), output_type=output_type).run('x')
        tools = [(t.name, t.description, t.parameters_json_schema, t.kind, t.strict) for t in seen[0][1].output_tools]
        out(repr(result.output), tools, in_short(result.all_messages()[2:]))


async def again():
    steps = [call('final_result', {'x': 'bad'})], 'text instead', [], [call('final_result', {'x': 5}, 'second')]
    result = await Agent(script(*steps), output_type=Point, retries=4).run('x')
    out(in_short(result.all_messages()), result.usage.requests)


async def functions():
    async def give(ctx: RunContext[None], point: Point) -> str:
        if point.x == 1:
            raise ModelRetry('not one')
        return f'got {point.x} {ctx.retry}'

    steps = [call('final_result', {'x': 1})], [call('final_result', {'x': 2}, 'second')]
    result = await Agent(script(*steps), output_type=give, retries=2).run('x')
    out(result.output, in_short(result.all_messages()))

    def words(text: str) -> list[str]:
        return text.split()

    out((await Agent(script('a b c'), output_type=TextOutput(words)).run('x')).output)
    seen = []
    result = await Agent(script('{"x": 5}', seen=seen), output_type=PromptedOutput(Point)).run('x')
    out(result.output.x, seen[0][1].instructions)


async def validators():
    agent = Agent(script('one', 'two', 'three'), output_type=str, retries=3)

    @agent.output_validator
    def check(ctx: RunContext, text: str) -> str:
        out('check', text, ctx.partial_output, ctx.retry, ctx.max_retries)
        if text != 'three':
            raise ModelRetry(f'no {text}')
        return text.upper()

    result = await agent.run('x')
    out(result.output, in_short(result.all_messages()))


async def main():
    for work in (kinds, again, functions, validators):
        await told(work.__name__, work)


asyncio.run(main())
