"""Old names of options that runs and overrides still take."""

import asyncio
import json
import warnings

from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.native_tools import CodeExecutionTool, WebSearchTool
from pydantic_ai.profiles import ModelProfile


def build(**arguments):
    def answer(messages, info):
        return ModelResponse(parts=[TextPart(str([tool.kind for tool in info.model_request_parameters.native_tools]))])

    async def stream(messages, info):
        yield str([tool.kind for tool in info.model_request_parameters.native_tools])

    profile = ModelProfile(supported_native_tools=frozenset({WebSearchTool, CodeExecutionTool}))
    return Agent(FunctionModel(answer, stream_function=stream, profile=profile), **arguments)


def categories(caught):
    return [item.category.__name__ for item in caught if item.category is not ResourceWarning]


def attempt(name, run):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        try:
            outcome = run()
        except Exception as error:
            outcome = type(error).__name__
    print(json.dumps([name, outcome, categories(caught)]))


def overridden(agent, **values):
    with agent.override(**values):
        return agent.run_sync('go').output


async def streamed(agent, **options):
    async with agent.run_stream('go', **options) as result:
        return await result.get_output()


async def stepped(agent, **options):
    async with agent.iter('go', **options) as run:
        async for _ in run:
            pass
    return run.result.output


SEARCH = [WebSearchTool()]
for value in (SEARCH, [], None):
    attempt('run_sync', lambda: build().run_sync('go', builtin_tools=value).output)
    attempt('iter', lambda: asyncio.run(stepped(build(), builtin_tools=value)))
    attempt('run_stream', lambda: asyncio.run(streamed(build(), builtin_tools=value)))
attempt('override', lambda: overridden(build(), builtin_tools=SEARCH))
attempt('override of one', lambda: overridden(build(builtin_tools=[CodeExecutionTool()]), builtin_tools=SEARCH))
attempt('override with none', lambda: overridden(build(builtin_tools=[CodeExecutionTool()]), builtin_tools=[]))
attempt('override of retries', lambda: overridden(build(), output_retries=3))
attempt('no such option', lambda: build().run_sync('go', native_tools=SEARCH).output)
attempt('no such override', lambda: overridden(build(), history_processors=[]))
