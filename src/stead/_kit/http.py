"""Downloads of links that come from outside: only public addresses, and only so much."""

from __future__ import annotations

import base64
import ipaddress
import socket
from typing import Any
from urllib.parse import urlsplit

from ..exceptions import UserError

MAX_BYTES = 100 * 1024 * 1024
"""The most bytes of a download; what a model could take is far less."""
MAX_REDIRECTS = 5


async def check_public(url: str, *, allow_local: bool = False) -> None:
    """Raise if a link leads to an address that is not public, so that prompts cannot reach into the network of the host.

    Raises:
        UserError: It is no HTTP link, its host is not known, or its address is not public.
    """
    parts = urlsplit(url)
    if parts.scheme not in ('http', 'https') or not parts.hostname:
        raise UserError(f'Only http and https links can be downloaded, not {url!r}.')
    if allow_local:
        return
    from .aio import run_in_executor

    try:
        found = await run_in_executor(socket.getaddrinfo, parts.hostname, parts.port or 443)
    except OSError as error:
        raise UserError(f'The host of {url!r} is not known: {error}.') from error
    for entry in found:
        address = ipaddress.ip_address(str(entry[4][0]).split('%')[0])
        mapped = getattr(address, 'ipv4_mapped', None)
        if not (mapped or address).is_global:
            raise UserError(
                f'{url!r} leads to {address}, which is not a public address. Pass '
                "`force_download='allow-local'` for links that you trust."
            )


async def download(item: Any, data_format: str, type_format: str) -> dict[str, Any]:
    """Download the file of a link; see `stead.models.download_item`."""
    import httpx

    if item.url.startswith('gs://'):
        raise UserError('Links of Google Cloud Storage (gs://) are read by Google only; they cannot be downloaded.')
    if getattr(item, 'is_youtube', False):
        raise UserError('Videos of YouTube cannot be downloaded; some providers take the link itself.')
    allow_local = item.force_download == 'allow-local'
    url = item.url
    async with httpx.AsyncClient(timeout=60) as client:
        for _ in range(MAX_REDIRECTS + 1):
            await check_public(url, allow_local=allow_local)
            async with client.stream('GET', url) as response:
                if response.is_redirect:
                    url = str(response.next_request.url) if response.next_request else url
                    continue
                response.raise_for_status()
                content = bytearray()
                async for chunk in response.aiter_bytes():
                    content += chunk
                    if len(content) > MAX_BYTES:
                        raise UserError(f'{item.url!r} is larger than {MAX_BYTES} bytes, which no model takes.')
                media_type = response.headers.get('content-type', '').split(';')[0].strip()
                break
        else:
            raise UserError(f'{item.url!r} redirects more than {MAX_REDIRECTS} times.')
    media_type = item._media_type or media_type or item.media_type
    data: Any = bytes(content)
    if data_format in ('base64', 'base64_uri'):
        data = base64.b64encode(data).decode()
        if data_format == 'base64_uri':
            data = f'data:{media_type};base64,{data}'
    elif data_format == 'text':
        data = data.decode('utf-8')
    return {'data': data, 'data_type': media_type if type_format == 'mime' else item.format}
