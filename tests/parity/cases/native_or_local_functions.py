"""Native tools that are functions of the run context."""

from _native_or_local import mine, run
from pydantic_ai.capabilities import WebFetch, WebSearch, XSearch
from pydantic_ai.native_tools import WebFetchTool, WebSearchTool, XSearchTool


async def later(ctx):
    return WebFetchTool(max_uses=2)


for label, make, kind in [
    ('search', lambda: WebSearch(native=lambda ctx: WebSearchTool(max_uses=2), local=mine), WebSearchTool),
    ('search, none', lambda: WebSearch(native=lambda ctx: None, local=mine), WebSearchTool),
    ('fetch, async', lambda: WebFetch(native=later, local=True), WebFetchTool),
    ('x', lambda: XSearch(native=lambda ctx: XSearchTool(include_output=True), local=mine), XSearchTool),
]:
    run([label, 'with'], make(), kind)
    run([label, 'without'], make())
