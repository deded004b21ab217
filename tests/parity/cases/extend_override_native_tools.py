"""`override(native_tools=...)` and the native tools that capabilities bring: those of the agent, and those of the run."""

import json

from pydantic_ai import Agent
from pydantic_ai.capabilities import NativeTool
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.native_tools import CodeExecutionTool, WebFetchTool, WebSearchTool
from pydantic_ai.profiles import ModelProfile


def answer(messages, info):
    tools = [tool.kind for tool in info.model_request_parameters.native_tools]
    return ModelResponse(parts=[TextPart(json.dumps(sorted(tools)))])


model = FunctionModel(
    answer, profile=ModelProfile(supported_native_tools=frozenset({WebSearchTool, CodeExecutionTool, WebFetchTool}))
)
code, search, fetch = NativeTool(CodeExecutionTool()), WebSearchTool(), NativeTool(WebFetchTool())
for own in ([], [code]):
    for native_tools in (None, [], [search]):
        for of_run in (None, [fetch]):
            agent = Agent(model, capabilities=own)
            if native_tools is None:
                output = agent.run_sync('go', capabilities=of_run).output
            else:
                with agent.override(native_tools=native_tools):
                    output = agent.run_sync('go', capabilities=of_run).output
            print(len(own), None if native_tools is None else len(native_tools), len(of_run or []), output)
