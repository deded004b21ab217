"""Ready-made tools: search and fetch from the web, search X, generate images."""

from __future__ import annotations

from .._kit.lazy import lazy_exports

# No module of this package is imported here: a thread that imports one waits for this one, and would be waited for.
__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        'duckduckgo': ('duckduckgo_search_tool',),
        'image_generation': ('image_generation_tool',),
        'web_fetch': ('WebFetchResult', 'web_fetch_tool'),
        'x_search': ('x_search_tool',),
    },
)

__all__ = (
    'WebFetchResult',
    'duckduckgo_search_tool',
    'image_generation_tool',
    'web_fetch_tool',
    'x_search_tool',
)
