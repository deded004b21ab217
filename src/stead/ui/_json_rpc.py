"""Errors of JSON-RPC for requests that cannot be answered. The package for A2A would answer with the status 500."""

from __future__ import annotations

import re
from typing import Any

from pydantic import ValidationError
from pydantic_core import from_json
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .._kit.first_errors import first_errors
from .._kit.json_types import JsonObject, as_dict, as_list
from .._kit.records import is_str_dict
from .._kit.short import short
from ._limits import MAX_ITEMS

_NOT_JSON, _NOT_A_REQUEST, _NO_METHOD, _BAD_PARAMS = -32700, -32600, -32601, -32602
BUSY = -32603
_MESSAGES = {
    _NOT_JSON: 'Invalid JSON payload',
    _NOT_A_REQUEST: 'Request payload validation error',
    _NO_METHOD: 'Method not found',
    _BAD_PARAMS: 'Invalid parameters',
    BUSY: 'Internal error',
}
_JSON = re.compile(r'application/([\w.-]+\+)?json')
"""The types of bodies that a browser lets no page send to another site, unless that site has said that it may."""


class RefusedRequest(Exception):
    """A request that cannot be answered: the code of JSON-RPC, and what is wrong."""

    def __init__(self, code: int, why: str) -> None:
        super().__init__(short(why))
        self.code = code


class RequestCheck:
    """Middleware that answers bad requests with errors of JSON-RPC."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or say what is wrong with it.

        Raises:
            ClientDisconnect: The client has left before it had sent all of its request.
        """
        if scope['type'] != 'http' or scope['method'] != 'POST':
            return await self._app(scope, receive, send)
        request = Request(scope, receive)
        kind = request.headers.get('content-type', '').partition(';')[0].strip().lower()
        if not _JSON.fullmatch(kind):
            message = f'The body must be of the type application/json, not {short(kind) or "of none"}.'
            return await JSONResponse({'error': message}, 415)(scope, receive, send)
        body = await request.body()
        started = is_read = False

        async def receive_again() -> Message:
            nonlocal is_read
            if is_read:
                return await receive()
            is_read = True
            return {'type': 'http.request', 'body': body, 'more_body': False}

        async def send_on(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        data: JsonObject = {}
        try:
            data = _object_in(body)
            _check(data)
            return await self._app(scope, receive_again, send_on)
        except RefusedRequest as error:
            refused = error
        except ValidationError as error:
            if started or (found := _refused(error, str(data['method']))) is None:
                raise
            refused = found
        id: object = data.get('id')
        about = {'code': refused.code, 'message': _MESSAGES[refused.code], 'data': str(refused)}
        known = id if isinstance(id, (str, int)) else None
        await JSONResponse({'jsonrpc': '2.0', 'id': known, 'error': about})(scope, receive, send)


def _object_in(body: bytes) -> JsonObject:
    """Return the object in a body.

    Raises:
        RefusedRequest: There is none.
    """
    try:
        data: Any = from_json(body, allow_inf_nan=False)
    except ValueError as error:
        raise RefusedRequest(_NOT_JSON, f'The body is not JSON: {error}.') from None
    if not is_str_dict(data):
        raise RefusedRequest(_NOT_A_REQUEST, 'The body must be one object; this server takes no batches.')
    return data


def _check(data: JsonObject) -> None:
    """Refuse what cannot be answered.

    Raises:
        RefusedRequest: It is not one of JSON-RPC, or has too many parts.
    """
    if data.get('jsonrpc') != '2.0' or not isinstance(data.get('method'), str):
        raise RefusedRequest(_NOT_A_REQUEST, 'A request needs `"jsonrpc": "2.0"` and the name of a `method`.')
    params = as_dict(data.get('params'))
    sections = [params, *(as_dict(value) for value in params.values())]
    count = sum(len(as_list(value)) for section in sections for value in section.values())
    if count > MAX_ITEMS:  # each can be wrong, and each error takes memory
        raise RefusedRequest(_BAD_PARAMS, f'The message has {count} parts, where the limit is {MAX_ITEMS}.')


def _refused(error: ValidationError, method: str) -> RefusedRequest | None:
    """Return why a request is refused; `None` if the error is not about the request."""
    first = first_errors(error, 1)[0]
    loc = first['loc']
    if first['type'] in ('union_tag_invalid', 'union_tag_not_found') and not loc:
        return RefusedRequest(_NO_METHOD, f'There is no method {short(method, 100)!r} here.')
    place = loc[1:] if loc[:1] == (method,) else loc
    if place[:1] not in (('params',), ('id',), ('jsonrpc',), ('method',)):
        return None
    where = '.'.join(str(step) for step in place if '[' not in str(step))
    return RefusedRequest(_BAD_PARAMS if place[0] == 'params' else _NOT_A_REQUEST, f'{where}: {first["msg"]}')


__all__ = ('RefusedRequest', 'RequestCheck')
