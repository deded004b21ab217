"""The application behind `stead serve`: an agent's page, and the protocols of other interfaces."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from ..._kit.extras import load_extra
from ..._kit.short import short
from ...agent import AbstractAgent
from .._adapter import UIAdapter, with_own_state
from .._approvals import AnswerTooLateError
from .._recorded import journal_of
from .._streams import EventStreams
from ..vercel_ai import VercelAIAdapter
from ._app import create_web_app, opening, show_refusal
from ._chat import (
    ChatAdapter,
    check_json,
    check_prompt,
    conversation_of,
    first_error,
    remember,
    session_of,
)
from ._guard import Guard

CARD = '/.well-known/agent-card.json'


@dataclass
class Served:
    """A part of a server."""

    name: str
    """What it is, for people."""
    path: str
    """Where it is; empty if it is not served."""
    missing: str = ''
    """Why it is not served."""


@dataclass
class Server:
    """The application, and what it serves."""

    app: Starlette
    parts: list[Served]


def create_server(
    agent: AbstractAgent[Any, Any],
    *,
    url: str = 'http://127.0.0.1:8000',
    models: Sequence[Any] | None = None,
    deps: Any = None,
    allowed_hosts: Sequence[str] = (),
    allowed_origins: Sequence[str] = (),
) -> Server:
    """Return an application with the page of an agent, AG-UI, the AI SDK and A2A, as far as their packages are installed.

    If the agent has a journal, runs continue without their clients; see `EventStreams`.

    Args:
        agent: The agent.
        url: The address of the server for other agents; A2A tells it to them.
        models: Models that users of the page can choose, in addition to the agent's.
        deps: Dependencies of every run with the page, AG-UI and the AI SDK.
        allowed_hosts: Names of hosts under which the server is reachable; see `Guard`.
        allowed_origins: Other sites whose pages may send requests of AG-UI and the AI SDK.

    Raises:
        UserError: A list is a string, or a model is not known or has no key.
        ValueError: The provider of a model is not known.
        ImportError: The package of a vendor is not installed.
    """
    streams = EventStreams() if journal_of(agent) is not None else None
    front = _Front(agent, deps, streams)
    parts = [Served('page', '/'), Served('AI SDK 6', '/ai-sdk'), Served('AI SDK 5', '/ai-sdk/5')]
    routes: list[BaseRoute] = [
        Route('/ai-sdk', front.endpoint(ChatAdapter[Any], sdk_version=6), name='ai-sdk'),
        Route('/ai-sdk/5', front.endpoint(ChatAdapter[Any], sdk_version=5), name='ai-sdk-5'),
    ]
    lifespans: list[Starlette] = []
    try:
        load_extra('stead.ui.ag_ui', extra='ag-ui', what='AG-UI')  # names the extra, if it is not installed
        adapter = load_extra('stead.ui.web._ag_ui', extra='ag-ui', what='AG-UI').DiscreetAGUIAdapter
    except ImportError as error:
        parts.append(Served('AG-UI', '', str(error)))
    else:
        parts.append(Served('AG-UI', '/ag-ui'))
        routes.append(Route('/ag-ui', front.endpoint(adapter), name='ag-ui'))
    try:
        a2a = load_extra('stead.ui.a2a', extra='a2a', what='A2A').agent_to_a2a(agent, url=f'{url}/a2a/')
    except ImportError as error:
        parts.append(Served('A2A', '', str(error)))
    else:
        parts.append(Served('A2A', '/a2a/'))
        routes += [Route(CARD, _Forward(a2a, CARD)), Route('/a2a', _Forward(a2a, '/')), Mount('/a2a', a2a)]
        lifespans.append(a2a)
    page = create_web_app(agent, models=models, deps=deps, allowed_hosts=allowed_hosts)
    lifespans.append(page)
    routes.append(Mount('/', page))
    middleware = [Middleware(Guard, allowed_hosts=allowed_hosts, allowed_origins=allowed_origins)]
    if allowed_origins:
        middleware.append(_cors(allowed_origins))
    app = Starlette(
        routes=routes,
        middleware=middleware,
        exception_handlers={HTTPException: show_refusal},
        lifespan=_all_of(opening(agent, streams), lifespans),
    )
    return Server(app, parts)


def _cors(origins: Sequence[str]) -> Middleware:
    return Middleware(
        CORSMiddleware,
        allow_origins=[origin.rstrip('/') for origin in origins],
        allow_methods=['GET', 'POST'],
        allow_headers=['*'],
        expose_headers=['x-vercel-ai-ui-message-stream'],
    )


class _Front:
    """Answers the requests of other interfaces."""

    def __init__(self, agent: AbstractAgent[Any, Any], deps: Any, streams: EventStreams | None) -> None:
        self._agent, self._deps, self._streams = agent, deps, streams

    def endpoint(self, adapter_type: type[UIAdapter[Any, Any, Any, Any, Any]], **fields: Any) -> ASGIApp:
        """Return the application that answers requests of a protocol."""

        async def answer(request: Request) -> Response:
            if self._streams is not None and (continued := self._streams.continued(request)) is not None:
                return continued
            if request.method != 'POST':
                raise HTTPException(405, headers={'Allow': 'POST'})
            check_json(request)
            session = session_of(request)
            try:
                adapter = await adapter_type.from_request(request, agent=self._agent, **fields)
                # Someone who knows the id of a conversation must not get what is said and approved in it.
                adapter.conversation_id = conversation_of(session, adapter.conversation_id or '')
                if isinstance(adapter, VercelAIAdapter):  # with AG-UI, an agent may have the first word
                    check_prompt(adapter)
                stream = adapter.run_stream(deps=with_own_state(self._deps), infer_name=False)
            except AnswerTooLateError as error:
                raise HTTPException(409, short(str(error), 400)) from None
            except ValidationError as error:
                raise HTTPException(422, f'The request is invalid: {first_error(error)}') from None
            except ValueError as error:
                raise HTTPException(422, f'The request is invalid: {short(str(error))}') from None
            response = adapter.response(stream, self._streams)
            remember(request, response, session)
            return response

        return _ByAnyMethod(answer)


class _ByAnyMethod:
    """Answers requests by a function, whatever their method: a route would leave some to the page, which takes others."""

    def __init__(self, answer: Callable[[Request], Awaitable[Response]]) -> None:
        self._answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = await self._answer(Request(scope, receive, send))
        await response(scope, receive, send)


class _Forward:
    """Answers a request as another application does at a path."""

    def __init__(self, app: ASGIApp, path: str) -> None:
        self._app, self._path = app, path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app({**scope, 'path': self._path, 'root_path': ''}, receive, send)


def _all_of(first: Callable[[Starlette], Any], apps: Sequence[Starlette]) -> Callable[[Starlette], Any]:
    """Return a lifespan within which those of mounted applications are, which Starlette leaves out."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(first(app))
            for inner in apps:
                await stack.enter_async_context(inner.router.lifespan_context(inner))
            yield

    return lifespan
