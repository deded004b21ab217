"""The application of the inspector."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware

from ...journal import Journal
from ..web._app import show_refusal
from ..web._guard import Guard
from ._http import PageFiles
from ._inspect import InspectApi


def create_inspector(
    journal: Journal[Any],
    *,
    name: str = 'runs',
    agent: Any = None,
    deps: Any = None,
    may_change: bool = False,
    token: str | None = None,
    allowed_hosts: Sequence[str] | None = None,
) -> Starlette:
    """Return an application that shows the runs of a journal, on Starlette.

    Args:
        journal: The journal.
        name: What it is called on the page.
        agent: The agent that continues runs that are forked or answered.
        deps: Dependencies of these runs.
        may_change: Whether runs can be forked, answered and continued.
        token: What browsers have to know: they get it in the fragment of the address, as `#token=...`.
        allowed_hosts: Host names that it responds to, in addition to `localhost` and IP addresses.

    Raises:
        UserError: `allowed_hosts` is a string.
    """
    api = InspectApi(journal, name=name, agent=agent, may_change=may_change, deps=deps)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await api.close()

    return Starlette(
        routes=PageFiles('inspect.html', 'inspect', api.handle, token=token).routes(),
        middleware=[Middleware(Guard, allowed_hosts=allowed_hosts)],
        exception_handlers={HTTPException: show_refusal},
        lifespan=lifespan,
    )
