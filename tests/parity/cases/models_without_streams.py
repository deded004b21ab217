"""Programs that catch `NotImplementedError` or `AssertionError` of a model that cannot stream, or can do nothing else."""

import asyncio

from _common import fact
from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models import Model
from pydantic_ai.models.function import FunctionModel


class Whole(Model):
    model_name = 'whole'
    system = 'mine'

    async def request(self, *args, **kwargs):
        return ModelResponse(parts=[TextPart('whole')])


async def pieces(messages, info):
    yield 'pieces'


async def streamed(model):
    async with Agent(model).run_stream('go') as result:
        return await result.get_output()


async def main():
    try:
        await streamed(Whole())
    except NotImplementedError:
        fact('no streams', (await Agent(Whole()).run('go')).output)
    try:
        await streamed(FunctionModel(lambda messages, info: ModelResponse(parts=[TextPart('whole')])))
    except AssertionError:
        fact('no function for streams', True)
    try:
        await Agent(FunctionModel(stream_function=pieces)).run('go')
    except AssertionError:
        fact('only streams', await streamed(FunctionModel(stream_function=pieces)))


asyncio.run(main())
