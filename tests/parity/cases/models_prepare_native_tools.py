"""Native tools and their local stand-ins, by what the profile supports, in requests and streams."""

import itertools

from _models import attempt, fact, tool, user
from _models_prepare import prepared
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.native_tools import (
    CodeExecutionTool,
    FileSearchTool,
    ImageGenerationTool,
    MCPServerTool,
    MemoryTool,
    WebFetchTool,
    WebSearchTool,
    XSearchTool,
)
from pydantic_ai.profiles import ModelProfile

PROFILES = {
    'all': None,
    'none': ModelProfile(supported_native_tools=frozenset()),
    'search': ModelProfile(supported_native_tools=frozenset({WebSearchTool, MCPServerTool})),
}
SERVER = MCPServerTool(id='a', url='https://example.com/mcp')
TOOLS = {
    'search': [WebSearchTool()],
    'optional search': [WebSearchTool(optional=True)],
    'code': [CodeExecutionTool()],
    'optional code': [CodeExecutionTool(optional=True)],
    'both': [CodeExecutionTool(), WebSearchTool()],
    'servers': [SERVER, MCPServerTool(id='b', url='https://example.com/b')],
    'the rest': [
        WebFetchTool(),
        ImageGenerationTool(),
        MemoryTool(),
        FileSearchTool(file_store_ids=['x']),
        XSearchTool(),
    ],
}
LOCAL = {
    'nothing': [],
    'unless search': [tool('s', unless_native='web_search')],
    'unless code': [tool('c', unless_native='code_execution'), tool('other')],
    'unless server': [tool('m', unless_native='mcp_server:a'), tool('n', unless_native='mcp_server')],
    'with search': [tool('w', with_native='web_search')],
    'with code, deferred': [tool('w', with_native='code_execution', defer_loading=True)],
}
for (name, profile), (requested, native), (beside, local) in itertools.product(
    PROFILES.items(), TOOLS.items(), LOCAL.items()
):
    prepared(f'{name}: {requested} beside {beside}', profile, native_tools=native, function_tools=local)


async def answer(messages, info):
    return ModelResponse(parts=[TextPart(str([each.kind for each in info.model_request_parameters.native_tools]))])


async def pieces(messages, info):
    yield str([each.kind for each in info.model_request_parameters.native_tools])


async def asks(model, parameters):
    return (await model.request([user()], None, parameters)).parts


async def stream(model, parameters):
    async with model.request_stream([user()], None, parameters) as response:
        async for _ in response:
            pass
    return response.get().parts


for (name, profile), (requested, native) in itertools.product(PROFILES.items(), TOOLS.items()):
    parameters = ModelRequestParameters(native_tools=native)
    for model in (TestModel(profile=profile), FunctionModel(answer, stream_function=pieces, profile=profile)):
        title = f'{type(model).__name__} {name}: {requested}'
        attempt(f'{title} request', asks, model, parameters)
        attempt(f'{title} stream', stream, model, parameters)
        if isinstance(model, TestModel):
            fact('last', model.last_model_request_parameters)
