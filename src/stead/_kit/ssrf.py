"""Protection against server-side request forgery: fetch from public addresses only, and with limits."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Union
from urllib.parse import urljoin, urlsplit

from typing_extensions import TypeAlias

MAX_REDIRECTS = 10
# Metadata services of clouds, which hold credentials: blocked even if local addresses are allowed.
METADATA_ADDRESSES = frozenset({'169.254.169.254', '169.254.170.2', '100.100.100.200', 'fd00:ec2::254'})
_NAT64 = ipaddress.ip_network('64:ff9b::/96')
# Headers that a redirect to another host keeps; credentials for the first host are dropped.
_HARMLESS_HEADERS = frozenset({'accept', 'user-agent'})

Address: TypeAlias = Union[ipaddress.IPv4Address, ipaddress.IPv6Address]


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
    allow_local: bool = False,
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
        allow_local: Whether private addresses may be reached.
        check_host: Raises `FetchError` for hosts that must not be reached.

    Raises:
        FetchError: The link, its host or address is not allowed; there are too many redirects, or too many bytes.
        httpx.HTTPError: The request failed, or returned an error status.
        asyncio.TimeoutError: It took too long.
    """
    import httpx

    async def follow() -> Fetched:
        here, sent = url, headers
        async with httpx.AsyncClient(timeout=timeout, follow_redirects=False) as client:
            for _ in range(MAX_REDIRECTS + 1):
                request = await _request(client, here, sent, allow_local, check_host)
                response = await client.send(request, stream=True)
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
                here = there
        raise FetchError(f'There are more than {MAX_REDIRECTS} redirects.')

    return await asyncio.wait_for(follow(), timeout)


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme.lower(), parts.hostname, parts.port


async def _request(
    client: Any, url: str, headers: dict[str, str], allow_local: bool, check_host: Callable[[str], None]
) -> Any:
    """Return a request to a checked address, with the name of the host in its headers."""
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or '').rstrip('.'), parts.port
    except ValueError as error:
        raise FetchError(f'It is not a valid URL: {error}.') from None
    scheme = parts.scheme.lower()
    if scheme not in ('http', 'https'):
        raise FetchError(
            f'Only http:// and https:// can be fetched, not {scheme + "://" if scheme else "a URL without"!r}.'
        )
    if not host:
        raise FetchError('The URL has no host.')
    check_host(host)
    address = await _address(host, port or (443 if scheme == 'https' else 80), allow_local)
    literal = f'[{address}]' if address.version == 6 else str(address)
    shown = f'[{host}]' if ':' in host else host
    suffix = f':{port}' if port else ''
    target = parts._replace(scheme=scheme, netloc=literal + suffix, fragment='').geturl()
    extensions = {'sni_hostname': host} if scheme == 'https' else {}
    return client.build_request(
        'GET', target, headers={'Accept-Encoding': 'gzip', **headers, 'Host': shown + suffix}, extensions=extensions
    )


async def _address(host: str, port: int, allow_local: bool) -> Address:
    """Return the first address of a host, if all of its addresses are allowed."""
    loop = asyncio.get_running_loop()
    try:
        entries = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise FetchError(f'The host {host!r} is not known: {error}.') from error
    addresses = [ipaddress.ip_address(str(entry[4][0]).partition('%')[0]) for entry in entries]
    for address in addresses:
        for candidate in (address, *_embedded(address)):
            if str(candidate) in METADATA_ADDRESSES:
                raise FetchError(f'{host!r} leads to {address}, where clouds keep credentials. It is never fetched.')
            if not allow_local and (not candidate.is_global or candidate.is_multicast):
                raise FetchError(f'{host!r} leads to {address}, which is not a public address.')
    return addresses[0]


def _embedded(address: Address) -> list[Address]:
    """Return the IPv4 addresses embedded in an IPv6 address."""
    if not isinstance(address, ipaddress.IPv6Address):
        return []
    embedded: list[Address] = [one for one in (address.ipv4_mapped, address.sixtofour) if one is not None]
    if address.teredo is not None:
        embedded += address.teredo
    if address in _NAT64:
        embedded.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return embedded


async def _read(response: Any, url: str, max_bytes: int | None) -> Fetched:
    content = bytearray()
    async for chunk in response.aiter_bytes():
        content += chunk
        if max_bytes is not None and len(content) > max_bytes:
            raise FetchError(f'It is larger than {max_bytes} bytes.')
    return Fetched(url, bytes(content), response.headers.get('content-type', ''), response.charset_encoding or 'utf-8')
