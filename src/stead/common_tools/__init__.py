"""Ready-made tools: search and fetch from the web, search X, generate images."""

from __future__ import annotations

from .duckduckgo import duckduckgo_search_tool
from .image_generation import image_generation_tool
from .web_fetch import WebFetchResult, web_fetch_tool
from .x_search import x_search_tool

__all__ = (
    'WebFetchResult',
    'duckduckgo_search_tool',
    'image_generation_tool',
    'web_fetch_tool',
    'x_search_tool',
)
