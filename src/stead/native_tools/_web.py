"""Native tools that search and fetch from the web."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from typing_extensions import TypedDict, deprecated

from .._kit.deprecated import warn_caller
from .._kit.keywords import hinted
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


# The decorator is for type checkers: it would not notice tools that are read from JSON, which the class does.
@deprecated('`UrlContextTool` is an old name; use `WebFetchTool`.', category=None)
@hinted
@dataclass(repr=False, eq=False, kw_only=True)
class UrlContextTool(WebFetchTool):
    """The old name of `WebFetchTool`."""

    kind: str = 'url_context'

    def __post_init__(self) -> None:
        warn_caller('`UrlContextTool` is an old name; use `WebFetchTool`.', DeprecationWarning)
