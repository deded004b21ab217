"""What is deprecated warns, in the category that programs filter."""

import json
import tempfile
import warnings
from pathlib import Path

from _common import fact
from pydantic_ai import Agent
from pydantic_ai.common_tools.image_generation import ImageGenerationSubagentTool
from pydantic_ai.common_tools.x_search import XSearchSubagentTool
from pydantic_ai.models import cached_async_http_client
from pydantic_ai.models.test import TestModel
from pydantic_ai.native_tools import ImageGenerationTool, UrlContextTool, XSearchTool
from pydantic_ai.toolsets import FunctionToolset

CONFIG = {'mcpServers': {'a': {'command': 'echo', 'args': []}, 'b': {'url': 'http://localhost/mcp'}}}


def config():
    path = Path(tempfile.mkdtemp()) / 'mcp.json'
    path.write_text(json.dumps(CONFIG))
    return path


def attempt(title, make):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        make()
    fact(title, [[kind.__name__ for kind in one.category.__mro__[:2]] for one in caught])


def servers():
    from pydantic_ai.mcp import MCPServerHTTP, MCPServerSSE, MCPServerStdio, MCPServerStreamableHTTP, load_mcp_servers
    from pydantic_ai.toolsets.fastmcp import FastMCPToolset

    yield 'stdio', lambda: MCPServerStdio('echo', [])
    yield 'sse', lambda: MCPServerSSE('http://localhost/sse')
    yield 'sse timeout', lambda: MCPServerSSE('http://localhost/sse', sse_read_timeout=4)
    yield 'http', lambda: MCPServerHTTP('http://localhost/sse')
    yield 'streamable', lambda: MCPServerStreamableHTTP('http://localhost/mcp')
    yield 'fastmcp', lambda: FastMCPToolset('http://localhost/mcp')
    yield 'file', lambda: load_mcp_servers(config())


def providers():
    from pydantic_ai.models.openai import OpenAICompaction
    from pydantic_ai.providers.grok import GrokProvider

    yield 'grok', lambda: GrokProvider(api_key='x')
    yield 'compaction', lambda: OpenAICompaction()
    yield 'compaction instructions', lambda: OpenAICompaction(instructions='x')


attempt('url context', lambda: UrlContextTool())
for title, make in (*servers(), *providers()):
    attempt(title, make)
attempt('cached client', lambda: cached_async_http_client())
attempt('agent without servers', lambda: Agent(TestModel(), mcp_servers=[]))
attempt('agent with servers', lambda: Agent(TestModel(), mcp_servers=[FunctionToolset()]))
attempt('sampling model', lambda: Agent(TestModel()).set_mcp_sampling_model())
x_search = XSearchSubagentTool(model=TestModel(), native_tool=XSearchTool())
attempt('x search', lambda: x_search.builtin_tool)
image = ImageGenerationSubagentTool(model=TestModel(), native_tool=ImageGenerationTool())
attempt('image', lambda: image.builtin_tool)
attempt('native tools', lambda: Agent(TestModel(), builtin_tools=[]))
attempt('instrument', lambda: Agent(TestModel(), instrument=False))
