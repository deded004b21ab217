"""Native tools that search and fetch from the web."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal, Union

from typing_extensions import TypedDict, deprecated

from .._kit.deprecated import warn_caller
from .._kit.keywords import hinted
from .._kit.left_out import left_out
from ._base import AbstractNativeTool

MAX_X_HANDLES = 10


class WebSearchUserLocation(TypedDict, total=False):
    """The location of the user, for local results."""

    city: str
    """The city."""
    country: str
    """The country; a two-letter code for some providers."""
    region: str
    """The region or state."""
    timezone: str
    """The time zone, by its IANA name."""


class AnthropicWebSearchToolSettings(TypedDict, total=False):
    """Settings of `WebSearchTool` for Anthropic."""

    response_inclusion: Literal['full', 'excluded']
    """Whether results that code has used are part of the response."""


class OpenRouterWebSearchToolSettings(TypedDict, total=False):
    """Settings of `WebSearchTool` for OpenRouter."""

    engine: Union[Literal['auto', 'native', 'exa', 'firecrawl', 'parallel', 'perplexity'], str]
    """The search engine."""
    mode: Union[
        Literal['instant', 'fast', 'auto', 'deep-lite', 'deep', 'deep-reasoning', 'turbo', 'basic', 'advanced'], str
    ]
    """How thoroughly the engine searches."""
    max_results: int
    """The maximum number of results of a search."""
    max_total_results: int
    """The maximum number of results of all searches."""
    max_characters: int
    """The maximum length of a result."""


class WebSearchProviderSettings(TypedDict, total=False):
    """Settings of `WebSearchTool` by vendor; other vendors ignore them."""

    anthropic: AnthropicWebSearchToolSettings
    """For Anthropic."""
    openrouter: OpenRouterWebSearchToolSettings
    """For OpenRouter."""


class AnthropicWebFetchToolSettings(TypedDict, total=False):
    """Settings of `WebFetchTool` for Anthropic."""

    enable_citations: bool
    """Whether to include citations in the response."""
    max_content_tokens: int
    """The maximum number of tokens of a page."""
    response_inclusion: Literal['full', 'excluded']
    """Whether pages that code has used are part of the response."""
    use_cache: bool
    """Whether a page may come from the vendor's cache."""


class WebFetchProviderSettings(TypedDict, total=False):
    """Settings of `WebFetchTool` by vendor; other vendors ignore them."""

    anthropic: AnthropicWebFetchToolSettings
    """For Anthropic."""


@hinted
@dataclass(repr=False, eq=False, kw_only=True)
class WebSearchTool(AbstractNativeTool):
    """A tool that searches the web."""

    kind: str = 'web_search'
    search_context_size: Literal['low', 'medium', 'high'] = 'medium'
    """The amount of search results in the context."""
    user_location: WebSearchUserLocation | None = None
    """The location of the user."""
    blocked_domains: list[str] | None = None
    """Domains to exclude from results."""
    allowed_domains: list[str] | None = None
    """The only domains to include in results."""
    max_uses: int | None = None
    """The maximum number of searches."""
    external_web_access: Annotated[Union[bool, None], left_out()] = None
    """Whether the live web is searched; `False` searches what the vendor has indexed."""
    provider_settings: Annotated[Union[WebSearchProviderSettings, None], left_out()] = None
    """Settings of single vendors."""

    _restrictions = ('blocked_domains', 'allowed_domains', 'max_uses')

    @property
    def restricting_settings(self) -> frozenset[str]:
        """The names of the settings that restrict the tool."""
        offline: frozenset[str] = frozenset({'external_web_access'} if self.external_web_access is False else ())
        return super().restricting_settings | offline


@hinted
@dataclass(repr=False, eq=False, kw_only=True)
class XSearchTool(AbstractNativeTool):
    """A tool that searches posts on X."""

    kind: str = 'x_search'
    allowed_x_handles: list[str] | None = None
    """The only accounts to search."""
    excluded_x_handles: list[str] | None = None
    """Accounts to exclude."""
    from_date: datetime | None = None
    """The earliest date of a post."""
    to_date: datetime | None = None
    """The latest date of a post."""
    enable_image_understanding: bool = False
    """Whether to analyze images."""
    enable_video_understanding: bool = False
    """Whether to analyze videos."""
    include_output: bool = False
    """Whether to include the search results in the response."""

    def __post_init__(self) -> None:
        super().__post_init__()
        handle_lists = {'allowed_x_handles': self.allowed_x_handles, 'excluded_x_handles': self.excluded_x_handles}
        passed = {name: handles for name, handles in handle_lists.items() if handles is not None}
        if len(passed) > 1:
            raise ValueError(
                'Search some accounts or leave some out: pass `allowed_x_handles` or `excluded_x_handles`.'
            )
        for name, handles in passed.items():
            if len(handles) > MAX_X_HANDLES:
                raise ValueError(f'`{name}` names {len(handles)} accounts; there can be at most {MAX_X_HANDLES}.')


@hinted
@dataclass(repr=False, eq=False, kw_only=True)
class WebFetchTool(AbstractNativeTool):
    """A tool that fetches web pages."""

    kind: str = 'web_fetch'
    max_uses: int | None = None
    """The maximum number of pages to fetch."""
    allowed_domains: list[str] | None = None
    """The only domains to fetch from."""
    blocked_domains: list[str] | None = None
    """Domains never to fetch from."""
    enable_citations: bool = False
    """Whether to include citations in the response."""
    max_content_tokens: int | None = None
    """The maximum number of tokens of a page."""
    provider_settings: Annotated[Union[WebFetchProviderSettings, None], left_out()] = None
    """Settings of single vendors."""

    _restrictions = ('blocked_domains', 'allowed_domains', 'max_uses')
    _vendors_of = {'enable_citations': 'anthropic', 'max_content_tokens': 'anthropic'}


# The decorator is for type checkers: it would not notice tools that are read from JSON, which the class does.
@deprecated('`UrlContextTool` is an old name; use `WebFetchTool`.', category=None)
@hinted
@dataclass(repr=False, eq=False, kw_only=True)
class UrlContextTool(WebFetchTool):
    """The old name of `WebFetchTool`."""

    kind: str = 'url_context'

    def __post_init__(self) -> None:
        super().__post_init__()
        warn_caller('`UrlContextTool` is an old name; use `WebFetchTool`.', DeprecationWarning)
