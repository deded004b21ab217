"""The public names of `stead.common_tools`, for type checkers. Written by `make stubs`."""

from .duckduckgo import duckduckgo_search_tool as duckduckgo_search_tool
from .image_generation import image_generation_tool as image_generation_tool
from .web_fetch import WebFetchResult as WebFetchResult, web_fetch_tool as web_fetch_tool
from .x_search import x_search_tool as x_search_tool
