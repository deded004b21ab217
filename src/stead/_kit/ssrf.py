"""Protection against server-side request forgery: fetch from public addresses only, and with limits."""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
import ssl
import zlib
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urljoin, urlsplit

from .addresses import Address, AllowLocal, refusal
from .input_bounds import input_bounds
from .short import short

MAX_REDIRECTS = 10
# Headers that a redirect to another host keeps; credentials for the first host are dropped.
_HARMLESS_HEADERS = frozenset({'accept', 'user-agent'})
_PIECE = 1 << 20
"""The most bytes that are inflated at a time; other tasks run in between."""
_LONGEST_URL = 16_384
_ADDRESSES = 8
"""How many addresses of a host are tried."""
_PATIENCE = 2.0
"""How long a connection to an address may take while there are others to try, in seconds."""


class FetchError(ValueError):
    """A page cannot or must not be fetched."""


@dataclass
class Fetched:
    """A page that was fetched."""

    url: str
    """Its URL, after redirects."""
    content: bytes
    content_type: str
    """The media type with its parameters, as the server sent it; empty if it did not."""
    charset: str
    """The name of its encoding."""


async def fetch(
    url: str,
    *,
    headers: dict[str, str],
    timeout: float,
    max_bytes: int | None,
    allow_local: AllowLocal = False,
    max_redirects: int = MAX_REDIRECTS,
    check_host: Callable[[str], None] = lambda host: None,
) -> Fetched:
    """Fetch a page.

    The host is resolved once, its addresses are checked, and the connection goes to a checked address: a name whose address
    changes in between (DNS rebinding) cannot bypass the check. Redirects go through the same checks.

    Args:
        url: The link.
        headers: Headers for the request. Redirects to other hosts keep only harmless ones.
        timeout: The time limit for everything, in seconds.
        max_bytes: The largest size of the page, uncompressed; `None` for no limit.
        allow_local: Whether private addresses may be reached; `'link-local'` for link-local ones too.
        max_redirects: The most redirects that are followed.
        check_host: Raises `FetchError` for hosts that must not be reached.

    Raises:
        FetchError: The link, its host or address is not allowed; there are too many redirects, or too many bytes.
        httpx.HTTPError: The request failed, or returned an error status.
        asyncio.TimeoutError: It took too long.
    """
    import httpx

    async def follow() -> Fetched:
        here, sent = url, headers
        # Without connections that are kept: one with the certificate of a host must not serve another host of its address.
        limits = httpx.Limits(max_keepalive_connections=0)
        verify = _certificates()
        # One limit, for everything: with another one of its own the client would now and then give up first, in other words.
        async with httpx.AsyncClient(timeout=None, follow_redirects=False, limits=limits, verify=verify) as client:
            for _ in range(max_redirects + 1):
                response = await _send(client, await _requests(client, here, sent, allow_local, check_host))
                try:
                    target = response.headers.get('location')
                    if not (300 <= response.status_code < 400 and target):
                        # Error messages should show the URL, not the address in the request.
                        response.request = httpx.Request('GET', here)
                        response.raise_for_status()
                        return await _read(response, here, max_bytes)
                finally:
                    await response.aclose()
                there = urljoin(here, target)
                if _origin(there) != _origin(here):
                    sent = {name: value for name, value in sent.items() if name.lower() in _HARMLESS_HEADERS}
                    client.cookies.clear()  # they are kept by address, and other hosts may have the same
                here = there
        raise FetchError(f'There are more than {max_redirects} redirects.')

    return await asyncio.wait_for(follow(), timeout)


@cache
def _certificates() -> ssl.SSLContext:
    """Return what hosts are verified with; reading it takes longer than all the rest of a fetch."""
    import httpx

    return httpx.create_ssl_context()


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme.lower(), parts.hostname, parts.port


async def _send(client: Any, requests: list[Any]) -> Any:
    """Send the first request whose address can be reached, such as that of IPv4 where there is no way to the one of IPv6."""
    import httpx

    for request in requests[:-1]:
        request.extensions['timeout'] = {'connect': _PATIENCE}
        with suppress(httpx.ConnectError, httpx.ConnectTimeout):
            return await client.send(request, stream=True)
    return await client.send(requests[-1], stream=True)


