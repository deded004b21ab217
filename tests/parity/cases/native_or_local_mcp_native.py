"""The native tool that `MCP` makes of its settings, and which side is used."""

import json

from _native_or_local import mine, show
from pydantic_ai.capabilities import MCP
from pydantic_ai.native_tools import MCPServerTool

URL = 'https://mcp.example.com/api'
for label, options in [
    ('plain', {}),
    ('native', {'native': True}),
    ('no native', {'native': False}),
    ('native only', {'native': True, 'local': False}),
    ('native only by default', {'local': False}),
    ('local', {'native': True, 'local': True}),
    ('neither', {'native': False, 'local': False}),
    ('token', {'native': True, 'authorization_token': 't', 'headers': {'X': '1'}}),
    ('allowed', {'native': True, 'allowed_tools': ['a', 'b']}),
    ('described', {'native': True, 'id': 'me', 'description': 'd'}),
    ('own', {'native': MCPServerTool(id='q', url='https://z/')}),
    ('function', {'native': lambda ctx: None}),
    ('elsewhere', {'native': True, 'local': 'https://other/mcp'}),
    ('no url', {'native': True, 'local': 'other'}),
    ('sse', {'native': False, 'local': 'http://localhost:1/sse'}),
]:
    show(label, lambda: MCP(URL, **options), tools=False)
show('own local', lambda: MCP(URL, native=True, local=mine))
try:
    MCP()
except TypeError:
    print(json.dumps('url is required'))
