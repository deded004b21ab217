"""Tools that search and read the web with Exa."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, overload

from typing_extensions import TypeAlias, TypedDict

from .._contracts.run_context import AgentDepsT
from .._kit.extras import load_extra
from ..tools import Tool
from ..toolsets import FunctionToolset

__all__ = ('ExaToolset', 'exa_answer_tool', 'exa_find_similar_tool', 'exa_get_contents_tool', 'exa_search_tool')

SearchType = Literal['auto', 'keyword', 'neural', 'fast', 'deep']
ExaClient: TypeAlias = Any
"""An `AsyncExa` of the package `exa-py`."""
AnyTool: TypeAlias = Tool[Any]
"""A tool that any agent can use, whatever its dependencies."""


class ExaSearchResult(TypedDict):
    """A page that was found."""

    title: str
    """Its title; empty if it has none."""
    url: str
    """Its address."""
    published_date: str | None
    """When it was published, if that is known."""
    author: str | None
    """Its author, if that is known."""
    text: str
    """What it says."""


class ExaContentResult(TypedDict):
    """The content of a page."""

    url: str
    """Its address."""
    title: str
    """Its title; empty if it has none."""
    text: str
    """What it says."""
    author: str | None
    """Its author, if that is known."""
    published_date: str | None
    """When it was published, if that is known."""


class ExaAnswerResult(TypedDict):
    """An answer to a question."""

    answer: str
    """The answer."""
    citations: list[dict[str, Any]]
    """The pages it rests on, each with `url`, `title` and `text`."""


def _found(result: Any) -> ExaSearchResult:
    return {
        'title': result.title or '',
        'url': result.url,
        'published_date': result.published_date,
        'author': result.author,
        'text': result.text or '',
    }


@dataclass
class ExaSearchTool:
    """A search with a client of the package `exa-py`."""

    client: ExaClient
    """The client, an `AsyncExa`."""
    _: KW_ONLY
    num_results: int = 5
    """How many pages are returned."""
    max_characters: int | None = None
    """How long the text of a page may be; `None` for no limit."""

    async def __call__(self, query: str, search_type: SearchType = 'auto') -> list[ExaSearchResult]:
        """Searches Exa for the given query and returns the results with content.

        Args:
            query: The search query to execute with Exa.
            search_type: The type of search to perform. 'auto' automatically chooses
                the best search type, 'keyword' for exact matches, 'neural' for
                semantic search, 'fast' for speed-optimized search, 'deep' for
                comprehensive multi-query search.

        Returns:
            The search results with text content.
        """
        text = True if self.max_characters is None else {'max_characters': self.max_characters}
        found = await self.client.search(query, num_results=self.num_results, type=search_type, contents={'text': text})
        return [_found(result) for result in found.results]


@dataclass
class ExaFindSimilarTool:
    """A search for pages like another one, with a client of the package `exa-py`."""

    client: ExaClient
    """The client, an `AsyncExa`."""
    _: KW_ONLY
    num_results: int = 5
    """How many pages are returned."""

    async def __call__(self, url: str, exclude_source_domain: bool = True) -> list[ExaSearchResult]:
        """Finds pages similar to the given URL and returns them with content.

        Args:
            url: The URL to find similar pages for.
            exclude_source_domain: Whether to exclude results from the same domain
                as the input URL. Defaults to True.

        Returns:
            Similar pages with text content.
        """
        found = await self.client.find_similar(
            url, num_results=self.num_results, exclude_source_domain=exclude_source_domain, contents={'text': True}
        )
        return [_found(result) for result in found.results]


@dataclass
class ExaGetContentsTool:
    """Reading pages, with a client of the package `exa-py`."""

    client: ExaClient
    """The client, an `AsyncExa`."""

    async def __call__(self, urls: list[str]) -> list[ExaContentResult]:
        """Gets the content of the specified URLs.

        Args:
            urls: A list of URLs to get content for.

        Returns:
            The content of each URL.
        """
        read = await self.client.get_contents(urls, text=True)
        return [
            {
                'url': result.url,
                'title': result.title or '',
                'text': result.text or '',
                'author': result.author,
                'published_date': result.published_date,
            }
            for result in read.results
        ]


@dataclass
class ExaAnswerTool:
    """Answers with their sources, with a client of the package `exa-py`."""

    client: ExaClient
    """The client, an `AsyncExa`."""

    async def __call__(self, query: str) -> ExaAnswerResult:
        """Generates an answer to the given question with citations.

        Args:
            query: The question to answer.

        Returns:
            The answer with citations from web sources.
        """
        answered = await self.client.answer(query, text=True)
        cited = [{'url': item.url, 'title': item.title or '', 'text': item.text or ''} for item in answered.citations]
        return {'answer': answered.answer, 'citations': cited}


_DESCRIPTIONS = {
    'exa_search': (
        'Searches Exa for the given query and returns the results with content. '
        'Exa is a neural search engine that finds high-quality, relevant results.'
    ),
    'exa_find_similar': (
        'Finds web pages similar to a given URL. Useful for discovering related content, competitors, or alternative sources.'
    ),
    'exa_get_contents': (
        'Gets the full text content of specified URLs. '
        'Useful for reading articles, documentation, or any web page when you have the exact URL.'
    ),
    'exa_answer': (
        'Generates an AI-powered answer to a question with citations from web sources. '
        'Returns a comprehensive answer backed by real sources.'
    ),
}


def _tool(name: str, call: Callable[..., Any]) -> AnyTool:
    return Tool(call, name=name, description=_DESCRIPTIONS[name])


def _client(api_key: str | None, client: ExaClient, maker: str) -> ExaClient:
    """Return the client that was passed, or one for the key.

    Raises:
        ValueError: There is neither.
        ImportError: The package exa-py is not installed.
    """
    if client is not None:
        return client
    if api_key is None:
        raise ValueError(f'`{maker}` needs `api_key`, or a `client`.')
    return load_extra('exa_py', extra='exa', what='Searching with Exa').AsyncExa(api_key=api_key)


@overload
def exa_search_tool(api_key: str, *, num_results: int = 5, max_characters: int | None = None) -> AnyTool: ...


@overload
def exa_search_tool(*, client: ExaClient, num_results: int = 5, max_characters: int | None = None) -> AnyTool: ...


def exa_search_tool(
    api_key: str | None = None, *, client: ExaClient = None, num_results: int = 5, max_characters: int | None = None
) -> AnyTool:
    """Return a tool that searches the web with Exa.

    Args:
        api_key: The API key, if there is no client.
        client: An `AsyncExa`, for example one that several tools share.
        num_results: How many pages are returned.
        max_characters: How long the text of a page may be; by default there is no limit.

    Raises:
        ValueError: There is neither a key nor a client.
        ImportError: A key is passed, and the package exa-py is not installed.
    """
    client = _client(api_key, client, 'exa_search_tool')
    return _tool('exa_search', ExaSearchTool(client, num_results=num_results, max_characters=max_characters).__call__)


@overload
def exa_find_similar_tool(api_key: str, *, num_results: int = 5) -> AnyTool: ...


@overload
def exa_find_similar_tool(*, client: ExaClient, num_results: int = 5) -> AnyTool: ...


def exa_find_similar_tool(api_key: str | None = None, *, client: ExaClient = None, num_results: int = 5) -> AnyTool:
    """Return a tool that finds pages like another one.

    Args:
        api_key: The API key, if there is no client.
        client: An `AsyncExa`, for example one that several tools share.
        num_results: How many pages are returned.

    Raises:
        ValueError: There is neither a key nor a client.
        ImportError: A key is passed, and the package exa-py is not installed.
    """
    client = _client(api_key, client, 'exa_find_similar_tool')
    return _tool('exa_find_similar', ExaFindSimilarTool(client, num_results=num_results).__call__)


@overload
def exa_get_contents_tool(api_key: str) -> AnyTool: ...


@overload
def exa_get_contents_tool(*, client: ExaClient) -> AnyTool: ...


def exa_get_contents_tool(api_key: str | None = None, *, client: ExaClient = None) -> AnyTool:
    """Return a tool that reads pages.

    Args:
        api_key: The API key, if there is no client.
        client: An `AsyncExa`, for example one that several tools share.

    Raises:
        ValueError: There is neither a key nor a client.
        ImportError: A key is passed, and the package exa-py is not installed.
    """
    return _tool('exa_get_contents', ExaGetContentsTool(_client(api_key, client, 'exa_get_contents_tool')).__call__)


@overload
def exa_answer_tool(api_key: str) -> AnyTool: ...


@overload
def exa_answer_tool(*, client: ExaClient) -> AnyTool: ...


def exa_answer_tool(api_key: str | None = None, *, client: ExaClient = None) -> AnyTool:
    """Return a tool that answers questions, with the pages that the answers rest on.

    Args:
        api_key: The API key, if there is no client.
        client: An `AsyncExa`, for example one that several tools share.

    Raises:
        ValueError: There is neither a key nor a client.
        ImportError: A key is passed, and the package exa-py is not installed.
    """
    return _tool('exa_answer', ExaAnswerTool(_client(api_key, client, 'exa_answer_tool')).__call__)


class ExaToolset(FunctionToolset[AgentDepsT]):
    """The tools of Exa, which share one client."""

    def __init__(
        self,
        api_key: str,
        *,
        num_results: int = 5,
        max_characters: int | None = None,
        include_search: bool = True,
        include_find_similar: bool = True,
        include_get_contents: bool = True,
        include_answer: bool = True,
        id: str | None = None,
    ) -> None:
        """Create the tools.

        Args:
            api_key: The API key.
            num_results: How many pages searches return.
            max_characters: How long the text of a page that was searched for may be; by default there is no limit.
            include_search: Whether there is `exa_search`.
            include_find_similar: Whether there is `exa_find_similar`.
            include_get_contents: Whether there is `exa_get_contents`.
            include_answer: Whether there is `exa_answer`.
            id: The id of the toolset.

        Raises:
            ImportError: The package exa-py is not installed.
        """
        client = _client(api_key, None, 'ExaToolset')
        tools: list[AnyTool] = []
        if include_search:
            tools.append(exa_search_tool(client=client, num_results=num_results, max_characters=max_characters))
        if include_find_similar:
            tools.append(exa_find_similar_tool(client=client, num_results=num_results))
        if include_get_contents:
            tools.append(exa_get_contents_tool(client=client))
        if include_answer:
            tools.append(exa_answer_tool(client=client))
        super().__init__(tools, id=id)
