"""A page on Starlette: its files, and the JSON that it reads below `/api/`."""

from __future__ import annotations

import re
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Union, cast

from pydantic_core import from_json
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from typing_extensions import TypeAlias

from ..._kit.json_types import JsonObject
from ..._kit.short import short
from ..._kit.shown_json import shown_json
from ...tools import ToolApproved
from .._responses import EventResponse
from ..web._chat import SESSION, check_json, session_of
from ._shell import Shell

GUARDS = {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
}
STREAM_GUARDS = {**GUARDS, 'x-accel-buffering': 'no'}
_NO_OPENER = {'cross-origin-opener-policy': 'same-origin'}
"""Takes the page away from the hands of one that opened it. A browser starts another process for that, after the response has
begun: up to half of the time until the first paint."""
BUILT = Path(__file__).parent.parent / 'built'
"""What `make web` builds; see `web/` in the sources."""
_THEME = 'stead-theme'
"""The cookie of the theme that someone has chosen, by which a page has it from its first paint."""
_TYPES = {'.js': 'text/javascript', '.css': 'text/css', '.txt': 'text/plain'}
_NAME = re.compile(r'[\w-]+\.[a-z]+', re.ASCII)


class RefusedError(Exception):
    """A request that is refused, with an HTTP status and a sentence that says why."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass
class Asked:
    """A request."""

    method: str
    path: tuple[str, ...]
    """The parts of the path after `api`."""
    query: dict[str, str] = field(default_factory=lambda: {})
    session: str = ''
    """The secret of the browser."""
    body: bytes = b''

    def data(self) -> JsonObject:
        """Return the body, which must be a JSON object.

        Raises:
            RefusedError: It is not.
        """
        try:
            data = from_json(self.body, allow_inf_nan=False)  # unlike `json`, it rejects deep nesting
        except ValueError as error:
            raise RefusedError(400, f'The body is not JSON: {error}') from None
        if not isinstance(data, dict):
            raise RefusedError(400, 'The body must be an object.')
        return cast('JsonObject', data)

    def number(self, name: str, default: int, most: int) -> int:
        """Return a number of the query, at most so large.

        Raises:
            RefusedError: It is not a number.
        """
        text = self.query.get(name, '')
        if text and not (text.isascii() and text.isdigit() and len(text) < 12):
            raise RefusedError(400, f'`{name}` must be a number, not {short(text)!r}.')
        return min(int(text), most) if text else default


def approval_in(decision: JsonObject) -> Literal[True] | ToolApproved:
    """Return what a decision that allows a call says: the call as it is, or with other arguments.

    Raises:
        RefusedError: Its arguments are not an object: the call must not be made as it was in place of what a person wrote.
    """
    arguments = cast(object, decision.get('args'))
    if arguments is None:
        return True
    if not isinstance(arguments, dict):
        raise RefusedError(400, '`args` must be an object: the other arguments of the call.')
    return ToolApproved(override_args=cast('JsonObject', arguments))


Answer: TypeAlias = Union[JsonObject, AsyncIterator[bytes], Response]
"""What is answered: JSON, events while they happen, or a response as it is."""


class PageFiles:
    """A page with its files, and what answers it; see `routes`."""

    def __init__(
        self,
        page: str,
        name: str,
        handle: Callable[[Asked], Awaitable[Answer]],
        *,
        token: str | None = None,
        shown: Callable[[], tuple[JsonObject, JsonObject]] = lambda: ({}, {}),
    ) -> None:
        """Create it.

        Args:
            page: The file of the page, in `BUILT`.
            name: The first part of the paths below `/api/` that are its own.
            handle: Answers requests to them.
            token: What these requests have to carry in the header `x-stead-token`.
            shown: Returns what the page shows at once, to everyone, with or without the token: see `Shell.filled`.
        """
        self._shell = Shell((BUILT / page).read_text(encoding='utf-8'))
        self._headers = {**GUARDS, 'content-security-policy': self._shell.policy()}
        self._shown = shown
        self._name = name
        self._handle = handle
        self._token = token

    def routes(self) -> list[BaseRoute]:
        """Return the routes. They let in whatever comes: put a `Guard` before them."""
        return [
            Route(f'/api/{self._name}/{{rest:path}}', self._answer, methods=['GET', 'POST'], name=self._name),
            Route('/built/{file}', self._file, methods=['GET'], name='built'),
            Route('/', self._show, methods=['GET'], name='index'),
            Route('/{id}', self._show, methods=['GET'], name='conversation'),
        ]

    async def _show(self, request: Request) -> Response:
        values, data = self._shown()
        theme = request.cookies.get(_THEME)
        page = self._shell.filled({**values, 'theme': [{'label': theme}] if theme in ('light', 'dark') else []}, data)
        # `none` says that a person asked for it, by its address or a bookmark: there is no page that opened it.
        is_opened = request.headers.get('sec-fetch-site') != 'none'
        headers = {**self._headers, **_NO_OPENER} if is_opened else self._headers
        return Response(page, headers=headers, media_type='text/html')

    async def _file(self, request: Request) -> Response:
        name = str(request.path_params['file'])
        kind = _TYPES.get(Path(name).suffix)
        if kind is None or not _NAME.fullmatch(name) or not (BUILT / name).is_file():
            raise HTTPException(404)
        return Response((BUILT / name).read_bytes(), headers=GUARDS, media_type=kind)

    async def _answer(self, request: Request) -> Response:
        sent = request.headers.get('x-stead-token', '')
        if self._token is not None and not secrets.compare_digest(sent.encode(), self._token.encode()):
            raise HTTPException(403, 'The token is missing or wrong. Open the address that the command printed.')
        if request.method == 'POST':
            check_json(request)
        session = session_of(request)
        parts = tuple(str(request.path_params['rest']).split('/'))
        asked = Asked(request.method, parts, dict(request.query_params), session, await request.body())
        try:
            answer = await self._handle(asked)
        except RefusedError as error:
            raise HTTPException(error.status, str(error)) from None
        if isinstance(answer, dict):
            response = Response(shown_json(answer), headers=GUARDS, media_type='application/json')
        elif isinstance(answer, Response):
            response = answer
        else:
            response = EventResponse(answer, headers=STREAM_GUARDS, media_type='text/event-stream')
        secure = request.url.scheme == 'https'
        response.set_cookie(
            SESSION, session, max_age=365 * 86400, httponly=True, samesite='strict', secure=secure, path='/'
        )
        return response
