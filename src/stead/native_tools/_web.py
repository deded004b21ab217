"""Native tools that search and read the web."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from typing_extensions import TypedDict

from ._base import AbstractNativeTool

MOST_X_HANDLES = 10


class WebSearchUserLocation(TypedDict, total=False):
    """Where the user is, for results that depend on it."""

    city: str
    """The city."""
    country: str
    """The country; a two-letter code for some providers."""
    region: str
    """The region or state."""
    timezone: str
    """The time zone, by its IANA name."""


@dataclass(kw_only=True)
class WebSearchTool(AbstractNativeTool):
    """Searches the web."""

    kind: str = 'web_search'
    search_context_size: Literal['low', 'medium', 'high'] = 'medium'
    """How much of what is found goes into the context."""
    user_location: WebSearchUserLocation | None = None
    """Where the user is."""
    blocked_domains: list[str] | None = None
    """Domains never to show."""
    allowed_domains: list[str] | None = None
    """The only domains to show."""
    max_uses: int | None = None
    """How often the model may search."""


@dataclass(kw_only=True)
class XSearchTool(AbstractNativeTool):
    """Searches posts on X."""

    kind: str = 'x_search'
    allowed_x_handles: list[str] | None = None
    """The only accounts to search."""
    excluded_x_handles: list[str] | None = None
    """Accounts to leave out."""
    from_date: datetime | None = None
    """The earliest date of a post."""
    to_date: datetime | None = None
    """The latest date of a post."""
    enable_image_understanding: bool = False
    """Whether images are looked at."""
    enable_video_understanding: bool = False
    """Whether videos are looked at."""
    include_output: bool = False
    """Whether what was found is part of the response."""

    def __post_init__(self) -> None:
        named = {'allowed_x_handles': self.allowed_x_handles, 'excluded_x_handles': self.excluded_x_handles}
        given = {name: handles for name, handles in named.items() if handles is not None}
        if len(given) > 1:
            raise ValueError(
                'Search some accounts or leave some out: pass `allowed_x_handles` or `excluded_x_handles`.'
            )
        for name, handles in given.items():
            if len(handles) > MOST_X_HANDLES:
                raise ValueError(f'`{name}` names {len(handles)} accounts; there can be at most {MOST_X_HANDLES}.')


@dataclass(kw_only=True)
class WebFetchTool(AbstractNativeTool):
    """Reads pages of the web."""

    kind: str = 'web_fetch'
    max_uses: int | None = None
    """How many pages the model may read."""
    allowed_domains: list[str] | None = None
    """The only domains to read from."""
    blocked_domains: list[str] | None = None
    """Domains never to read from."""
    enable_citations: bool = False
    """Whether the response says where what comes from."""
    max_content_tokens: int | None = None
    """The most tokens of a page."""


@dataclass(kw_only=True)
class UrlContextTool(WebFetchTool):
    """The old name of `WebFetchTool`."""

    kind: str = 'url_context'
