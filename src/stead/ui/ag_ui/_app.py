"""`AGUIApp`: an application that answers requests of AG-UI. Deprecated: `AGUIAdapter.dispatch_request` is one line in any."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Generic, cast

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from typing_extensions import Unpack

from ..._contracts.run_context import AgentDepsT
from ..._kit.deprecated import warn_caller
from ...agent import AbstractAgent, RunOptions
from ...exceptions import UserError
from ...output import OutputDataT, OutputSpec
from .._event_stream import OnCompleteFunc
from ._adapter import AGUIAdapter
from ._version import DEFAULT_AG_UI_VERSION

_Lifespan = Callable[[Any], AbstractAsyncContextManager[Any]]
_Hooks = Sequence[Callable[[], Any]]


class _AppOptions(RunOptions[AgentDepsT], total=False):
    """Options of every run, and those of Starlette."""

    debug: bool
    routes: Sequence[Any] | None
    middleware: Sequence[Any] | None
    exception_handlers: Mapping[Any, Any] | None
    on_startup: _Hooks | None
    on_shutdown: _Hooks | None
    lifespan: _Lifespan | None


_STARLETTE = ('debug', 'routes', 'middleware', 'exception_handlers', 'on_startup', 'on_shutdown', 'lifespan')
_OLD = ('builtin_tools', 'output_retries')


class AGUIApp(Starlette, Generic[AgentDepsT, OutputDataT]):
    """A Starlette application that answers requests of AG-UI at `/`. Deprecated: use `AGUIAdapter.dispatch_request`."""

    def __init__(
        self,
        agent: AbstractAgent[AgentDepsT, OutputDataT],
        *,
        ag_ui_version: str = DEFAULT_AG_UI_VERSION,
        preserve_file_data: bool = False,
        output_type: OutputSpec[Any] | None = None,
        on_complete: OnCompleteFunc[Any] | None = None,
        **options: Unpack[_AppOptions[AgentDepsT]],
    ) -> None:
        """Create the application.

        Args:
            agent: The agent.
            ag_ui_version: The version of the protocol that interfaces speak.
            preserve_file_data: Whether files make the round trip; see `UIAdapter`.
            output_type: The type of the output instead of the agent's.
            on_complete: Receives the result of each run that has succeeded.
            options: Options of every run, see `RunOptions`, and the arguments of Starlette: `debug`, `routes`,
                `middleware`, `exception_handlers`, `on_startup`, `on_shutdown`, `lifespan`.

        Raises:
            UserError: There is no such option.
        """
        warn_caller(
            '`AGUIApp` and `to_ag_ui` are deprecated; call `AGUIAdapter.dispatch_request` in a route of your application.'
        )
        values = cast('dict[str, Any]', options)
        if unknown := sorted(values.keys() - {*RunOptions.__annotations__, *_STARLETTE, *_OLD}):
            raise UserError(f'`AGUIApp` has no option {unknown[0]!r}. Its docstring lists all of them.')
        app = {name: values.pop(name) for name in _STARLETTE if name in values}
        hooks = [app.pop(name, None) or () for name in ('on_startup', 'on_shutdown')]
        app['lifespan'] = _lifespan(hooks[0], hooks[1], app.get('lifespan'))

        async def run_agent(request: Request) -> Response:
            """Answer a request."""
            return await AGUIAdapter[AgentDepsT, OutputDataT].dispatch_request(
                request,
                agent=agent,
                ag_ui_version=ag_ui_version,
                preserve_file_data=preserve_file_data,
                output_type=output_type,
                on_complete=on_complete,
                **values,
            )

        route = Route('/', run_agent, name='run_agent', methods=['POST'])
        app['routes'] = [*(app.get('routes') or ()), route]
        super().__init__(**app)


def _lifespan(startup: _Hooks, shutdown: _Hooks, lifespan: _Lifespan | None) -> _Lifespan | None:
    """Return a lifespan that also calls functions at the start and at the end, which Starlette has not taken since 1.0."""
    if not startup and not shutdown:
        return lifespan

    @asynccontextmanager
    async def combined(app: Any) -> AsyncIterator[Any]:
        await _call(startup)
        try:
            if lifespan is None:
                yield None
            else:
                async with lifespan(app) as state:
                    yield state
        finally:
            await _call(shutdown)

    return combined


async def _call(hooks: _Hooks) -> None:
    for hook in hooks:
        answer = hook()
        if inspect.isawaitable(answer):
            await answer
