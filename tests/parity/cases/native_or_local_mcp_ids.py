"""The ids that `MCP` makes of URLs."""

import json

from pydantic_ai.capabilities import MCP
from pydantic_ai.native_tools import MCPServerTool

for url in [
    'https://mcp.example.com',
    'https://mcp.example.com/',
    'https://mcp.example.com/api',
    'https://mcp.example.com/a/b/c',
    'https://mcp.example.com/api?x=1',
    'http://localhost:8000/mcp',
    'https://mcp.example.com/sse',
    'https://mcp.example.com/v1/sse/',
    'https://user:pw@a.b:99/mcp',
    'https://A.B/Mcp',
    'https://mcp.example.com//',
    'https://mcp.example.com/a#f',
]:
    capability = MCP(url, native=True)
    print(json.dumps([url, capability.id, capability.native.id, capability.native.unique_id]))
print(
    json.dumps(
        [MCP('https://x/api', native=True, id='me').native.unique_id, MCP('https://x/api', native=False, id='me').id]
    )
)
own = MCPServerTool(id='own', url='https://y/')
print(json.dumps([MCP('https://x/api', native=own).id, MCP('https://x/api', native=own, id='me').id]))
print(
    json.dumps(
        [MCP('https://x/api', native=lambda ctx: None).id, MCP('https://x/api', native=lambda ctx: None, id='me').id]
    )
)
for name in [
    'x-openai-connector:wiki',
    'x-openai-connector:a/b',
    'x-openai-connector:',
    'files',
    'a:b:c',
    'a/b',
    '/a',
    'a b',
    '',
    'http://',
    'http:///x',
    '//host/path',
    'localhost:80',
    'localhost:80/mcp',
    'mcp.example.com/y',
    'x:y?z=1',
    'http://[::1]:80/x',
]:
    capability = MCP(name, native=True, local=False)
    print(json.dumps([name, capability.id, capability.native.unique_id]))
