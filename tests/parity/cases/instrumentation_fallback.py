"""The span of a fallback shows the parameters that the model received which answered."""

import asyncio

from _instrumentation import IDS, recording
from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.capabilities import Instrumentation
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.profiles import ModelProfile


class Out(BaseModel):
    a: int


def refuse(messages, info):
    raise ModelHTTPError(500, 'first')


async def refuse_stream(messages, info):
    raise ModelHTTPError(500, 'first')
    yield


def answer(messages, info):
    if info.output_tools:
        return ModelResponse(parts=[ToolCallPart('final_result', {'a': 1}, 'c')])
    return ModelResponse(parts=[TextPart('{"a": 1}')])


async def stream(messages, info):
    yield '{"a": 1}'


async def main():
    first = FunctionModel(refuse, stream_function=refuse_stream, model_name='first')
    for mode in ('native', 'prompted', 'tool'):
        profile = ModelProfile(default_structured_output_mode=mode, supports_json_schema_output=True)
        second = FunctionModel(answer, stream_function=stream, model_name='second', profile=profile)
        inner = FallbackModel(first, second)
        for title, model in (('plain', inner), ('nested', FallbackModel(first, inner))):
            for streamed in (False, True) if mode != 'tool' else (False,):
                recorder, settings = recording()
                agent = Agent(model, output_type=Out, instructions='be', capabilities=[Instrumentation(settings)])

                @agent.tool_plain
                def look(a: int):
                    return a

                print('==', mode, title, streamed)
                if streamed:
                    async with agent.run_stream('x') as result:
                        print(await result.get_output())
                else:
                    print((await agent.run('x')).output)
                recorder.show(without=IDS)


asyncio.run(main())
