"""Toolsets of MCP servers: clients of fastmcp, identity, notes of prompts, instructions, tasks, retries, old names."""

# needs: fastmcp, mcp.client.experimental
import asyncio
import inspect
import json
import warnings
from contextlib import asynccontextmanager

import mcp.types as types
from _common import fact
from fastmcp import Client, FastMCP
from fastmcp.client.transports import ClientTransport
from mcp.server.lowlevel import Server
from mcp.shared.memory import create_connected_server_and_client_session
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.mcp import MCPServerSSE, MCPServerStdio, MCPToolset
from pydantic_ai.models.test import TestModel
from pydantic_ai.tools import ToolDefinition
from pydantic_core import to_jsonable_python

warnings.simplefilter('ignore')
TEXT = types.Annotations(audience=['user'], priority=0.5)
TASKS = {'must': 'required', 'may': 'optional', 'never': 'forbidden', 'plain': None, 'bad': 'required'}
calls = []


class Direct(ClientTransport):
    """A transport to a server of the package mcp in this process."""

    def __init__(self, server):
        self.server = server

    @asynccontextmanager
    async def connect_session(self, **options):
        known = inspect.signature(create_connected_server_and_client_session).parameters
        passed = {name: value for name, value in options.items() if name in known}
        async with create_connected_server_and_client_session(self.server, **passed) as session:
            yield session


def low_server():
    server = Server('low')
    server.experimental.enable_tasks()

    @server.list_tools()
    async def list_tools():
        schema = {'type': 'object', 'properties': {}}
        return [
            types.Tool(name=name, inputSchema=schema, execution=types.ToolExecution(taskSupport=mode) if mode else None)
            for name, mode in TASKS.items()
        ]

    @server.call_tool()
    async def call_tool(name, arguments):
        tasks = server.request_context.experimental
        calls.append([name, tasks.is_task])
        if not tasks.is_task:
            return [types.TextContent(type='text', text='direct')]

        async def work(task):
            return types.CallToolResult(content=[types.TextContent(type='text', text='as task')], isError=name == 'bad')

        return await tasks.run_task(work)

    @server.list_prompts()
    async def list_prompts():
        return [types.Prompt(name='p')]

    @server.get_prompt()
    async def get_prompt(name, arguments):
        resource = types.TextResourceContents(uri='file:///a', text='x', mimeType='text/plain', _meta={'r': 2})
        contents = [
            types.TextContent(type='text', text='a'),
            types.TextContent(type='text', text='b', annotations=TEXT),
            types.TextContent(type='text', text='c', annotations=TEXT, _meta={'k': 1}),
            types.TextContent(type='text', text='d', _meta={'k': 1}),
            types.ImageContent(type='image', data='aGk=', mimeType='image/png', annotations=TEXT, _meta={'k': 1}),
            types.EmbeddedResource(type='resource', resource=resource, annotations=TEXT, _meta={'k': 1}),
            types.ResourceLink(type='resource_link', uri='file:///a', name='n', annotations=TEXT, _meta={'k': 1}),
        ]
        messages = [types.PromptMessage(role='user', content=content) for content in contents]
        return types.GetPromptResult(messages=messages, _meta={'z': 1})

    return server


def identity(server, client):
    definition = ToolDefinition(name='x')
    for retries in (None, 0, 4):
        fact('retries', MCPToolset(client, max_retries=retries).tool_for_tool_def(definition).max_retries)
    for name, target in (('client', client), ('server', server), ('url', 'http://x/mcp')):
        for one, other in ((None, None), ('a', 'a'), ('a', 'b')):
            fact(name, [one, other, MCPToolset(target, id=one) == MCPToolset(target, id=other)])
    fact('others', MCPToolset(client, id='a', max_retries=3) == MCPToolset(client, id='a', max_retries=2))
    fact('set', len({MCPToolset(client, id='a'), MCPToolset(client, id='a')}))
    for target in (server, client, 'http://x/mcp', 'http://x/sse', {'mcpServers': {'a': {'command': 'x', 'args': []}}}):
        own = MCPToolset(target).client
        fact(str(type(target).__name__), [type(own).__name__, isinstance(own, Client), own is target])
    for url in ('http://x/mcp', 'http://x/sse'):
        toolset = MCPToolset(url, headers={'a': 'b'}, auth='oauth')
        fact(url, [type(toolset.client.transport).__name__, toolset.client.transport.url])
    try:
        MCPServerSSE('http://x', read_timeout=3, sse_read_timeout=4)
    except TypeError as error:
        fact('timeouts', type(error).__name__)


def old_configuration():
    from pydantic_ai.mcp import MCPServerConfig

    program = {'command': 'x', 'args': ['y']}
    for servers in ({'a': program, 'b': {'url': 'http://x/sse'}, 'c': {'url': 'http://x/mcp'}}, {'a': {}}):
        try:
            read = MCPServerConfig.model_validate({'mcpServers': servers}).mcp_servers
        except ValueError:
            fact('configuration', 'ValueError')
            continue
        fact('configuration', {name: [type(one).__name__, one.id, one.tool_prefix] for name, one in read.items()})
        fact('program', isinstance(read['a'], MCPServerStdio))


async def instructions(client):
    toolset = MCPToolset(client, include_instructions=True)
    toolset.id = 'b'
    agent = Agent(TestModel(call_tools=[]), toolsets=[toolset])
    await agent.run('x')
    parts = agent.model.last_model_request_parameters.instruction_parts
    fact(toolset.id, [[part.content, part.dynamic] for part in parts])


async def tasks_and_prompts():
    toolset = MCPToolset(Client(Direct(low_server())))
    async with toolset:
        for message in (await toolset.get_prompt('p')).messages:
            fact(message.role, json.dumps(to_jsonable_python(message.content), sort_keys=True))
        for name in TASKS:
            for options in ({}, {'use_task': True}):
                calls.clear()
                try:
                    value = await toolset.direct_call_tool(name, {}, **options)
                except ModelRetry as error:
                    value = f'retry: {error.message}'
                fact(name, [len(options), value, calls])
    calls.clear()
    result = await Agent(TestModel(call_tools=['must', 'may', 'plain', 'never']), toolsets=[toolset]).run('x')
    fact('run', [json.loads(result.output), sorted(calls)])


async def main():
    server = FastMCP('s', instructions='inst')
    identity(server, Client(server))
    old_configuration()
    await instructions(Client(server))
    await tasks_and_prompts()


asyncio.run(main())
