"""The ids of MCP servers in 2.x."""

from __future__ import annotations

from pydantic_ai.capabilities import MCP

URLS = (
    'https://example.com',
    'https://example.com/mcp',
    'https://api.example.com:8080/v1/mcp/?q=1',
    'http://127.0.0.1:9/mcp',
)
for url in URLS:
    print(url, MCP(url=url).id)
