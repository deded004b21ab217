"""A tool that fetches web pages: markdown for text, the file itself for anything else."""

from __future__ import annotations

import asyncio
import codecs
import ipaddress
import json
import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from html import unescape
from itertools import accumulate
from typing import Any, cast

from typing_extensions import TypedDict

from .._kit.addresses import AllowLocal
from .._kit.aio import run_in_executor
from .._kit.extras import missing
from .._kit.input_bounds import input_bounds
from .._kit.short import short, short_repr
from .._kit.ssrf import MAX_REDIRECTS, Fetched, FetchError, fetch, host_name
from ..exceptions import ModelRetry, UserError
from ..messages import BinaryContent
from ..tools import Tool

__all__ = ('WebFetchResult', 'web_fetch_tool')

MAX_CONTENT_LENGTH = 50_000
MAX_DOWNLOAD_BYTES = 50 * 1024 * 1024
ACCEPT = 'text/markdown, text/html;q=0.9, */*;q=0.8'
TRUNCATED = '\n\n[Content truncated]'
_HTML = frozenset({'', 'text/html', 'application/xhtml+xml'})
_TEXT = frozenset(
    {'application/xml', 'application/javascript', 'application/yaml', 'application/x-yaml', 'application/toml'}
)
_TAG = re.compile(r'<(/?)([a-zA-Z][^\s/>]{0,50})')
_HOST = re.compile(r'[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*')
_BRACKET = re.compile(r'[\[\]{}]')
_UNREAD = frozenset({'script', 'style', 'noscript', 'template'})
_WITHOUT_END = frozenset(
    {'area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'source', 'track', 'wbr'}
)
_TITLE = re.compile(r'<title[^>]{0,1000}>([^<]{0,1000})</title>', re.IGNORECASE)
_LONGEST_HEAD = 100_000  # where the title is
_MOST_OPEN_TAGS = 100
_MOST_BROKEN_TAGS = 2_000
# Encodings that are not for pages: some take time that grows with the square of the length.
_STRANGE_ENCODINGS = frozenset({'idna', 'punycode', 'raw-unicode-escape', 'undefined', 'unicode-escape', 'utf-7'})


class WebFetchResult(TypedDict):
    """Result of fetching a web page."""

    url: str
    title: str
    content: str


@dataclass
class WebFetchLocalTool:
    """A tool that fetches pages, from public addresses only."""

    max_content_length: int | None = MAX_CONTENT_LENGTH
    allow_local_urls: AllowLocal = False
    timeout: int = 30
    max_download_bytes: int | None = MAX_DOWNLOAD_BYTES
    allowed_domains: list[str] | None = None
    blocked_domains: list[str] | None = None
    headers: dict[str, str] | None = None
    max_redirects: int = MAX_REDIRECTS

    def __post_init__(self) -> None:
        # A permission that is not one, or a text in place of a list, would open what it should close.
        allowed: object = self.allow_local_urls
        if not isinstance(allowed, bool) and allowed != 'link-local':
            raise UserError(f"`allow_local_urls` must be `True`, `False` or 'link-local', not {short_repr(allowed)}.")
        for name in ('allowed_domains', 'blocked_domains'):
            domains: Any = getattr(self, name)
            if domains is not None and (
                isinstance(domains, str)
                or not isinstance(domains, Collection)
                or not all(isinstance(domain, str) for domain in cast('Collection[object]', domains))
            ):
                raise UserError(f'`{name}` must be a list of host names, not {short_repr(domains)}.')
            for domain in cast('Collection[str]', domains or ()):
                if not is_host(domain):
                    raise UserError(
                        f'`{name}` takes full host names, such as `docs.example.com`; {short_repr(domain)} is not one, and would '
                        'match nothing. List each host by its name, without a scheme, port, path or `*`; its subdomains '
                        'are hosts of their own.'
                    )

    async def __call__(self, url: str) -> WebFetchResult | BinaryContent:
        """Fetches the content of a web page at the given URL and returns it as markdown.

        Args:
            url: The URL to fetch.

        Returns:
            The fetched page content.
        """
        import httpx

        headers = {'User-Agent': 'stead', 'Accept': ACCEPT, **(self.headers or {})}
        try:
            page = await fetch(
                url,
                headers=headers,
                timeout=self.timeout,
                max_bytes=self.max_download_bytes,
                allow_local=self.allow_local_urls,
                max_redirects=self.max_redirects,
                check_host=self._check_host,
            )
        except (asyncio.TimeoutError, TimeoutError) as error:
            raise ModelRetry(f'Failed to fetch {short(url)}: it took longer than {self.timeout} seconds.') from error
        except (FetchError, httpx.HTTPError, httpx.InvalidURL) as error:
            raise ModelRetry(f'Failed to fetch {short(url)}: {short(str(error))}') from error
        try:  # large pages take time
            return await asyncio.wait_for(run_in_executor(self._result, url, page), self.timeout)
        except (asyncio.TimeoutError, TimeoutError) as error:
            raise ModelRetry(f'Failed to read {short(url)}: it took longer than {self.timeout} seconds.') from error

    def _check_host(self, host: str) -> None:
        if _is_listed(host, self.blocked_domains or ()):
            raise FetchError(f'The domain {short(host)!r} is blocked.')
        if self.allowed_domains is not None and not _is_listed(host, self.allowed_domains):
            raise FetchError(f'The domain {short(host)!r} is not allowed. Allowed: {self.allowed_domains}')

    def _result(self, url: str, page: Fetched) -> WebFetchResult | BinaryContent:
        media_type = page.content_type.partition(';')[0].strip().lower()
        title = ''
        if media_type in _HTML:
            source = _text(page)
            if match := _TITLE.search(source[:_LONGEST_HEAD]):
                title = ' '.join(unescape(match[1]).split())
            text = _markdown(source)
        elif media_type == 'application/json':
            text = _pretty(_text(page))
        elif media_type.startswith('text/') or media_type.endswith(('+xml', '+json')) or media_type in _TEXT:
            text = _text(page)
        else:
            return BinaryContent(page.content, media_type=media_type)
        if self.max_content_length is not None and len(text) > self.max_content_length:
            text = text[: self.max_content_length] + TRUNCATED
        return {'url': url, 'title': title, 'content': text}


def is_host(domain: object) -> bool:
    """Return whether a text is the name or the address of a host; patterns and links are not."""
    if not isinstance(domain, str):
        return False
    try:
        name = host_name(domain)
    except ValueError:
        return False
    if ':' not in name:
        return _HOST.fullmatch(name) is not None
    try:
        ipaddress.IPv6Address(name)
    except ValueError:  # it has a port
        return False
    return True


def _is_listed(host: str, domains: Collection[str]) -> bool:
    return host in map(host_name, domains)


def _text(page: Fetched) -> str:
    try:
        name = codecs.lookup(page.charset).name
        return page.content.decode('utf-8' if name in _STRANGE_ENCODINGS else name, errors='replace')
    except (LookupError, UnicodeError):  # an unknown encoding
        return page.content.decode('utf-8', errors='replace')


def _pretty(text: str) -> str:
    bounds = input_bounds()
    if len(text) > bounds.json_length:
        return text
    most = bounds.json_depth
    nesting = accumulate(1 if bracket in '[{' else -1 for bracket in _BRACKET.findall(text))
    if any(depth > most for depth in nesting):
        return text  # it would become mostly white space, and slowly
    try:
        return f'```json\n{json.dumps(json.loads(text), indent=2, ensure_ascii=False)}\n```'
    except (ValueError, RecursionError):
        return text


def _with_whole_tags(pieces: list[str]) -> str:
    """Return HTML, split at each `<`, without tags that do not end: the parser reads all that follows again for each."""
    return pieces[0] + ''.join(f'<{piece}' if '>' in piece else f'&lt;{piece}' for piece in pieces[1:])


def _is_deep(source: str) -> bool:
    """Return whether elements of HTML stand in each other too deeply to be converted; elements without an end tag count too."""
    around: list[str] = []
    count: Counter[str] = Counter()
    most = input_bounds().html_depth
    for end, name in _TAG.findall(source):
        name = name.lower()
        if end:
            while count[name]:  # it ends everything inside of it as well
                inner = around.pop()
                count[inner] -= 1
                if inner == name:
                    break
        elif name not in _WITHOUT_END:
            around.append(name)
            count[name] += 1
            if len(around) > most:
                return True
    return False


def _words(pieces: list[str]) -> str:
    """Return the text of HTML that is too broken to be converted, and was split at each `<`."""
    lines = [unescape(pieces[0]).strip()]
    unread = ''
    for piece in pieces[1:]:
        tag, ends, text = piece.partition('>')
        name = tag[:50].split(None, 1)[0].lower() if tag.strip() else ''
        if not unread and name in _UNREAD:
            unread = name
        elif unread and name == f'/{unread}':
            unread = ''
        if not unread:
            lines.append(unescape(text if ends else f'<{piece}').strip())
    return '\n'.join(filter(None, lines))


def _markdown(source: str) -> str:
    try:
        from bs4 import BeautifulSoup
        from markdownify import MarkdownConverter
    except ImportError as error:
        raise missing('markdownify', extra='web-fetch', what='Reading HTML pages') from error
    source = source[: input_bounds().html_length]
    pieces = source.split('<')
    broken = sum('>' not in piece for piece in pieces)
    if broken > _MOST_BROKEN_TAGS or _is_deep(source):
        return _words(pieces)
    soup: Any = BeautifulSoup(source if broken <= _MOST_OPEN_TAGS else _with_whole_tags(pieces), 'html.parser')
    for element in soup([*_UNREAD]):
        element.decompose()
    converter: Any = MarkdownConverter(strip=['img'])
    try:
        text = converter.convert_soup(soup)
    except RecursionError:  # it is nested too deeply
        text = '\n'.join(soup.stripped_strings)
    return re.sub(r'\n{3,}', '\n\n', text).strip()


def web_fetch_tool(
    *,
    max_content_length: int | None = MAX_CONTENT_LENGTH,
    allow_local_urls: AllowLocal = False,
    timeout: int = 30,
    max_download_bytes: int | None = MAX_DOWNLOAD_BYTES,
    allowed_domains: list[str] | None = None,
    blocked_domains: list[str] | None = None,
    headers: dict[str, str] | None = None,
    max_redirects: int = MAX_REDIRECTS,
) -> Tool[Any]:
    """Create a tool that fetches web pages.

    It reaches public addresses only, and never the metadata services of clouds; redirects are checked too. If a page
    cannot be fetched, the model is asked to retry.

    Args:
        max_content_length: The maximum number of characters of a page; the rest is cut off. `None` for no limit.
        allow_local_urls: Whether private addresses may be reached; `'link-local'` for link-local ones too.
        timeout: The time limit for a fetch, in seconds.
        max_download_bytes: The maximum size of a page in bytes; larger ones are rejected. `None` for no limit.
        allowed_domains: The only hosts to fetch from, by their full names.
        blocked_domains: Hosts never to fetch from, by their full names.
        headers: Headers for the requests; they are not sent to other hosts after a redirect.
        max_redirects: The maximum number of redirects that are followed.

    Returns:
        The tool. It returns `{'url', 'title', 'content'}` for text, and `BinaryContent` for anything else. Reading an
        HTML page raises `ImportError` if the extra `web-fetch` is not installed.

    Raises:
        UserError: `allow_local_urls` is not one of its values, or the domains are not a list of names of hosts.
    """
    return Tool[Any](
        WebFetchLocalTool(
            max_content_length,
            allow_local_urls,
            timeout,
            max_download_bytes,
            allowed_domains,
            blocked_domains,
            headers,
            max_redirects,
        ).__call__,
        name='web_fetch',
        description=(
            'Fetches the content of a web page at the given URL and returns it as markdown or binary content.'
        ),
        effect='read',
    )
