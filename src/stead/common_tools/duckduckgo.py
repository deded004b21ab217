"""A tool that searches the web with DuckDuckGo."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

from typing_extensions import TypedDict

from .._kit.aio import run_in_executor
from .._kit.extras import missing
from .._kit.lazy import missing_name
from ..exceptions import ModelRetry
from ..tools import Tool

__all__ = ('duckduckgo_search_tool',)


class DuckDuckGoResult(TypedDict):
    """A DuckDuckGo search result."""

    title: str
    href: str
    body: str


@dataclass
class DuckDuckGoSearchTool:
    """A search with a client of the `ddgs` package."""

    client: Any = None
    """The client; by default one is created for the first search."""
    max_results: int | None = None
    """The maximum number of results; `None` means the default of the client."""

    async def __call__(self, query: str) -> list[DuckDuckGoResult]:
        """Searches DuckDuckGo for the given query and returns the results.

        Args:
            query: The query to search for.

        Returns:
            The search results.
        """
        if self.client is None:
            self.client = sys.modules[__name__].DDGS()
        try:
            results = await run_in_executor(self._search, query)
        except Exception as error:
            if not _is_search_error(error):
                raise
            if 'no results' in str(error).lower():  # the client raises an error for an empty result
                return []
            raise ModelRetry(f'The search failed: {error}') from error
        return [
            {'title': item.get('title', ''), 'href': item.get('href', ''), 'body': item.get('body', '')}
            for item in results
        ]

    def _search(self, query: str) -> list[dict[str, str]]:
        return list(self.client.text(query, max_results=self.max_results))


def __getattr__(name: str) -> Any:
    """Return the class of clients, which programs import from here and replace here in their tests.

    Raises:
        ImportError: The package `ddgs` is not installed.
    """
    if name != 'DDGS':
        missing_name(__name__, name)
    try:
        from ddgs import DDGS  # type: ignore[reportMissingImports, reportUnknownVariableType]
    except ImportError as error:
        raise missing('ddgs', extra='duckduckgo', what='Searching with DuckDuckGo') from error
    return DDGS  # type: ignore[reportUnknownVariableType]


def _is_search_error(error: Exception) -> bool:
    """Return whether a search failed; the package `ddgs` may be missing if another client is used."""
    try:
        from ddgs.exceptions import (  # type: ignore[reportMissingImports]
            DDGSException,  # type: ignore[reportUnknownVariableType]
        )
    except ImportError:
        return False
    return isinstance(error, DDGSException)  # type: ignore[reportUnknownArgumentType]


def duckduckgo_search_tool(duckduckgo_client: Any = None, max_results: int | None = None) -> Tool[Any]:
    """Create a tool that searches the web with DuckDuckGo.

    If a search fails, the model is asked to retry.

    Args:
        duckduckgo_client: A `ddgs.DDGS`, or an object with the same `text` method; a new client if `None`.
        max_results: The maximum number of results; `None` means the default of the client.

    Returns:
        The tool. Without `duckduckgo_client`, a call raises `ImportError` if the extra `duckduckgo` is not installed.
    """
    return Tool[Any](
        DuckDuckGoSearchTool(duckduckgo_client, max_results).__call__,
        name='duckduckgo_search',
        description='Searches DuckDuckGo for the given query and returns the results.',
        effect='read',
    )
