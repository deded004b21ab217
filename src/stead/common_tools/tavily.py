"""A tool that searches the web with Tavily."""

from __future__ import annotations

import inspect
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, Literal, overload

from typing_extensions import TypedDict

from .._kit.extras import load_extra
from .._kit.unset import UNSET, Unset, is_set
from ..tools import Tool

__all__ = ('tavily_search_tool',)

SearchDepth = Literal['basic', 'advanced', 'fast', 'ultra-fast']
Topic = Literal['general', 'news', 'finance']
TimeRange = Literal['day', 'week', 'month', 'year']


class TavilySearchResult(TypedDict):
    """A search result of Tavily."""

    title: str
    """The title of the page."""
    url: str
    """Its address."""
    content: str
    """A summary of what it says."""
    score: float
    """How well it fits the query, from 0 to 1."""


@dataclass
class TavilySearchTool:
    """A search with a client of the package `tavily-python`."""

    client: Any
    """The client, an `AsyncTavilyClient`."""
    _: KW_ONLY
    max_results: int | None = None
    """The maximum number of results; `None` means the default of the client."""

    async def __call__(
        self,
        query: str,
        search_depth: SearchDepth = 'basic',
        topic: Topic = 'general',
        time_range: TimeRange | None = None,
        include_domains: list[str] | None = None,
        exclude_domains: list[str] | None = None,
    ) -> list[TavilySearchResult]:
        """Searches Tavily for the given query and returns the results.

        Args:
            query: The search query to execute with Tavily.
            search_depth: The depth of the search.
            topic: The category of the search.
            time_range: The time range back from the current date to filter results.
            include_domains: List of domains to specifically include in the search results.
            exclude_domains: List of domains to specifically exclude from the search results.

        Returns:
            The search results.
        """
        found = await self.client.search(
            query,
            search_depth=search_depth,
            topic=topic,
            time_range=time_range,
            max_results=self.max_results,
            include_domains=include_domains,
            exclude_domains=exclude_domains,
        )
        return [
            {'title': item['title'], 'url': item['url'], 'content': item['content'], 'score': item['score']}
            for item in found['results']
        ]


@overload
def tavily_search_tool(
    api_key: str,
    *,
    max_results: int | None = None,
    search_depth: SearchDepth | Unset = UNSET,
    topic: Topic | Unset = UNSET,
    time_range: TimeRange | None | Unset = UNSET,
    include_domains: list[str] | None | Unset = UNSET,
    exclude_domains: list[str] | None | Unset = UNSET,
) -> Tool[Any]: ...


@overload
def tavily_search_tool(
    *,
    client: Any,
    max_results: int | None = None,
    search_depth: SearchDepth | Unset = UNSET,
    topic: Topic | Unset = UNSET,
    time_range: TimeRange | None | Unset = UNSET,
    include_domains: list[str] | None | Unset = UNSET,
    exclude_domains: list[str] | None | Unset = UNSET,
) -> Tool[Any]: ...


def tavily_search_tool(
    api_key: str | None = None,
    *,
    client: Any = None,
    max_results: int | None = None,
    search_depth: SearchDepth | Unset = UNSET,
    topic: Topic | Unset = UNSET,
    time_range: TimeRange | None | Unset = UNSET,
    include_domains: list[str] | None | Unset = UNSET,
    exclude_domains: list[str] | None | Unset = UNSET,
) -> Tool[Any]:
    """Return a tool that searches the web with Tavily. What is passed here, the model cannot choose.

    Args:
        api_key: The API key, if there is no client.
        client: An `AsyncTavilyClient`, for example one with settings of its own.
        max_results: The maximum number of results; by default that of Tavily.
        search_depth: How thorough searches are.
        topic: What searches are about.
        time_range: How far back results may lie; `None` for any time.
        include_domains: The only domains of results; `None` for all.
        exclude_domains: Domains that are left out; `None` for none.

    Raises:
        ValueError: There is neither a key nor a client.
        ImportError: A key is passed, and the package tavily-python is not installed.
    """
    if client is None:
        if api_key is None:
            raise ValueError('`tavily_search_tool` needs `api_key`, or a `client`.')
        client = load_extra('tavily', extra='tavily', what='Searching with Tavily').AsyncTavilyClient(api_key)
    search = TavilySearchTool(client, max_results=max_results).__call__
    options = {
        'search_depth': search_depth,
        'topic': topic,
        'time_range': time_range,
        'include_domains': include_domains,
        'exclude_domains': exclude_domains,
    }
    constants = {name: value for name, value in options.items() if is_set(value)}
    return Tool(
        _with_constants(search, constants) if constants else search,
        name='tavily_search',
        description='Searches Tavily for the given query and returns the results.',
    )


def _with_constants(search: Any, constants: dict[str, Any]) -> Any:
    """Return a search without parameters for the constants, so that its schema leaves them out."""

    async def call(*args: Any, **kwargs: Any) -> list[TavilySearchResult]:
        return await partial(search, **constants)(*args, **kwargs)

    signature = inspect.signature(search)
    left = [parameter for name, parameter in signature.parameters.items() if name not in constants]
    call.__signature__ = signature.replace(parameters=left)  # type: ignore[reportFunctionMemberAccess]
    call.__annotations__ = {name: hint for name, hint in search.__annotations__.items() if name not in constants}
    call.__doc__ = search.__doc__
    return call
