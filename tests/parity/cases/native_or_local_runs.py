"""What models with and without the native tool are offered."""

from _native_or_local import mine, run
from pydantic_ai.capabilities import MCP, ImageGeneration, WebFetch, WebSearch, XSearch
from pydantic_ai.native_tools import ImageGenerationTool, MCPServerTool, WebFetchTool, WebSearchTool, XSearchTool

ALL = (ImageGenerationTool, MCPServerTool, WebFetchTool, WebSearchTool, XSearchTool)
for label, make in [
    ('search', lambda: WebSearch(local=mine)),
    ('search duckduckgo', lambda: WebSearch(local='duckduckgo')),
    ('search native only', lambda: WebSearch(local=False)),
    ('search local only', lambda: WebSearch(native=False, local=mine)),
    ('search with domains', lambda: WebSearch(local=mine, allowed_domains=['a'])),
    ('fetch', lambda: WebFetch(local=True)),
    ('fetch with domains', lambda: WebFetch(local=True, allowed_domains=['a'])),
    ('fetch with uses', lambda: WebFetch(local=True, max_uses=1)),
    ('image', lambda: ImageGeneration()),
    ('image by agent', lambda: ImageGeneration(fallback_model='x:y')),
    ('x', lambda: XSearch()),
    ('x by agent', lambda: XSearch(fallback_model='x:y')),
    ('x with accounts', lambda: XSearch(local=mine, allowed_x_handles=['a'])),
    ('mcp native only', lambda: MCP('https://x/api', native=True, local=False)),
    ('mcp own', lambda: MCP('https://x/api', native=True, local=mine)),
]:
    run([label, 'with'], make(), *ALL)
    run([label, 'without'], make())