async def _requests(
    client: Any, url: str, headers: dict[str, str], allow_local: AllowLocal, check_host: Callable[[str], None]
) -> list[Any]:
    """Return a request to each of the checked addresses, with the name of the host in its headers."""
    if len(url) > _LONGEST_URL:
        raise FetchError(f'The URL {short(url)!r} is longer than {_LONGEST_URL} characters.')
    try:
        parts = urlsplit(url)
        host, port = host_name(parts.hostname or ''), parts.port
    except ValueError as error:
        raise FetchError(f'It is not a valid URL: {short(str(error))}.') from None
    scheme = parts.scheme.lower()
    if scheme not in ('http', 'https'):
        raise FetchError(
            f'Only http:// and https:// can be fetched, not {short(scheme) + "://" if scheme else "a URL without"!r}.'
        )
    if not host:
        raise FetchError('The URL has no host.')
    check_host(host)
    addresses = await _addresses(host, port or (443 if scheme == 'https' else 80), allow_local)
    shown = f'[{host}]' if ':' in host else host
    suffix = f':{port}' if port else ''
    headers = {'Accept-Encoding': 'gzip', **headers, 'Host': shown + suffix}
    requests: list[Any] = []
    for address in addresses[:_ADDRESSES]:
        literal = f'[{address}]' if address.version == 6 else str(address)
        target = parts._replace(scheme=scheme, netloc=literal + suffix, fragment='').geturl()
        extensions = {'sni_hostname': host} if scheme == 'https' else {}
        requests.append(client.build_request('GET', target, headers=headers, extensions=extensions))
    return requests


_NUMBERS = re.compile(r'[0-9][0-9a-fx.]*')


def host_name(host: str) -> str:
    """Return the name of a host as it is looked up, so that lists of hosts cannot be bypassed by other spellings.

    Raises:
        UnicodeError: There is no such name.
    """
    name = (host if host.isascii() else host.encode('idna').decode('ascii')).lower().rstrip('.')
    with suppress(OSError, ValueError):  # one that is not an address stays as it is
        if ':' in name:
            return str(ipaddress.IPv6Address(name))
        if _NUMBERS.fullmatch(name):
            return socket.inet_ntoa(socket.inet_aton(name))  # `2130706433` and `0x7f.1` are addresses, too
    return name


async def _addresses(host: str, port: int, allow_local: AllowLocal) -> list[Address]:
    """Return the addresses of a host, if all of them are allowed."""
    loop = asyncio.get_running_loop()
    try:
        entries = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise FetchError(f'The host {short(host)!r} is not known: {short(str(error))}.') from error
    if not entries:
        raise FetchError(f'The host {short(host)!r} has no address.')
    addresses = [ipaddress.ip_address(str(entry[4][0]).partition('%')[0]) for entry in entries]
    for address in addresses:
        if reason := refusal(address, allow_local):
            raise FetchError(f'{host!r} leads to {address}, {reason}.')
    return addresses


async def _read(response: Any, url: str, max_bytes: int | None) -> Fetched:
    content = bytearray()
    async for piece in _decoded(response, max_bytes):
        content += piece
        if max_bytes is not None and len(content) > max_bytes:
            raise FetchError(f'It is larger than {max_bytes} bytes.')
    return Fetched(url, bytes(content), response.headers.get('content-type', ''), response.charset_encoding or 'utf-8')


async def _decoded(response: Any, max_bytes: int | None) -> AsyncIterator[bytes]:
    """Yield the bytes of a response, compressed ones in small pieces: few bytes can become very many."""
    encoding = response.headers.get('content-encoding', '').strip().lower()
    if encoding in ('', 'identity'):
        async for chunk in response.aiter_raw():
            yield chunk
        return
    if encoding not in ('gzip', 'x-gzip', 'deflate'):
        raise FetchError(f'Its encoding is {short(encoding)!r}; only one gzip or deflate is decoded.')
    inflater, received, inflated = zlib.decompressobj(zlib.MAX_WBITS | 32), 0, 0  # for both of them
    bounds = input_bounds()
    most = _PIECE if max_bytes is None else min(_PIECE, max_bytes + 1)
    async for chunk in response.aiter_raw():
        received += len(chunk)
        if max_bytes is not None and received > max_bytes + _PIECE:  # empty blocks, which become nothing
            raise FetchError(f'It is larger than {max_bytes} bytes.')
        while chunk and not inflater.eof:
            try:
                piece = inflater.decompress(chunk, most)
            except zlib.error as error:
                raise FetchError(f'It is not {encoding}, though it says so: {error}.') from None
            yield piece
            inflated += len(piece)
            if inflated > max(bounds.inflated_size, bounds.inflated_ratio * received):
                raise FetchError(f'It is compressed to less than a {bounds.inflated_ratio}th of its size.')
            chunk = inflater.unconsumed_tail
            await asyncio.sleep(0)
        if inflater.eof:
            return
    yield inflater.flush(most)
