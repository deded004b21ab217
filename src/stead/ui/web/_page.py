"""A page of the user's own, in place of ours."""

from __future__ import annotations

import logging
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse

from ...exceptions import UserError

_log = logging.getLogger('stead.ui')


class Page:
    """A page: a file, or one that is fetched from an address once."""

    def __init__(self, source: str | Path) -> None:
        """Read the page, if it is a file.

        Raises:
            UserError: The file cannot be read.
        """
        self._source = str(source)
        self._headers = {'cache-control': 'no-cache', 'x-content-type-options': 'nosniff'}
        self._page: str | None = None
        if not self._source.startswith(('https://', 'http://')):
            try:
                self._page = Path(self._source).read_text(encoding='utf-8')
            except (OSError, ValueError) as error:
                raise UserError(f'`html_source` {self._source!r} cannot be read: {error}') from error

    async def show(self, request: Request) -> HTMLResponse:
        """Return the page.

        Raises:
            HTTPException: It cannot be fetched from its address.
        """
        if self._page is None:
            self._page = await self._fetch()
        return HTMLResponse(self._page, headers=self._headers)

    async def _fetch(self) -> str:
        import httpx

        try:
            async with httpx.AsyncClient(follow_redirects=True) as client:
                return (await client.get(self._source)).raise_for_status().text
        except httpx.HTTPError as error:
            _log.warning('The page at %s cannot be fetched: %s', self._source, error)
            raise HTTPException(502, 'The page cannot be fetched; the log of the server says why.') from error
