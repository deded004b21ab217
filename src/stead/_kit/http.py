"""Downloads of untrusted links: from public addresses only, and of limited size."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

from ..exceptions import UserError
from .short import short
from .ssrf import FetchError, fetch

MAX_BYTES = 100 * 1024 * 1024
"""The largest download, in bytes; models accept far less."""
_TIMEOUT = 60


class LinkError(UserError, ValueError):
    """A link that is not downloaded: of a kind that cannot be, or to an address or of a size that is not allowed."""


async def download(item: Any, data_format: str, type_format: str) -> dict[str, Any]:
    """Download the file of a link; see `stead.models.download_item`."""
    import httpx

    if item.url.startswith('gs://'):
        raise LinkError('Links to Google Cloud Storage (gs://) cannot be downloaded; only Google can read them.')
    if getattr(item, 'is_youtube', False):
        raise LinkError('YouTube videos cannot be downloaded; some providers accept the link itself.')
    allow_local = item.force_download == 'allow-local'
    try:
        fetched = await fetch(item.url, headers={}, timeout=_TIMEOUT, max_bytes=MAX_BYTES, allow_local=allow_local)
    except FetchError as error:
        # The hint helps with addresses only; the limits of size and redirects apply to any address.
        hint = " Pass `force_download='allow-local'` for links that you trust." if 'public' in str(error) else ''
        raise LinkError(f'{short(item.url)!r} cannot be downloaded: {error}{hint}') from error
    except asyncio.TimeoutError:
        raise httpx.ReadTimeout(f'{short(item.url)!r} took more than {_TIMEOUT} seconds.') from None
    media_type = item._media_type or fetched.content_type.partition(';')[0].strip() or item.media_type
    data: Any = fetched.content
    if data_format in ('base64', 'base64_uri'):
        data = base64.b64encode(data).decode()
        if data_format == 'base64_uri':
            data = f'data:{media_type};base64,{data}'
    elif data_format == 'text':
        data = data.decode('utf-8')
    return {'data': data, 'data_type': media_type if type_format == 'mime' else item.format}
