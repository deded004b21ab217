"""The ids of toolsets of MCP servers can be assigned, those of the old classes too."""

# needs: mcp
import warnings

from _common import fact
from pydantic_ai.mcp import MCPServerSSE, MCPServerStdio, MCPServerStreamableHTTP, MCPToolset

warnings.simplefilter('ignore')
for toolset in (
    MCPToolset('http://localhost/mcp', id='a'),
    MCPServerStreamableHTTP('http://localhost/mcp', id='a'),
    MCPServerSSE('http://localhost/sse'),
    MCPServerStdio('server', args=[], id='a'),
):
    before = toolset.id
    toolset.id = 'b'
    fact(type(toolset).__name__, [before, toolset.id])
