"""`AbstractAgent`: the interface of agents. All ways to run an agent are written here once, on top of `iter`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

from typing_extensions import Self, TypeAlias, TypeIs, Unpack, deprecated

from .. import graph, messages as all_messages
from .._calls import manager
from .._contracts.call_policy import ParallelExecutionMode
from .._contracts.capability import AbstractCapability
from .._contracts.output import FinalResult, OutputDataT, OutputSpec
from .._contracts.run_context import AgentDepsT
from .._contracts.toolset import AbstractToolset
from .._kit import aio
from .._kit.extras import load_extra
from .._kit.json_schema import JsonSchema
from .._kit.lazy import late_names
from .._kit.option_signatures import with_options
from .._kit.sdk_types import FastA2A, Starlette
from .._kit.unset import UNSET
from .._loop import nodes
from .._streams import events
from ..exceptions import PydanticAIDeprecationWarning
from ..messages import ModelMessage, SystemPromptPart
from ..models import KnownModelName, Model
from ..output import OutputSchema
from ..settings import ModelSettings
from ..usage import RunUsage, UsageLimits
from . import _rare_options as rare, _runs as runs, _streaming
from ._checks import check_options, check_values
from ._options import (
    AgentInstructions,
    AgentMetadata,
    AgentModelSettings,
    AgentRetries,
    EventOptions,
    EventStreamHandler,
    EventStreamProcessor as EventStreamProcessor,
    RunOptions,
    StreamOptions,
    caller_frame,
    infer_name,
)

T = TypeVar('T')
S = TypeVar('S')
RunOutputDataT = TypeVar('RunOutputDataT')
"""Type variable for the output of a run that has an `output_type` of its own."""

Instructions: TypeAlias = AgentInstructions[AgentDepsT]
"""Another name of `AgentInstructions`."""


class AbstractAgent(ABC, Generic[AgentDepsT, OutputDataT]):
    """The interface of everything that can be run like an agent: `Agent` itself, and wrappers around one."""

    @property
    @abstractmethod
    def model(self) -> Model | str | None:
        """The model of the agent: an instance, a name that is not resolved yet, or `None`."""

    @property
    @abstractmethod
    def name(self) -> str | None:
        """The name of the agent, for logs and traces."""

    @name.setter
    @abstractmethod
    def name(self, value: str | None) -> None: ...

    @property
    def description(self) -> str | None:
        """What the agent does, for people and for other agents."""
        return None

    @description.setter
    def description(self, value: str | None) -> None:
        raise AttributeError(f'{type(self).__name__} takes no description: give its `description` property a setter.')

    @property
    @abstractmethod
    def deps_type(self) -> type:
        """The type of the dependencies."""

    @property
    @abstractmethod
    def output_type(self) -> OutputSpec[OutputDataT]:
        """The type of the output."""

    @property
    @abstractmethod
    def toolsets(self) -> Sequence[AbstractToolset[AgentDepsT]]:
        """The toolsets of the agent, the one with its own tools first."""

    @property
    def event_stream_handler(self) -> EventStreamHandler[AgentDepsT] | None:
        """The handler of events that every run of the agent has."""
        return None

    @property
    def root_capability(self) -> AbstractCapability[AgentDepsT] | None:
        """The capability that combines all capabilities of the agent."""
        return None

    def output_json_schema(self, output_type: OutputSpec[Any] | None = None) -> JsonSchema:
        """Return the JSON schema of the output.

        Args:
            output_type: The type to describe instead of the agent's.

        Raises:
            UserError: The type cannot be an output.
        """
        described = cast(Any, self.output_type if output_type is None else output_type)
        return OutputSchema[Any].build(described).output_json_schema()

    @with_options()
    @abstractmethod
    def iter(
        self,
        user_prompt: str | Sequence[all_messages.UserContent] | None = None,
        *,
        output_type: OutputSpec[Any] | None = None,
        **options: Unpack[RunOptions[AgentDepsT]],
    ) -> AbstractAsyncContextManager[runs.AgentRun[AgentDepsT, Any]]:
        """Step through a run.

        Args:
            user_prompt: Text or multi-modal content to start with.
            output_type: The type of the output instead of the agent's.
            options: As for `Agent.iter`.

        Returns:
            An async context manager that yields an `AgentRun`. It can be entered once.

        Raises:
            UserError: The arguments do not fit together, or the agent is set up wrongly.
        """

    @with_options(UNSET)
    @abstractmethod
    def override(self, **options: Unpack[rare.OverrideOptions[AgentDepsT]]) -> AbstractContextManager[None]:
        """Return a context manager that replaces parts of the agent inside its block.

        Args:
            options: As for `Agent.override`.
        """

    @abstractmethod
    async def __aenter__(self) -> Self: ...

    @abstractmethod
    async def __aexit__(self, *args: object) -> bool | None: ...

    @with_options()
    async def run(
        self,
        user_prompt: str | Sequence[all_messages.UserContent] | None = None,
        *,
        output_type: OutputSpec[Any] | None = None,
        **options: Unpack[EventOptions[AgentDepsT]],
    ) -> runs.AgentRunResult[Any]:
        """Run the agent and return its result.

        Args:
            user_prompt: Text or multi-modal content to start with.
            output_type: The type of the output instead of the agent's.
            options: See `EventOptions`.

        Returns:
            The output with the messages and usage of the run.

        Raises:
            UserError: The arguments do not fit together, or the agent is set up wrongly.
            AgentRunError: The run failed. Every error that ends a run has its `messages`, `usage` and `run_id`.
        """
        rest, handler = self._run_options(options)
        async with self.iter(user_prompt, output_type=output_type, **rest) as run:
            chain = run.ctx.deps.chain
            has_readers = handler is not None or chain.sees_events
            await run.drive(events.EventSink(chain, handler) if has_readers else None)
        return cast('runs.AgentRunResult[Any]', run.result)  # a run that ended has one

    def _run_options(self, options: Any) -> tuple[Any, EventStreamHandler[AgentDepsT] | None]:
        """Return the options for `iter` and the event stream handler; name an agent without a name after a variable.

        The public method that calls this must be called by the user directly: frames are counted from here.
        """
        if options.get('infer_name', True) and self.name is None:
            infer_name(self, caller_frame(2))
        rest: dict[str, Any] = {**options, 'infer_name': False}
        handler = rest.pop('event_stream_handler', None)
        if handler is None:
            return rest, self.event_stream_handler
        check_values('agent.run', {'event_stream_handler': handler})
        return rest, handler

    @with_options()
    def run_sync(
        self,
        user_prompt: str | Sequence[all_messages.UserContent] | None = None,
        *,
        output_type: OutputSpec[Any] | None = None,
        **options: Unpack[EventOptions[AgentDepsT]],
    ) -> runs.AgentRunResult[Any]:
        """Run the agent from synchronous code; arguments, result and errors as for `run`.

        This works without an event loop, inside of a running one (the run then has its own loop in a worker thread), and
        in a synchronous tool of another agent.

        Args:
            user_prompt: Text or multi-modal content to start with.
            output_type: The type of the output instead of the agent's.
            options: See `EventOptions`.
        """
        rest, handler = self._run_options(options)
        rest['event_stream_handler'] = handler
        return aio.run_coroutine_sync(self.run(user_prompt, output_type=cast(Any, output_type), **rest))

    @with_options()
    def run_stream(
        self,
        user_prompt: str | Sequence[all_messages.UserContent] | None = None,
        *,
        output_type: OutputSpec[Any] | None = None,
        **options: Unpack[StreamOptions[AgentDepsT]],
    ) -> AbstractAsyncContextManager[runs.StreamedRunResult[AgentDepsT, Any]]:
        """Run the agent, and stream its answer.

        The run continues until a response begins to contain the output: text, if the output may be text, or the call of
        an output tool. That response is streamed, and ends the run.

        With `until='end'` every response is streamed, up to the real end of the run: tools that the model calls after
        some text are called, a rejected output is requested again, and the result is that of `run`. The stream then
        starts over with each attempt at the answer; see `StreamedRunResult.attempt` and `StreamAttemptEvent`. An
        `event_stream_handler` receives the events until the answer begins, or with `until='end'` all events.

        Args:
            user_prompt: Text or multi-modal content to start with.
            output_type: The type of the output instead of the agent's.
            options: See `StreamOptions`.

        Returns:
            An async context manager that yields a `StreamedRunResult`. If the block is left before the answer has been
            read to its end, the messages contain the part that was read, marked as interrupted.

        Raises:
            UserError: The arguments do not fit together, or the agent is set up wrongly.
            AgentRunError: The run failed. Every error that ends a run has its `messages`, `usage` and `run_id`.
        """
        rest, handler = self._run_options(options)
        until = rest.pop('until', 'final-result')
        return _streaming.stream_until(until, self.iter(user_prompt, output_type=output_type, **rest), handler)

    @with_options()
    def run_stream_sync(
        self,
        user_prompt: str | Sequence[all_messages.UserContent] | None = None,
        *,
        output_type: OutputSpec[Any] | None = None,
        **options: Unpack[StreamOptions[AgentDepsT]],
    ) -> runs.StreamedRunResultSync[AgentDepsT, Any]:
        """Run the agent from synchronous code, and stream its answer; arguments and errors as for `run_stream`.

        Args:
            user_prompt: Text or multi-modal content to start with.
            output_type: The type of the output instead of the agent's.
            options: See `StreamOptions`.

        Returns:
            The result. Read it to its end, or use it in a `with` block.
        """
        rest, handler = self._run_options(options)
        until = rest.pop('until', 'final-result')
        opened = self.iter(user_prompt, output_type=output_type, **rest)
        return _streaming.stream_run_sync(_streaming.stream_until(until, opened, handler))

    @with_options()
    def run_stream_events(
        self,
        user_prompt: str | Sequence[all_messages.UserContent] | None = None,
        *,
        output_type: OutputSpec[Any] | None = None,
        **options: Unpack[RunOptions[AgentDepsT]],
    ) -> runs.AgentRunEvents[Any]:
        """Run the agent and stream all events; arguments and errors as for `run`.

        Args:
            user_prompt: Text or multi-modal content to start with.
            output_type: The type of the output instead of the agent's.
            options: See `RunOptions`.

        Returns:
            The events of all responses and tool calls, and at the end an `AgentRunResultEvent`. Use it in an `async with`
            block, which stops the run if it is left early.

        Raises:
            UserError: There is no such option, or there is an `event_stream_handler`, which would get no events.
        """
        check_options(cast('dict[str, Any]', options), reads_events=True)
        rest, _ = self._run_options(options)
        run = partial(self.run, user_prompt, output_type=cast(Any, output_type), **rest)
        feed = events.RunFeed()
        return runs.AgentRunEvents(_streaming.stream_events(run, feed), feed)

    async def system_prompt_parts(
        self,
        *,
        deps: AgentDepsT = cast(Any, None),
        model: Model | KnownModelName | str | None = None,
        message_history: Sequence[ModelMessage] | None = None,
        prompt: str | Sequence[all_messages.UserContent] | None = None,
        usage: RunUsage | None = None,
        model_settings: ModelSettings | None = None,
    ) -> list[SystemPromptPart]:
        """Return the system prompt parts at the start of a run with these arguments; by default there are none."""
        return []

    # Ways to talk with it that are more than a run: the terminal, the browser, protocols

    @property
    def validation_context(self) -> object:
        """Pydantic's validation context for arguments and outputs, or a function that returns it."""
        return None

    async def to_cli(
        self,
        deps: AgentDepsT = cast(Any, None),
        prog_name: str = 'stead',
        message_history: Sequence[ModelMessage] | None = None,
        model_settings: ModelSettings | None = None,
        usage_limits: UsageLimits | None = None,
        model: Model | KnownModelName | str | None = None,
    ) -> None:
        """Chat with the agent in the terminal, until the user leaves with `/exit`, Ctrl+D or Ctrl+C.

        Errors in a run are shown instead of an answer.

        Args:
            deps: Dependencies of every run.
            prog_name: The name shown in the prompt.
            message_history: The conversation so far.
            model_settings: Settings, merged over those of the agent.
            usage_limits: Limits of every run.
            model: The model that answers first, instead of that of the agent; `/model` changes it.

        Raises:
            UserError: A toolset of the agent cannot be opened.
        """
        from .._cli.terminal import Chat

        options: Any = {'deps': deps, 'model_settings': model_settings, 'usage_limits': usage_limits, 'model': model}
        await Chat(cast(Any, self), name=prog_name, message_history=message_history, **options).loop()

    def to_cli_sync(
        self,
        deps: AgentDepsT = cast(Any, None),
        prog_name: str = 'stead',
        message_history: Sequence[ModelMessage] | None = None,
        model_settings: ModelSettings | None = None,
        usage_limits: UsageLimits | None = None,
        model: Model | KnownModelName | str | None = None,
    ) -> None:
        """Chat with the agent in the terminal from synchronous code; arguments and errors as for `to_cli`."""
        aio.run_coroutine_sync(self.to_cli(deps, prog_name, message_history, model_settings, usage_limits, model))

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
            models: Models to choose from in addition to the agent's: a list, or a mapping with display names as keys.
            deps: Dependencies of every run.
            model_settings: Settings, merged over those of the agent.
            instructions: Instructions in addition to the agent's.
            html_source: A page to use instead of the built-in one: a file, or a URL that it is fetched from once.
            allowed_hosts: Host names that it responds to, in addition to `localhost` and IP addresses; `'*'` for any.
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

    def _repr_html_(self) -> str:
        from ._diagram import card_of

        return card_of(cast(Any, self))

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

    # For those who step through runs

    @staticmethod
    def is_user_prompt_node(
        node: nodes.AgentNode[T, S] | graph.End[FinalResult[S]],
    ) -> TypeIs[nodes.UserPromptNode[T, S]]:
        """Return whether a node is the first one, which turns the prompt into a request."""
        return isinstance(node, nodes.UserPromptNode)

    @staticmethod
    def is_model_request_node(
        node: nodes.AgentNode[T, S] | graph.End[FinalResult[S]],
    ) -> TypeIs[nodes.ModelRequestNode[T, S]]:
        """Return whether a node sends a request to the model."""
        return isinstance(node, nodes.ModelRequestNode)

    @staticmethod
    def is_call_tools_node(
        node: nodes.AgentNode[T, S] | graph.End[FinalResult[S]],
    ) -> TypeIs[nodes.CallToolsNode[T, S]]:
        """Return whether a node handles a response of the model."""
        return isinstance(node, nodes.CallToolsNode)

    @staticmethod
    def is_end_node(node: nodes.AgentNode[T, S] | graph.End[FinalResult[S]]) -> TypeIs[graph.End[FinalResult[S]]]:
        """Return whether a node is the end of the run."""
        return isinstance(node, graph.End)

    @staticmethod
    @contextmanager
    def parallel_tool_call_execution_mode(mode: ParallelExecutionMode = 'parallel') -> Iterator[None]:
        """Choose how tool calls run inside the `with` block; see `ToolManager.parallel_execution_mode`."""
        with manager.ToolManager.parallel_execution_mode(mode):
            yield

    @staticmethod
    @contextmanager
    def sequential_tool_calls() -> Iterator[None]:
        """Run tool calls one after the other inside the `with` block."""
        with manager.ToolManager.parallel_execution_mode('sequential'):
            yield

    @staticmethod
    @contextmanager
    def using_thread_executor(executor: aio.Executor) -> Iterator[None]:
        """Run synchronous tools and callbacks on the given executor inside the `with` block."""
        with aio.using_thread_executor(executor):
            yield


late_names(__name__, {'AgentRunEvents': 'stead.result'})  # importing `Agent` loads no results of runs


__all__ = (
    'AbstractAgent',
    'AgentInstructions',
    'AgentMetadata',
    'AgentModelSettings',
    'AgentRetries',
    'EventStreamHandler',
    'EventStreamProcessor',
    'Instructions',
    'RunOutputDataT',
    'S',
    'T',
)
