"""`AbstractAgent`: the interface of agents. All ways to run an agent are written here once, on top of `iter`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, contextmanager
from functools import partial
from typing import Any, Generic, TypeVar, cast, overload

from typing_extensions import Self, TypeAlias, TypeIs, Unpack

from .. import graph
from .._calls import manager
from .._contracts.call_policy import ParallelExecutionMode
from .._contracts.capability import AbstractCapability
from .._contracts.output import FinalResult, OutputDataT, OutputSpec
from .._contracts.run_context import AgentDepsT
from .._contracts.toolset import AbstractToolset
from .._kit import aio
from .._kit.json_schema import JsonSchema
from .._kit.option_signatures import with_options
from .._kit.unset import UNSET
from .._loop import nodes
from .._streams import events
from ..messages import ModelMessage, SystemPromptPart, UserContent
from ..models import KnownModelName, Model
from ..output import OutputSchema
from ..settings import ModelSettings
from ..usage import RunUsage
from . import _rare_options as rare, _runs as runs, _streaming
from ._checks import check_event_options, check_values
from ._front_ends import FrontEnds
from ._options import (
    AgentInstructions,
    AgentMetadata,
    AgentModelSettings,
    AgentRetries,
    EventOptions,
    EventOptionsBesideDeps,
    EventStreamHandler,
    EventStreamProcessor as EventStreamProcessor,
    OptionsBesideDeps,
    RunOptions,
    StreamOptions,
    StreamOptionsBesideDeps,
    caller_frame,
    infer_name,
)

T = TypeVar('T')
S = TypeVar('S')
RunOutputDataT = TypeVar('RunOutputDataT')
"""Type variable for the output of a run that has an `output_type` of its own."""

Instructions: TypeAlias = AgentInstructions[AgentDepsT]
"""Another name of `AgentInstructions`."""


class AbstractAgent(FrontEnds[AgentDepsT], ABC, Generic[AgentDepsT, OutputDataT]):
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

    @overload
    @abstractmethod
    def iter(
        self,
        user_prompt: str | Sequence[UserContent] | None = None,
        *,
        output_type: None = None,
        deps: AgentDepsT = None,  # pyright: ignore[reportArgumentType]
        **options: Unpack[OptionsBesideDeps[AgentDepsT]],
    ) -> AbstractAsyncContextManager[runs.AgentRun[AgentDepsT, OutputDataT]]: ...

    @overload
    @abstractmethod
    def iter(
        self,
        user_prompt: str | Sequence[UserContent] | None = None,
        *,
        output_type: OutputSpec[RunOutputDataT],
        deps: AgentDepsT = None,  # pyright: ignore[reportArgumentType]
        **options: Unpack[OptionsBesideDeps[AgentDepsT]],
    ) -> AbstractAsyncContextManager[runs.AgentRun[AgentDepsT, RunOutputDataT]]: ...

    @with_options()
    @abstractmethod
    def iter(
        self,
        user_prompt: str | Sequence[UserContent] | None = None,
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

    @overload
    async def run(
        self,
        user_prompt: str | Sequence[UserContent] | None = None,
        *,
        output_type: None = None,
        deps: AgentDepsT = None,  # pyright: ignore[reportArgumentType]
        **options: Unpack[EventOptionsBesideDeps[AgentDepsT]],
    ) -> runs.AgentRunResult[OutputDataT]: ...

    @overload
    async def run(
        self,
        user_prompt: str | Sequence[UserContent] | None = None,
        *,
        output_type: OutputSpec[RunOutputDataT],
        deps: AgentDepsT = None,  # pyright: ignore[reportArgumentType]
        **options: Unpack[EventOptionsBesideDeps[AgentDepsT]],
    ) -> runs.AgentRunResult[RunOutputDataT]: ...

    @with_options()
    async def run(
        self,
        user_prompt: str | Sequence[UserContent] | None = None,
        *,
        output_type: OutputSpec[Any] | None = None,
        **options: Unpack[EventOptions[AgentDepsT]],
    ) -> runs.AgentRunResult[Any]:
        """Run the agent and return its result.

        Args:
            user_prompt: Text or multi-modal content to start with.
            output_type: The type of the output instead of the agent's.
            options: Those of `EventOptions`:
                deps: Dependencies for tools, prompts and validators.
                message_history: Messages of the conversation so far; they are not changed.
                deferred_tool_results: Results of tool calls that an earlier run left open.
                conversation_id: Id of the conversation; by default the history's, else a new one, as with `'new'`.
                model: Model to use instead of the agent's.
                instructions: Instructions besides the agent's.
                model_settings: Settings; they are merged over those of the agent.
                usage_limits: Limits on requests, tokens and tool calls; by default 50 requests.
                usage: Usage so far, to which that of the run is added in place; for runs that share a budget.
                metadata: Metadata besides the agent's.
                retries: Output retries instead of the agent's.
                infer_name: Whether a nameless agent takes the name of the variable it is called through.
                toolsets: Toolsets besides the agent's.
                capabilities: Capabilities besides the agent's.
                workspace: A workspace or a backend, a `WorkspaceRef`, or `'new'` for one that a capability makes.
                spec: An `AgentSpec`, or a dictionary with its keys; the other options of the run override it.
                event_stream_handler: Called once for each step with the run context and the events of the step, instead
                    of the agent's handler.

        Returns:
            The output with the messages and usage of the run.

        Raises:
            UserError: The arguments do not fit together, or the agent is set up wrongly.
            AgentRunError: The run failed. Every error that ends a run has its `messages`, `usage` and `run_id`.
        """
        rest, handler = self._run_options(options)
        async with self.iter(user_prompt, output_type=output_type, **rest) as run:
            chain = run.ctx.deps.chain
            has_readers = handler is not None or chain.wrap_run_event_stream
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

    @overload
    def run_sync(
        self,
        user_prompt: str | Sequence[UserContent] | None = None,
        *,
        output_type: None = None,
        deps: AgentDepsT = None,  # pyright: ignore[reportArgumentType]
        **options: Unpack[EventOptionsBesideDeps[AgentDepsT]],
    ) -> runs.AgentRunResult[OutputDataT]: ...

    @overload
    def run_sync(
        self,
        user_prompt: str | Sequence[UserContent] | None = None,
        *,
        output_type: OutputSpec[RunOutputDataT],
        deps: AgentDepsT = None,  # pyright: ignore[reportArgumentType]
        **options: Unpack[EventOptionsBesideDeps[AgentDepsT]],
    ) -> runs.AgentRunResult[RunOutputDataT]: ...

    @with_options()
    def run_sync(
        self,
        user_prompt: str | Sequence[UserContent] | None = None,
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
            options: Those of `EventOptions`:
                deps: Dependencies for tools, prompts and validators.
                message_history: Messages of the conversation so far; they are not changed.
                deferred_tool_results: Results of tool calls that an earlier run left open.
                conversation_id: Id of the conversation; by default the history's, else a new one, as with `'new'`.
                model: Model to use instead of the agent's.
                instructions: Instructions besides the agent's.
                model_settings: Settings; they are merged over those of the agent.
                usage_limits: Limits on requests, tokens and tool calls; by default 50 requests.
                usage: Usage so far, to which that of the run is added in place; for runs that share a budget.
                metadata: Metadata besides the agent's.
                retries: Output retries instead of the agent's.
                infer_name: Whether a nameless agent takes the name of the variable it is called through.
                toolsets: Toolsets besides the agent's.
                capabilities: Capabilities besides the agent's.
                workspace: A workspace or a backend, a `WorkspaceRef`, or `'new'` for one that a capability makes.
                spec: An `AgentSpec`, or a dictionary with its keys; the other options of the run override it.
                event_stream_handler: Called once for each step with the run context and the events of the step, instead
                    of the agent's handler.
        """
        rest, handler = self._run_options(options)
        rest['event_stream_handler'] = handler
        return aio.run_coroutine_sync(self.run(user_prompt, output_type=cast(Any, output_type), **rest))

    @overload
    def run_stream(
        self,
        user_prompt: str | Sequence[UserContent] | None = None,
        *,
        output_type: None = None,
        deps: AgentDepsT = None,  # pyright: ignore[reportArgumentType]
        **options: Unpack[StreamOptionsBesideDeps[AgentDepsT]],
    ) -> AbstractAsyncContextManager[runs.StreamedRunResult[AgentDepsT, OutputDataT]]: ...

    @overload
    def run_stream(
        self,
        user_prompt: str | Sequence[UserContent] | None = None,
        *,
        output_type: OutputSpec[RunOutputDataT],
        deps: AgentDepsT = None,  # pyright: ignore[reportArgumentType]
        **options: Unpack[StreamOptionsBesideDeps[AgentDepsT]],
    ) -> AbstractAsyncContextManager[runs.StreamedRunResult[AgentDepsT, RunOutputDataT]]: ...

    @with_options()
    def run_stream(
        self,
        user_prompt: str | Sequence[UserContent] | None = None,
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
            options: Those of `StreamOptions`:
                deps: Dependencies for tools, prompts and validators.
                message_history: Messages of the conversation so far; they are not changed.
                deferred_tool_results: Results of tool calls that an earlier run left open.
                conversation_id: Id of the conversation; by default the history's, else a new one, as with `'new'`.
                model: Model to use instead of the agent's.
                instructions: Instructions besides the agent's.
                model_settings: Settings; they are merged over those of the agent.
                usage_limits: Limits on requests, tokens and tool calls; by default 50 requests.
                usage: Usage so far, to which that of the run is added in place; for runs that share a budget.
                metadata: Metadata besides the agent's.
                retries: Output retries instead of the agent's.
                infer_name: Whether a nameless agent takes the name of the variable it is called through.
                toolsets: Toolsets besides the agent's.
                capabilities: Capabilities besides the agent's.
                workspace: A workspace or a backend, a `WorkspaceRef`, or `'new'` for one that a capability makes.
                spec: An `AgentSpec`, or a dictionary with its keys; the other options of the run override it.
                event_stream_handler: Called once for each step with the run context and the events of the step, instead
                    of the agent's handler.
                until: What is streamed: `'final-result'`, the first response that may be the answer, which then ends
                    the run; or `'end'`, every response up to the real end of the run.

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

    @overload
    def run_stream_sync(
        self,
        user_prompt: str | Sequence[UserContent] | None = None,
        *,
        output_type: None = None,
        deps: AgentDepsT = None,  # pyright: ignore[reportArgumentType]
        **options: Unpack[StreamOptionsBesideDeps[AgentDepsT]],
    ) -> runs.StreamedRunResultSync[AgentDepsT, OutputDataT]: ...

    @overload
    def run_stream_sync(
        self,
        user_prompt: str | Sequence[UserContent] | None = None,
        *,
        output_type: OutputSpec[RunOutputDataT],
        deps: AgentDepsT = None,  # pyright: ignore[reportArgumentType]
        **options: Unpack[StreamOptionsBesideDeps[AgentDepsT]],
    ) -> runs.StreamedRunResultSync[AgentDepsT, RunOutputDataT]: ...

    @with_options()
    def run_stream_sync(
        self,
        user_prompt: str | Sequence[UserContent] | None = None,
        *,
        output_type: OutputSpec[Any] | None = None,
        **options: Unpack[StreamOptions[AgentDepsT]],
    ) -> runs.StreamedRunResultSync[AgentDepsT, Any]:
        """Run the agent from synchronous code, and stream its answer; arguments and errors as for `run_stream`.

        Args:
            user_prompt: Text or multi-modal content to start with.
            output_type: The type of the output instead of the agent's.
            options: Those of `StreamOptions`:
                deps: Dependencies for tools, prompts and validators.
                message_history: Messages of the conversation so far; they are not changed.
                deferred_tool_results: Results of tool calls that an earlier run left open.
                conversation_id: Id of the conversation; by default the history's, else a new one, as with `'new'`.
                model: Model to use instead of the agent's.
                instructions: Instructions besides the agent's.
                model_settings: Settings; they are merged over those of the agent.
                usage_limits: Limits on requests, tokens and tool calls; by default 50 requests.
                usage: Usage so far, to which that of the run is added in place; for runs that share a budget.
                metadata: Metadata besides the agent's.
                retries: Output retries instead of the agent's.
                infer_name: Whether a nameless agent takes the name of the variable it is called through.
                toolsets: Toolsets besides the agent's.
                capabilities: Capabilities besides the agent's.
                workspace: A workspace or a backend, a `WorkspaceRef`, or `'new'` for one that a capability makes.
                spec: An `AgentSpec`, or a dictionary with its keys; the other options of the run override it.
                event_stream_handler: Called once for each step with the run context and the events of the step, instead
                    of the agent's handler.
                until: What is streamed: `'final-result'`, the first response that may be the answer, which then ends
                    the run; or `'end'`, every response up to the real end of the run.

        Returns:
            The result. Read it to its end, or use it in a `with` block.
        """
        rest, handler = self._run_options(options)
        until = rest.pop('until', 'final-result')
        opened = self.iter(user_prompt, output_type=output_type, **rest)
        return _streaming.stream_run_sync(_streaming.stream_until(until, opened, handler))

    @overload
    def run_stream_events(
        self,
        user_prompt: str | Sequence[UserContent] | None = None,
        *,
        output_type: None = None,
        deps: AgentDepsT = None,  # pyright: ignore[reportArgumentType]
        **options: Unpack[OptionsBesideDeps[AgentDepsT]],
    ) -> runs.AgentEventStream[OutputDataT]: ...

    @overload
    def run_stream_events(
        self,
        user_prompt: str | Sequence[UserContent] | None = None,
        *,
        output_type: OutputSpec[RunOutputDataT],
        deps: AgentDepsT = None,  # pyright: ignore[reportArgumentType]
        **options: Unpack[OptionsBesideDeps[AgentDepsT]],
    ) -> runs.AgentEventStream[RunOutputDataT]: ...

    @with_options()
    def run_stream_events(
        self,
        user_prompt: str | Sequence[UserContent] | None = None,
        *,
        output_type: OutputSpec[Any] | None = None,
        **options: Unpack[RunOptions[AgentDepsT]],
    ) -> runs.AgentEventStream[Any]:
        """Run the agent and stream all events; arguments and errors as for `run`.

        Args:
            user_prompt: Text or multi-modal content to start with.
            output_type: The type of the output instead of the agent's.
            options: Those of `RunOptions`:
                deps: Dependencies for tools, prompts and validators.
                message_history: Messages of the conversation so far; they are not changed.
                deferred_tool_results: Results of tool calls that an earlier run left open.
                conversation_id: Id of the conversation; by default the history's, else a new one, as with `'new'`.
                model: Model to use instead of the agent's.
                instructions: Instructions besides the agent's.
                model_settings: Settings; they are merged over those of the agent.
                usage_limits: Limits on requests, tokens and tool calls; by default 50 requests.
                usage: Usage so far, to which that of the run is added in place; for runs that share a budget.
                metadata: Metadata besides the agent's.
                retries: Output retries instead of the agent's.
                infer_name: Whether a nameless agent takes the name of the variable it is called through.
                toolsets: Toolsets besides the agent's.
                capabilities: Capabilities besides the agent's.
                workspace: A workspace or a backend, a `WorkspaceRef`, or `'new'` for one that a capability makes.
                spec: An `AgentSpec`, or a dictionary with its keys; the other options of the run override it.

        Returns:
            The events of all responses and tool calls, and at the end an `AgentRunResultEvent`. Use it in an `async with`
            block, which stops the run if it is left early.

        Raises:
            UserError: There is no such option, or there is an `event_stream_handler`, which would get no events.
        """
        check_event_options(cast('dict[str, Any]', options))
        rest, _ = self._run_options(options)
        run = partial(self.run, user_prompt, output_type=cast(Any, output_type), **rest)
        return runs.AgentEventStream(_streaming.stream_events(run))

    async def system_prompt_parts(
        self,
        *,
        deps: AgentDepsT = cast(Any, None),
        model: Model | KnownModelName | str | None = None,
        message_history: Sequence[ModelMessage] | None = None,
        prompt: str | Sequence[UserContent] | None = None,
        usage: RunUsage | None = None,
        model_settings: ModelSettings | None = None,
    ) -> list[SystemPromptPart]:
        """Return the system prompt parts that a run with these arguments would begin with; the default is none."""
        return []

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
