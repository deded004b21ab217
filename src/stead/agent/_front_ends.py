"""`FrontEnds`: the ways to talk with an agent that are more than a run: the terminal, the browser, protocols, a diagram."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, cast

from typing_extensions import Unpack, deprecated

from .._contracts.run_context import AgentDepsT
from .._kit import aio
from .._kit.extras import load_extra
from .._kit.sdk_types import FastA2A, Starlette
from ..exceptions import PydanticAIDeprecationWarning
from ..messages import ModelMessage
from ..models import KnownModelName, Model
from ..settings import ModelSettings
from ..usage import UsageLimits
from . import _rare_options as rare
from ._options import AgentInstructions


class FrontEnds(Generic[AgentDepsT]):
    """What opens a terminal, a page or a server for an agent."""

    async def to_cli(
        self,
        deps: AgentDepsT = cast(Any, None),
        prog_name: str = 'stead',
        message_history: Sequence[ModelMessage] | None = None,
        model_settings: ModelSettings | None = None,
        usage_limits: UsageLimits | None = None,
    ) -> None:
        """Chat with the agent in the terminal, until the user leaves with `/exit`, Ctrl+D or Ctrl+C.

        Errors in a run are shown instead of an answer.

        Args:
            deps: Dependencies of every run.
            prog_name: The name shown in the prompt.
            message_history: The conversation so far.
            model_settings: Settings, merged over those of the agent.
            usage_limits: Limits of every run.

        Raises:
            UserError: A toolset of the agent cannot be opened.
        """
        from .._cli.terminal import Chat

        options: Any = {'deps': deps, 'model_settings': model_settings, 'usage_limits': usage_limits}
        await Chat(cast(Any, self), name=prog_name, message_history=message_history, **options).loop()

    def to_cli_sync(
        self,
        deps: AgentDepsT = cast(Any, None),
        prog_name: str = 'stead',
        message_history: Sequence[ModelMessage] | None = None,
        model_settings: ModelSettings | None = None,
        usage_limits: UsageLimits | None = None,
    ) -> None:
        """Chat with the agent in the terminal from synchronous code; arguments and errors as for `to_cli`."""
        aio.run_coroutine_sync(self.to_cli(deps, prog_name, message_history, model_settings, usage_limits))

    def to_web(
        self,
        *,
        models: Sequence[Model | KnownModelName | str] | Mapping[str, Model | KnownModelName | str] | None = None,
        deps: AgentDepsT = cast(Any, None),
        model_settings: ModelSettings | None = None,
        instructions: AgentInstructions[AgentDepsT] = None,
        html_source: str | Path | None = None,
        allowed_hosts: Sequence[str] | None = None,
        journal: Any = None,
        examples: Sequence[str] = (),
        show_errors: bool = False,
        **_deprecated_kwargs: object,
    ) -> Starlette:
        """Return an application of Starlette: a page for chatting with the agent in the browser, and what it asks for.

        The application has no authentication: everyone who can reach it can chat with the agent.

        Args:
            models: Models to choose from besides the agent's: a list, or a mapping with display names as keys.
            deps: Dependencies of every run.
            model_settings: Settings, merged over those of the agent.
            instructions: Instructions besides the agent's.
            html_source: A page to use instead of the built-in one: a file, or a URL that it is fetched from once.
            allowed_hosts: Host names that it responds to, besides `localhost` and IP addresses; `'*'` for any.
            journal: The `Journal` that keeps the conversations: by default that of the agent, or else one in memory.
            examples: Prompts that the page offers when nothing was said yet.
            show_errors: Whether the page shows what exceptions say, which may hold secrets; otherwise only the log has it.

        Raises:
            UserError: `html_source` cannot be read, there is no such argument, or a model is not known or has no key.
            ValueError: The provider of a model is not known.
            ImportError: Starlette, or the package of a vendor, is not installed.
        """
        web = load_extra('stead.ui.web._app', extra='web', what='`to_web`')
        tools = web.take_old_arguments(_deprecated_kwargs)
        options: Any = {'deps': deps, 'model_settings': model_settings, 'instructions': instructions}
        page: Any = {'html_source': html_source, 'allowed_hosts': allowed_hosts, 'journal': journal}
        page.update(examples=examples, show_errors=show_errors)
        return web.create_web_app(self, models=models, native_tools=tools, **page, **options)

    def diagram(self) -> str:
        """Return a diagram of the agent as text of Mermaid: model, capabilities, tools, and the agents that tools run."""
        from ._diagram import diagram_of

        return diagram_of(cast(Any, self))

    @deprecated(
        '`to_ag_ui` is deprecated; call `AGUIAdapter.dispatch_request` in a route of your application.',
        category=None,  # the application warns when it is created
    )
    def to_ag_ui(self, **options: Any) -> Any:
        """Return an ASGI application that answers requests of AG-UI; arguments and errors as for `AGUIApp`."""
        return load_extra('stead.ui.ag_ui.app', extra='ag-ui', what='`to_ag_ui`').AGUIApp(self, **options)

    @deprecated('`to_a2a` is deprecated: use `stead.ui.a2a.agent_to_a2a`.', category=PydanticAIDeprecationWarning)
    def to_a2a(self, **options: Unpack[rare.A2AOptions]) -> FastA2A:
        """Return an ASGI application that serves the agent over A2A: clients send tasks, and a worker answers them in turn.

        The application has no authentication: everyone who can reach it can run the agent, and continue a conversation whose
        id they know. It is `fasta2a` that serves; here is what runs the agent.

        Args:
            options: See `A2AOptions`.

        Raises:
            ImportError: The package `fasta2a` is not installed.
        """
        return load_extra('stead.ui.a2a', extra='a2a', what='`to_a2a`').agent_to_a2a(self, **options)
