"""What every application refuses, whatever route a request is for.

Anyone may send requests to a server that listens, and a page of any site may let a browser send them. So `Guard` lets in only
requests to a known name of this machine (a site may let its own name resolve to it: DNS rebinding), only such posts that a page
of the application itself has sent, or a program other than a browser, and bodies only up to a size, each and all together.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..._kit.short import short_repr
from ...exceptions import UserError

MAX_BODY_BYTES = 16 * 1024 * 1024
"""The largest request body: enough for a conversation with a few files."""
MAX_BYTES_AT_ONCE = 256 * 1024 * 1024
"""The bodies of all requests that are being answered, together."""
_SAFE = frozenset({'GET', 'HEAD', 'OPTIONS'})
_HOST = re.compile(r'(?:\[([^\]]*)\]|([^:\[\]]*))(?::\d*)?')


class Guard:
    """Middleware that refuses requests of other sites, to unknown names of hosts, and with bodies that are too large."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        allowed_hosts: Sequence[str] | None = None,
        allowed_origins: Sequence[str] = (),
        max_body_bytes: int = MAX_BODY_BYTES,
        max_bytes_at_once: int = MAX_BYTES_AT_ONCE,
    ) -> None:
        """Wrap an application.

        Args:
            app: The application.
            allowed_hosts: Names under which it is reachable, in addition to localhost and IP addresses; `'*.example.com'` for all
                names below one, `'*'` for any.
            allowed_origins: Other sites, such as `http://localhost:3000`, whose pages may send requests; `'*'` for any.
            max_body_bytes: The largest body.
            max_bytes_at_once: The bodies of all requests that are being answered, together.

        Raises:
            UserError: A list is a string.
        """
        for name, value in (('allowed_hosts', allowed_hosts), ('allowed_origins', allowed_origins)):
            if isinstance(value, str):
                raise UserError(f'`{name}` is a list of names: `[{value!r}]`.')
        self._app = app
        self._hosts = [name_of(host) for host in allowed_hosts or ()]
        self._origins = frozenset(origin.rstrip('/').lower() for origin in allowed_origins)
        self._largest, self._at_once, self._held = max_body_bytes, max_bytes_at_once, 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope['type'] == 'lifespan':
            return await self._app(scope, receive, send)
        headers = Headers(scope=scope)
        try:
            self._check_host(headers.get('host', ''))
            if scope['type'] == 'websocket' or scope['method'] not in _SAFE:
                self._check_origin(headers)
            self._check_length(headers.get('content-length', ''))
        except HTTPException as error:
            response = JSONResponse({'error': error.detail}, error.status_code, error.headers)
            return await response(scope, receive, send)
        body = _Body(self, receive)
        try:
            return await self._app(scope, body.receive, send)
        except ClientDisconnect:  # it left before it had sent all of its body: there is no one to answer
            return None
        finally:
            self._held -= body.size

    def _check_host(self, host: str) -> None:
        name = name_of(host)
        if name == 'localhost' or name.endswith('.localhost') or _is_address(name) or self._is_allowed(name):
            return
        raise HTTPException(
            421, f'The host {short_repr(host)} is not allowed. To allow it, add it to the allowed hosts of the server.'
        )

    def _is_allowed(self, name: str) -> bool:
        return any(
            allowed == '*' or (name and (allowed == name or (allowed[:2] == '*.' and name.endswith(allowed[1:]))))
            for allowed in self._hosts
        )

    def _check_origin(self, headers: Headers) -> None:
        """Refuse what a page of another site has sent. Browsers say which site it is; other programs send no origin."""
        origin = headers.get('origin', '').lower()
        if not origin and headers.get('sec-fetch-site') == 'cross-site':  # a proxy has dropped the origin
            origin = 'another site'
        if not origin or origin in self._origins or '*' in self._origins:
            return
        host = _host_of(origin)
        name = name_of(host)
        # Behind a proxy the `Host` header may be another, but the name that users see is among the allowed ones.
        if host and (host == headers.get('host', '').lower() or ('*' not in self._hosts and self._is_allowed(name))):
            return
        raise HTTPException(
            403,
            f'A page of {short_repr(origin)} may not send requests. To let it, add it to the allowed origins of the server.',
        )

    def _check_length(self, length: str) -> None:
        if length.isdecimal() and int(length[:20]) > self._largest:
            raise self._too_large()

    def _too_large(self) -> HTTPException:
        return HTTPException(413, f'The body is larger than {self._largest} bytes.')

    def count(self, size: int, more: int) -> None:
        """Note that `more` bytes of a body have come, in addition to the `size` bytes before.

        Raises:
            HTTPException: The body is too large, or there are too many of them.
        """
        if size + more > self._largest:
            raise self._too_large()
        if self._held + more > self._at_once:
            raise HTTPException(503, 'Too many large requests at once; try again.', {'retry-after': '5'})
        self._held += more


class _Body:
    """A body that comes in, and is counted."""

    def __init__(self, guard: Guard, receive: Receive) -> None:
        self._guard, self._receive = guard, receive
        self.size = 0

    async def receive(self) -> Message:
        message = await self._receive()
        if more := len(message.get('body', b'')):
            self._guard.count(self.size, more)
            self.size += more
        return message


def name_of(host: str) -> str:
    """Return the name in a `Host` header, without the port; empty if it is not one."""
    match = _HOST.fullmatch(host.strip().lower())
    if match is None:
        return ''
    address, name = match.groups()
    if address is not None:
        return address if ':' in address and _is_address(address) else ''
    return name.rstrip('.')


def _host_of(origin: str) -> str:
    """Return the host in an origin, with its port; empty if it is not a site."""
    try:
        parts = urlsplit(origin)
    except ValueError:  # half of an IPv6 address
        return ''
    return parts.netloc if parts.scheme in ('http', 'https') else ''


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
