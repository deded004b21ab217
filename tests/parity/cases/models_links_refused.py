"""Links that are not downloaded, alone and on their way to a model: the error is a `ValueError`."""

import asyncio

from _common import fact
from pydantic_ai.messages import DocumentUrl, ImageUrl, VideoUrl
from pydantic_ai.models import download_item

LINKS = ['file:///etc/passwd', 'ftp://x/y', 's3://b/k', 'gs://b/k', 'http://127.0.0.1/x', 'https:///x', 'nonsense', '']


async def main():
    for link in LINKS:
        for kind in (ImageUrl, DocumentUrl, VideoUrl):
            try:
                await download_item(kind(url=link, media_type='image/png'))
            except ValueError:
                fact(f'{kind.__name__} {link}', 'ValueError')


asyncio.run(main())
