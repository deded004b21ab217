"""The application that `Agent.to_web` returns: a page, and what it asks for under `/api`."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from ..._kit.deprecated import warn_deprecated
from ..._kit.json_types import JsonObject
from ..._kit.short import short
from ...agent import AbstractAgent
from ...exceptions import UserError
from ...journal import Journal
from ...native_tools import AbstractNativeTool
from .._pages._chat import ChatApi
from .._pages._http import PageFiles
from .._recorded import journal_of
from .._streams import EventStreams
from ._chat import WebChat
from ._guard import Guard
from ._page import Page

_log = logging.getLogger('stead.ui')


def create_web_app(
    agent: AbstractAgent[Any, Any],
    *,
    models: Sequence[Any] | Mapping[str, Any] | None = None,
    native_tools: Sequence[AbstractNativeTool] = (),
    html_source: str | Path | None = None,
    allowed_hosts: Sequence[str] | None = None,
    journal: Journal[Any] | None = None,
    examples: Sequence[str] = (),
    show_errors: bool = False,
    **options: Any,
) -> Starlette:
    """Return an application with a page to talk with an agent in the browser; see `AbstractAgent.to_web`.

    Args:
        agent: The agent that answers.
        models: Models to choose from in addition to that of the agent; a mapping has display names as keys.
        native_tools: Native tools that users can enable.
        html_source: A file, or a link that begins with `http`, of a page to serve instead of the default one.
        allowed_hosts: Host names under which the application is reachable, in addition to localhost and IP addresses.
        journal: Where the conversations of the page are kept: by default in the journal of the agent, or else in memory.
        examples: Prompts that the page offers when nothing was said yet.
        show_errors: Whether the page shows what exceptions say, which may hold secrets; otherwise only the log has it.
        options: Options for every run, such as `deps`.

    Raises:
        UserError: A host name is passed as a string rather than in a list, the file cannot be read, or a model has
            an unknown provider, or no API key.
        ValueError: The provider of a model is not known.
        ImportError: The package of a vendor is not installed.
    """
    if isinstance(allowed_hosts, str):
        raise UserError(f'`allowed_hosts` is a list of names: `[{allowed_hosts!r}]`.')
    own = journal_of(agent)
    streams = EventStreams() if (journal or own) is not None else None
    chat = WebChat(agent, models=models, native_tools=native_tools, streams=streams if own else None, options=options)
    talk = ChatApi(chat, journal=journal, streams=streams, examples=examples, show_errors=show_errors)
    return Starlette(
        routes=page_routes(chat, html_source, talk),
        middleware=[Middleware(Guard, allowed_hosts=allowed_hosts)],
        exception_handlers={HTTPException: show_refusal},
        lifespan=opening(agent, streams),
    )


def page_routes(chat: WebChat, html_source: str | Path | None, talk: ChatApi | None = None) -> list[BaseRoute]:
    """Return the routes of the page, and of what it asks for.

    Args:
        chat: What answers other clients.
        html_source: The page to serve instead of that of stead.
        talk: What answers the page of stead; by default, its conversations are kept in the journal of the agent, or in memory.

    Raises:
        UserError: The page cannot be read.
    """
    api = [
        Route('/chat', chat.answer, methods=['OPTIONS', 'POST'], name='chat'),
        Route('/chat/{id}/stream', chat.come_back, methods=['GET', 'DELETE'], name='stream'),
        Route('/configure', chat.configure, methods=['GET'], name='configure'),
        Route('/health', _health, methods=['GET'], name='health'),
    ]
    if html_source is None:
        talk = talk or ChatApi(chat, streams=chat.streams)
        return [*PageFiles('chat.html', 'talk', talk.handle, shown=talk.shown).routes(), Mount('/api', routes=api)]
    page = Page(html_source)
    return [
        Mount('/api', routes=api),
        Route('/', page.show, methods=['GET'], name='index'),
        Route('/{id}', page.show, methods=['GET'], name='conversation'),
    ]


async def _health(request: Request) -> JSONResponse:
    return JSONResponse({'ok': True})


def opening(
    agent: AbstractAgent[Any, Any], streams: EventStreams | None = None
) -> Callable[[Starlette], AbstractAsyncContextManager[None]]:
    """Return a lifespan: the agent is open while the server is up, and runs that still continue at the end are cancelled."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        try:
            await agent.__aenter__()
        except Exception:
            _log.exception('The agent cannot be opened.')
            raise
        try:
            if streams is None:
                yield
            else:
                async with streams:
                    yield
        finally:
            await agent.__aexit__(None, None, None)

    return lifespan


async def show_refusal(request: Request, error: Exception) -> Response:
    """Return a refused request's answer, with a sentence that says why."""
    assert isinstance(error, HTTPException)
    path = short(request.url.path)
    headers = dict(error.headers or {})
    message = error.detail
    if error.status_code == 404 and message == HTTPStatus.NOT_FOUND.phrase:  # no one has said what is missing
        message = f'There is nothing at {path}.'
    elif error.status_code == 405:
        methods = ', '.join(sorted(method.strip() for method in headers.get('Allow', '').split(',')))
        headers['Allow'], message = methods, f'{path} takes {methods.replace(", ", " and ")}.'
    return JSONResponse({'error': message}, error.status_code, headers)


def take_old_arguments(arguments: JsonObject) -> Sequence[AbstractNativeTool]:
    """Return the native tools in deprecated arguments of `to_web`.

    Raises:
        UserError: An argument is unknown.
    """
    if unknown := sorted(arguments.keys() - {'builtin_tools'}):
        raise UserError(f'`to_web` has no argument {unknown[0]!r}. Its docstring lists all of them.')
    if arguments:
        old = '`to_web(builtin_tools=...)` is an old name; give the agent `capabilities=[NativeTool(...)]`.'
        warn_deprecated(old, stacklevel=4)
    return arguments.get('builtin_tools') or ()
