"""Native tools that occur twice, at the agent, at the run and in capabilities: which one the model gets, and where."""

import asyncio

from _common import fact
from pydantic_ai import Agent
from pydantic_ai.capabilities import AbstractCapability, NativeTool, WebSearch
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.test import TestModel
from pydantic_ai.native_tools import CodeExecutionTool, MCPServerTool, WebFetchTool, WebSearchTool


class Model(TestModel):
    seen = None

    @classmethod
    def supported_native_tools(cls):
        return frozenset({WebSearchTool, CodeExecutionTool, MCPServerTool, WebFetchTool})

    async def request(self, messages, model_settings, model_request_parameters):
        self.seen = self.prepare_request(model_settings, model_request_parameters)[1].native_tools
        return ModelResponse(parts=[TextPart('done')])


def tool_facts(tools):
    return [
        [tool.unique_id, getattr(tool, 'search_context_size', None), getattr(tool, 'url', None), tool.optional]
        for tool in tools or ()
    ]


def search(size, **options):
    return WebSearchTool(search_context_size=size, **options)


def server(name, url):
    return MCPServerTool(id=name, url=url)


class Both(AbstractCapability):
    def get_native_tools(self):
        return [search('low'), WebFetchTool(), search('high')]


class SmallSearch(WebSearch):
    pass


async def run(name, agent_options, run_options=None, override=None):
    model = Model()
    agent = Agent(model, **agent_options)
    with agent.override(**(override or {})):
        await agent.run('hi', **(run_options or {}))
    fact(name, tool_facts(model.seen))


async def main():
    code = CodeExecutionTool()
    low, high = NativeTool(search('low')), NativeTool(search('high'))
    await run('agent', {'capabilities': [low, NativeTool(code), high]})
    await run('agent and run', {'capabilities': [low, NativeTool(code)]}, {'capabilities': [high]})
    await run('old name', {'builtin_tools': [search('low'), code, search('high')]})
    await run('old name, run', {'builtin_tools': [search('low'), code]}, {'builtin_tools': [search('high')]})
    await run('old name and capability', {'builtin_tools': [search('low'), code], 'capabilities': [high]})
    await run('old name, order', {'builtin_tools': [code], 'capabilities': [high]})
    functions = [NativeTool(lambda ctx: search('low')), NativeTool(code), NativeTool(lambda ctx: search('high'))]
    await run('functions', {'capabilities': functions})
    await run('a function without a tool', {'capabilities': [low, NativeTool(code), NativeTool(lambda ctx: None)]})
    servers = [NativeTool(server(name, url)) for name, url in [('a', 'http://1'), ('b', 'http://2'), ('a', 'http://3')]]
    await run('servers', {'capabilities': servers})
    await run('optional', {'capabilities': [low, NativeTool(search('high', optional=True))]})
    await run('override', {'capabilities': [low]}, override={'native_tools': [search('medium'), code, search('high')]})
    await run(
        'override and run',
        {'capabilities': [low]},
        {'capabilities': [high]},
        {'native_tools': [search('medium'), code]},
    )
    await run('one capability', {'capabilities': [Both()]})
    await run('native or local', {'capabilities': [low, WebSearch(local=False, search_context_size='high')]})
    two = [WebSearch(local=False, search_context_size='low'), SmallSearch(local=False, search_context_size='high')]
    await run('native or local, twice', {'capabilities': two})
    params = ModelRequestParameters(native_tools=[search('low'), code, search('high')])
    fact('prepared', tool_facts(Model().prepare_request(None, params)[1].native_tools))
    fact('passed in', tool_facts(params.native_tools))


asyncio.run(main())
