"""Fetching what a model asks for: public addresses only, whatever names and redirects lead to, and only so much."""

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
# Where clouds keep the credentials of a machine: closed even to those who may reach local addresses.
METADATA_ADDRESSES = frozenset({'169.254.169.254', '169.254.170.2', '100.100.100.200', 'fd00:ec2::254'})
_NAT64 = ipaddress.ip_network('64:ff9b::/96')
# What a redirect to another host keeps; keys for the first host stay there.
_HARMLESS_HEADERS = frozenset({'accept', 'user-agent'})

Address: TypeAlias = Union[ipaddress.IPv4Address, ipaddress.IPv6Address]


class FetchError(ValueError):
    """A page cannot be fetched, or must not be."""


@dataclass
class Fetched:
    """A page."""

    url: str
    """Where it was, after redirects."""
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

    The host is looked up once, its addresses are checked, and the connection goes to the address that was checked: a name
    that changes its address in between does not get around that. Redirects pass the same checks.

    Args:
        url: The link.
        headers: Headers of the request. Redirects to other hosts keep only harmless ones.
        timeout: Seconds that all of it may take.
        max_bytes: The most bytes, uncompressed; `None` for no limit.
        allow_local: Whether private addresses may be reached.
        check_host: Raises `FetchError` for hosts that must not be reached.

    Raises:
        FetchError: The link, its host or address is not allowed; there are too many redirects, or too many bytes.
        httpx.HTTPError: The request failed, or was answered with an error status.
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
                        # The address in the request would stand in the messages of errors.
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
    """Make a request to an address that was checked, in the name of the host."""
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
        raise FetchError('The URL names no host.')
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
    """Return the first address of a host, when all of them may be reached."""
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise FetchError(f'The host {host!r} is not known: {error}.') from error
    addresses = [ipaddress.ip_address(str(entry[4][0]).partition('%')[0]) for entry in found]
    for address in addresses:
        for meant in (address, *_embedded(address)):
            if str(meant) in METADATA_ADDRESSES:
                raise FetchError(f'{host!r} leads to {address}, where clouds keep credentials. It is never fetched.')
            if not allow_local and (not meant.is_global or meant.is_multicast):
                raise FetchError(f'{host!r} leads to {address}, which is not a public address.')
    return addresses[0]


def _embedded(address: Address) -> list[Address]:
    """Return the IPv4 addresses that an IPv6 address stands for."""
    if not isinstance(address, ipaddress.IPv6Address):
        return []
    meant: list[Address] = [one for one in (address.ipv4_mapped, address.sixtofour) if one is not None]
    if address.teredo is not None:
        meant += address.teredo
    if address in _NAT64:
        meant.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return meant


async def _read(response: Any, url: str, max_bytes: int | None) -> Fetched:
    content = bytearray()
    async for chunk in response.aiter_bytes():
        content += chunk
        if max_bytes is not None and len(content) > max_bytes:
            raise FetchError(f'It is larger than {max_bytes} bytes.')
    return Fetched(url, bytes(content), response.headers.get('content-type', ''), response.charset_encoding or 'utf-8')
