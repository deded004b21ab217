"""Type checkers read this for `abstract.py`. Written by `make stubs`."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Generic, TypeVar, overload

from typing_extensions import Self, TypeAlias, TypeIs, Unpack, deprecated

from .. import graph, messages as all_messages
from .._contracts.call_policy import ParallelExecutionMode
from .._contracts.capability import AbstractCapability
from .._contracts.output import FinalResult, OutputDataT, OutputSpec
from .._contracts.run_context import AgentDepsT
from .._contracts.toolset import AbstractToolset
from .._kit import aio
from .._kit.json_schema import JsonSchema
from .._kit.sdk_types import FastA2A, Starlette
from .._loop import nodes
from ..exceptions import PydanticAIDeprecationWarning
from ..messages import ModelMessage, SystemPromptPart
from ..models import KnownModelName, Model
from ..settings import ModelSettings
from ..usage import RunUsage, UsageLimits
from . import _rare_options as rare, _runs as runs
from ._options import (
    AgentInstructions,
    AgentMetadata,
    AgentModelSettings,
    AgentRetries,
    EventOptionsBesideDeps,
    EventStreamHandler,
    EventStreamProcessor as EventStreamProcessor,
    OptionsBesideDeps,
    StreamOptionsBesideDeps,
)

T = TypeVar('T')
S = TypeVar('S')
RunOutputDataT = TypeVar('RunOutputDataT')
Instructions: TypeAlias = AgentInstructions[AgentDepsT]

class AbstractAgent(ABC, Generic[AgentDepsT, OutputDataT]):
    """The interface of everything that can be run like an agent: `Agent` itself, and wrappers around one."""

    @property
    @abstractmethod
    def model(self) -> Model | str | None: ...
    @property
    @abstractmethod
    def name(self) -> str | None: ...
    @name.setter
    @abstractmethod
    def name(self, value: str | None) -> None: ...
    @property
    def description(self) -> str | None: ...
    @description.setter
    def description(self, value: str | None) -> None: ...
    @property
    @abstractmethod
    def deps_type(self) -> type: ...
    @property
    @abstractmethod
    def output_type(self) -> OutputSpec[OutputDataT]: ...
    @property
    @abstractmethod
    def toolsets(self) -> Sequence[AbstractToolset[AgentDepsT]]: ...
    @property
    def event_stream_handler(self) -> EventStreamHandler[AgentDepsT] | None: ...
    @property
    def root_capability(self) -> AbstractCapability[AgentDepsT] | None: ...
    def output_json_schema(self, output_type: OutputSpec[Any] | None = None) -> JsonSchema: ...
    @overload
    @abstractmethod
    def iter(
        self,
        user_prompt: str | Sequence[all_messages.UserContent] | None = None,
        *,
        output_type: None = None,
        deps: AgentDepsT = None,  # pyright: ignore[reportArgumentType]
        **options: Unpack[OptionsBesideDeps[AgentDepsT]],
    ) -> AbstractAsyncContextManager[runs.AgentRun[AgentDepsT, OutputDataT]]:
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

    @overload
    @abstractmethod
    def iter(
        self,
        user_prompt: str | Sequence[all_messages.UserContent] | None = None,
        *,
        output_type: OutputSpec[RunOutputDataT],
        deps: AgentDepsT = None,  # pyright: ignore[reportArgumentType]
        **options: Unpack[OptionsBesideDeps[AgentDepsT]],
    ) -> AbstractAsyncContextManager[runs.AgentRun[AgentDepsT, RunOutputDataT]]:
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
        user_prompt: str | Sequence[all_messages.UserContent] | None = None,
        *,
        output_type: None = None,
        deps: AgentDepsT = None,  # pyright: ignore[reportArgumentType]
        **options: Unpack[EventOptionsBesideDeps[AgentDepsT]],
    ) -> runs.AgentRunResult[OutputDataT]:
        """Run the agent and return its result.

        Args:
            user_prompt: Text or multi-modal content to start with.
            output_type: The type of the output instead of the agent's.
            options: Those of `EventOptions`:
                deps: Dependencies for tools, prompts and validators.
                conversation: What was said so far, in place of `message_history`, `conversation_id` and `usage`;
                    `result.conversation` continues it.
                message_history: Messages of the conversation so far; they are not changed.
                deferred_tool_results: Results of tool calls that an earlier run left open.
                run_id: Id of the run; by default a new one.
                timeout: Seconds that the run may take; then it ends in `RunTimedOut`.
                cancellation_token: Ends the run in `RunCancelled` when it is cancelled.
                conversation_id: Id of the conversation; by default the history's, else a new one, as with `'new'`.
                model: Model to use instead of the agent's.
                instructions: Instructions in addition to the agent's.
                model_settings: Settings; they are merged over those of the agent.
                usage_limits: Limits on requests, tokens and tool calls; by default 50 requests.
                budget: What the run may use, with other runs that have the same budget; in addition to those of the
                    agent and around the run.
                usage: Usage so far; the usage of the run is added to it in place. For runs that share a budget.
                metadata: Metadata in addition to the agent's.
                retries: Retries instead of the agent's: those of the output, or a dict, with `'tools'` for tools
                    without a number of their own.
                infer_name: Whether a nameless agent takes the name of the variable it is called through.
                toolsets: Toolsets in addition to the agent's.
                capabilities: Capabilities in addition to the agent's.
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

    @overload
    async def run(
        self,
        user_prompt: str | Sequence[all_messages.UserContent] | None = None,
        *,
        output_type: OutputSpec[RunOutputDataT],
        deps: AgentDepsT = None,  # pyright: ignore[reportArgumentType]
        **options: Unpack[EventOptionsBesideDeps[AgentDepsT]],
    ) -> runs.AgentRunResult[RunOutputDataT]:
        """Run the agent and return its result.

        Args:
            user_prompt: Text or multi-modal content to start with.
            output_type: The type of the output instead of the agent's.
            options: Those of `EventOptions`:
                deps: Dependencies for tools, prompts and validators.
                conversation: What was said so far, in place of `message_history`, `conversation_id` and `usage`;
                    `result.conversation` continues it.
                message_history: Messages of the conversation so far; they are not changed.
                deferred_tool_results: Results of tool calls that an earlier run left open.
                run_id: Id of the run; by default a new one.
                timeout: Seconds that the run may take; then it ends in `RunTimedOut`.
                cancellation_token: Ends the run in `RunCancelled` when it is cancelled.
                conversation_id: Id of the conversation; by default the history's, else a new one, as with `'new'`.
                model: Model to use instead of the agent's.
                instructions: Instructions in addition to the agent's.
                model_settings: Settings; they are merged over those of the agent.
                usage_limits: Limits on requests, tokens and tool calls; by default 50 requests.
                budget: What the run may use, with other runs that have the same budget; in addition to those of the
                    agent and around the run.
                usage: Usage so far; the usage of the run is added to it in place. For runs that share a budget.
                metadata: Metadata in addition to the agent's.
                retries: Retries instead of the agent's: those of the output, or a dict, with `'tools'` for tools
                    without a number of their own.
                infer_name: Whether a nameless agent takes the name of the variable it is called through.
                toolsets: Toolsets in addition to the agent's.
                capabilities: Capabilities in addition to the agent's.
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

    @overload
    def run_sync(
        self,
        user_prompt: str | Sequence[all_messages.UserContent] | None = None,
        *,
        output_type: None = None,
        deps: AgentDepsT = None,  # pyright: ignore[reportArgumentType]
        **options: Unpack[EventOptionsBesideDeps[AgentDepsT]],
    ) -> runs.AgentRunResult[OutputDataT]:
        """Run the agent from synchronous code; arguments, result and errors as for `run`.

        This works without an event loop, inside of a running one (the run then has its own loop in a worker thread), and
        in a synchronous tool of another agent.

        Args:
            user_prompt: Text or multi-modal content to start with.
            output_type: The type of the output instead of the agent's.
            options: Those of `EventOptions`:
                deps: Dependencies for tools, prompts and validators.
                conversation: What was said so far, in place of `message_history`, `conversation_id` and `usage`;
                    `result.conversation` continues it.
                message_history: Messages of the conversation so far; they are not changed.
                deferred_tool_results: Results of tool calls that an earlier run left open.
                run_id: Id of the run; by default a new one.
                timeout: Seconds that the run may take; then it ends in `RunTimedOut`.
                cancellation_token: Ends the run in `RunCancelled` when it is cancelled.
                conversation_id: Id of the conversation; by default the history's, else a new one, as with `'new'`.
                model: Model to use instead of the agent's.
                instructions: Instructions in addition to the agent's.
                model_settings: Settings; they are merged over those of the agent.
                usage_limits: Limits on requests, tokens and tool calls; by default 50 requests.
                budget: What the run may use, with other runs that have the same budget; in addition to those of the
                    agent and around the run.
                usage: Usage so far; the usage of the run is added to it in place. For runs that share a budget.
                metadata: Metadata in addition to the agent's.
                retries: Retries instead of the agent's: those of the output, or a dict, with `'tools'` for tools
                    without a number of their own.
                infer_name: Whether a nameless agent takes the name of the variable it is called through.
                toolsets: Toolsets in addition to the agent's.
                capabilities: Capabilities in addition to the agent's.
                workspace: A workspace or a backend, a `WorkspaceRef`, or `'new'` for one that a capability makes.
                spec: An `AgentSpec`, or a dictionary with its keys; the other options of the run override it.
                event_stream_handler: Called once for each step with the run context and the events of the step, instead
                    of the agent's handler.
        """

    @overload
    def run_sync(
        self,
        user_prompt: str | Sequence[all_messages.UserContent] | None = None,
        *,
        output_type: OutputSpec[RunOutputDataT],
        deps: AgentDepsT = None,  # pyright: ignore[reportArgumentType]
        **options: Unpack[EventOptionsBesideDeps[AgentDepsT]],
    ) -> runs.AgentRunResult[RunOutputDataT]:
        """Run the agent from synchronous code; arguments, result and errors as for `run`.

        This works without an event loop, inside of a running one (the run then has its own loop in a worker thread), and
        in a synchronous tool of another agent.

        Args:
            user_prompt: Text or multi-modal content to start with.
            output_type: The type of the output instead of the agent's.
            options: Those of `EventOptions`:
                deps: Dependencies for tools, prompts and validators.
                conversation: What was said so far, in place of `message_history`, `conversation_id` and `usage`;
                    `result.conversation` continues it.
                message_history: Messages of the conversation so far; they are not changed.
                deferred_tool_results: Results of tool calls that an earlier run left open.
                run_id: Id of the run; by default a new one.
                timeout: Seconds that the run may take; then it ends in `RunTimedOut`.
                cancellation_token: Ends the run in `RunCancelled` when it is cancelled.
                conversation_id: Id of the conversation; by default the history's, else a new one, as with `'new'`.
                model: Model to use instead of the agent's.
                instructions: Instructions in addition to the agent's.
                model_settings: Settings; they are merged over those of the agent.
                usage_limits: Limits on requests, tokens and tool calls; by default 50 requests.
                budget: What the run may use, with other runs that have the same budget; in addition to those of the
                    agent and around the run.
                usage: Usage so far; the usage of the run is added to it in place. For runs that share a budget.
                metadata: Metadata in addition to the agent's.
                retries: Retries instead of the agent's: those of the output, or a dict, with `'tools'` for tools
                    without a number of their own.
                infer_name: Whether a nameless agent takes the name of the variable it is called through.
                toolsets: Toolsets in addition to the agent's.
                capabilities: Capabilities in addition to the agent's.
                workspace: A workspace or a backend, a `WorkspaceRef`, or `'new'` for one that a capability makes.
                spec: An `AgentSpec`, or a dictionary with its keys; the other options of the run override it.
                event_stream_handler: Called once for each step with the run context and the events of the step, instead
                    of the agent's handler.
        """

    @overload
    def run_stream(
        self,
        user_prompt: str | Sequence[all_messages.UserContent] | None = None,
        *,
        output_type: None = None,
        deps: AgentDepsT = None,  # pyright: ignore[reportArgumentType]
        **options: Unpack[StreamOptionsBesideDeps[AgentDepsT]],
    ) -> AbstractAsyncContextManager[runs.StreamedRunResult[AgentDepsT, OutputDataT]]:
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
                conversation: What was said so far, in place of `message_history`, `conversation_id` and `usage`;
                    `result.conversation` continues it.
                message_history: Messages of the conversation so far; they are not changed.
                deferred_tool_results: Results of tool calls that an earlier run left open.
                run_id: Id of the run; by default a new one.
                timeout: Seconds that the run may take; then it ends in `RunTimedOut`.
                cancellation_token: Ends the run in `RunCancelled` when it is cancelled.
                conversation_id: Id of the conversation; by default the history's, else a new one, as with `'new'`.
                model: Model to use instead of the agent's.
                instructions: Instructions in addition to the agent's.
                model_settings: Settings; they are merged over those of the agent.
                usage_limits: Limits on requests, tokens and tool calls; by default 50 requests.
                budget: What the run may use, with other runs that have the same budget; in addition to those of the
                    agent and around the run.
                usage: Usage so far; the usage of the run is added to it in place. For runs that share a budget.
                metadata: Metadata in addition to the agent's.
                retries: Retries instead of the agent's: those of the output, or a dict, with `'tools'` for tools
                    without a number of their own.
                infer_name: Whether a nameless agent takes the name of the variable it is called through.
                toolsets: Toolsets in addition to the agent's.
                capabilities: Capabilities in addition to the agent's.
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

    @overload
    def run_stream(
        self,
        user_prompt: str | Sequence[all_messages.UserContent] | None = None,
        *,
        output_type: OutputSpec[RunOutputDataT],
        deps: AgentDepsT = None,  # pyright: ignore[reportArgumentType]
        **options: Unpack[StreamOptionsBesideDeps[AgentDepsT]],
    ) -> AbstractAsyncContextManager[runs.StreamedRunResult[AgentDepsT, RunOutputDataT]]:
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
                conversation: What was said so far, in place of `message_history`, `conversation_id` and `usage`;
                    `result.conversation` continues it.
                message_history: Messages of the conversation so far; they are not changed.
                deferred_tool_results: Results of tool calls that an earlier run left open.
                run_id: Id of the run; by default a new one.
                timeout: Seconds that the run may take; then it ends in `RunTimedOut`.
                cancellation_token: Ends the run in `RunCancelled` when it is cancelled.
                conversation_id: Id of the conversation; by default the history's, else a new one, as with `'new'`.
                model: Model to use instead of the agent's.
                instructions: Instructions in addition to the agent's.
                model_settings: Settings; they are merged over those of the agent.
                usage_limits: Limits on requests, tokens and tool calls; by default 50 requests.
                budget: What the run may use, with other runs that have the same budget; in addition to those of the
                    agent and around the run.
                usage: Usage so far; the usage of the run is added to it in place. For runs that share a budget.
                metadata: Metadata in addition to the agent's.
                retries: Retries instead of the agent's: those of the output, or a dict, with `'tools'` for tools
                    without a number of their own.
                infer_name: Whether a nameless agent takes the name of the variable it is called through.
                toolsets: Toolsets in addition to the agent's.
                capabilities: Capabilities in addition to the agent's.
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

    @overload
    def run_stream_sync(
        self,
        user_prompt: str | Sequence[all_messages.UserContent] | None = None,
        *,
        output_type: None = None,
        deps: AgentDepsT = None,  # pyright: ignore[reportArgumentType]
        **options: Unpack[StreamOptionsBesideDeps[AgentDepsT]],
    ) -> runs.StreamedRunResultSync[AgentDepsT, OutputDataT]:
        """Run the agent from synchronous code, and stream its answer; arguments and errors as for `run_stream`.

        Args:
            user_prompt: Text or multi-modal content to start with.
            output_type: The type of the output instead of the agent's.
            options: Those of `StreamOptions`:
                deps: Dependencies for tools, prompts and validators.
                conversation: What was said so far, in place of `message_history`, `conversation_id` and `usage`;
                    `result.conversation` continues it.
                message_history: Messages of the conversation so far; they are not changed.
                deferred_tool_results: Results of tool calls that an earlier run left open.
                run_id: Id of the run; by default a new one.
                timeout: Seconds that the run may take; then it ends in `RunTimedOut`.
                cancellation_token: Ends the run in `RunCancelled` when it is cancelled.
                conversation_id: Id of the conversation; by default the history's, else a new one, as with `'new'`.
                model: Model to use instead of the agent's.
                instructions: Instructions in addition to the agent's.
                model_settings: Settings; they are merged over those of the agent.
                usage_limits: Limits on requests, tokens and tool calls; by default 50 requests.
                budget: What the run may use, with other runs that have the same budget; in addition to those of the
                    agent and around the run.
                usage: Usage so far; the usage of the run is added to it in place. For runs that share a budget.
                metadata: Metadata in addition to the agent's.
                retries: Retries instead of the agent's: those of the output, or a dict, with `'tools'` for tools
                    without a number of their own.
                infer_name: Whether a nameless agent takes the name of the variable it is called through.
                toolsets: Toolsets in addition to the agent's.
                capabilities: Capabilities in addition to the agent's.
                workspace: A workspace or a backend, a `WorkspaceRef`, or `'new'` for one that a capability makes.
                spec: An `AgentSpec`, or a dictionary with its keys; the other options of the run override it.
                event_stream_handler: Called once for each step with the run context and the events of the step, instead
                    of the agent's handler.
                until: What is streamed: `'final-result'`, the first response that may be the answer, which then ends
                    the run; or `'end'`, every response up to the real end of the run.

        Returns:
            The result. Read it to its end, or use it in a `with` block.
        """

    @overload
    def run_stream_sync(
        self,
        user_prompt: str | Sequence[all_messages.UserContent] | None = None,
        *,
        output_type: OutputSpec[RunOutputDataT],
        deps: AgentDepsT = None,  # pyright: ignore[reportArgumentType]
        **options: Unpack[StreamOptionsBesideDeps[AgentDepsT]],
    ) -> runs.StreamedRunResultSync[AgentDepsT, RunOutputDataT]:
        """Run the agent from synchronous code, and stream its answer; arguments and errors as for `run_stream`.

        Args:
            user_prompt: Text or multi-modal content to start with.
            output_type: The type of the output instead of the agent's.
            options: Those of `StreamOptions`:
                deps: Dependencies for tools, prompts and validators.
                conversation: What was said so far, in place of `message_history`, `conversation_id` and `usage`;
                    `result.conversation` continues it.
                message_history: Messages of the conversation so far; they are not changed.
                deferred_tool_results: Results of tool calls that an earlier run left open.
                run_id: Id of the run; by default a new one.
                timeout: Seconds that the run may take; then it ends in `RunTimedOut`.
                cancellation_token: Ends the run in `RunCancelled` when it is cancelled.
                conversation_id: Id of the conversation; by default the history's, else a new one, as with `'new'`.
                model: Model to use instead of the agent's.
                instructions: Instructions in addition to the agent's.
                model_settings: Settings; they are merged over those of the agent.
                usage_limits: Limits on requests, tokens and tool calls; by default 50 requests.
                budget: What the run may use, with other runs that have the same budget; in addition to those of the
                    agent and around the run.
                usage: Usage so far; the usage of the run is added to it in place. For runs that share a budget.
                metadata: Metadata in addition to the agent's.
                retries: Retries instead of the agent's: those of the output, or a dict, with `'tools'` for tools
                    without a number of their own.
                infer_name: Whether a nameless agent takes the name of the variable it is called through.
                toolsets: Toolsets in addition to the agent's.
                capabilities: Capabilities in addition to the agent's.
                workspace: A workspace or a backend, a `WorkspaceRef`, or `'new'` for one that a capability makes.
                spec: An `AgentSpec`, or a dictionary with its keys; the other options of the run override it.
                event_stream_handler: Called once for each step with the run context and the events of the step, instead
                    of the agent's handler.
                until: What is streamed: `'final-result'`, the first response that may be the answer, which then ends
                    the run; or `'end'`, every response up to the real end of the run.

        Returns:
            The result. Read it to its end, or use it in a `with` block.
        """

    @overload
    def run_stream_events(
        self,
        user_prompt: str | Sequence[all_messages.UserContent] | None = None,
        *,
        output_type: None = None,
        deps: AgentDepsT = None,  # pyright: ignore[reportArgumentType]
        **options: Unpack[OptionsBesideDeps[AgentDepsT]],
    ) -> runs.AgentRunEvents[OutputDataT]:
        """Run the agent and stream all events; arguments and errors as for `run`.

        Args:
            user_prompt: Text or multi-modal content to start with.
            output_type: The type of the output instead of the agent's.
            options: Those of `RunOptions`:
                deps: Dependencies for tools, prompts and validators.
                conversation: What was said so far, in place of `message_history`, `conversation_id` and `usage`;
                    `result.conversation` continues it.
                message_history: Messages of the conversation so far; they are not changed.
                deferred_tool_results: Results of tool calls that an earlier run left open.
                run_id: Id of the run; by default a new one.
                timeout: Seconds that the run may take; then it ends in `RunTimedOut`.
                cancellation_token: Ends the run in `RunCancelled` when it is cancelled.
                conversation_id: Id of the conversation; by default the history's, else a new one, as with `'new'`.
                model: Model to use instead of the agent's.
                instructions: Instructions in addition to the agent's.
                model_settings: Settings; they are merged over those of the agent.
                usage_limits: Limits on requests, tokens and tool calls; by default 50 requests.
                budget: What the run may use, with other runs that have the same budget; in addition to those of the
                    agent and around the run.
                usage: Usage so far; the usage of the run is added to it in place. For runs that share a budget.
                metadata: Metadata in addition to the agent's.
                retries: Retries instead of the agent's: those of the output, or a dict, with `'tools'` for tools
                    without a number of their own.
                infer_name: Whether a nameless agent takes the name of the variable it is called through.
                toolsets: Toolsets in addition to the agent's.
                capabilities: Capabilities in addition to the agent's.
                workspace: A workspace or a backend, a `WorkspaceRef`, or `'new'` for one that a capability makes.
                spec: An `AgentSpec`, or a dictionary with its keys; the other options of the run override it.

        Returns:
            The events of all responses and tool calls, and at the end an `AgentRunResultEvent`. Use it in an `async with`
            block, which stops the run if it is left early.

        Raises:
            UserError: There is no such option, or there is an `event_stream_handler`, which would get no events.
        """

    @overload
    def run_stream_events(
        self,
        user_prompt: str | Sequence[all_messages.UserContent] | None = None,
        *,
        output_type: OutputSpec[RunOutputDataT],
        deps: AgentDepsT = None,  # pyright: ignore[reportArgumentType]
        **options: Unpack[OptionsBesideDeps[AgentDepsT]],
    ) -> runs.AgentRunEvents[RunOutputDataT]:
        """Run the agent and stream all events; arguments and errors as for `run`.

        Args:
            user_prompt: Text or multi-modal content to start with.
            output_type: The type of the output instead of the agent's.
            options: Those of `RunOptions`:
                deps: Dependencies for tools, prompts and validators.
                conversation: What was said so far, in place of `message_history`, `conversation_id` and `usage`;
                    `result.conversation` continues it.
                message_history: Messages of the conversation so far; they are not changed.
                deferred_tool_results: Results of tool calls that an earlier run left open.
                run_id: Id of the run; by default a new one.
                timeout: Seconds that the run may take; then it ends in `RunTimedOut`.
                cancellation_token: Ends the run in `RunCancelled` when it is cancelled.
                conversation_id: Id of the conversation; by default the history's, else a new one, as with `'new'`.
                model: Model to use instead of the agent's.
                instructions: Instructions in addition to the agent's.
                model_settings: Settings; they are merged over those of the agent.
                usage_limits: Limits on requests, tokens and tool calls; by default 50 requests.
                budget: What the run may use, with other runs that have the same budget; in addition to those of the
                    agent and around the run.
                usage: Usage so far; the usage of the run is added to it in place. For runs that share a budget.
                metadata: Metadata in addition to the agent's.
                retries: Retries instead of the agent's: those of the output, or a dict, with `'tools'` for tools
                    without a number of their own.
                infer_name: Whether a nameless agent takes the name of the variable it is called through.
                toolsets: Toolsets in addition to the agent's.
                capabilities: Capabilities in addition to the agent's.
                workspace: A workspace or a backend, a `WorkspaceRef`, or `'new'` for one that a capability makes.
                spec: An `AgentSpec`, or a dictionary with its keys; the other options of the run override it.

        Returns:
            The events of all responses and tool calls, and at the end an `AgentRunResultEvent`. Use it in an `async with`
            block, which stops the run if it is left early.

        Raises:
            UserError: There is no such option, or there is an `event_stream_handler`, which would get no events.
        """

    async def system_prompt_parts(
        self,
        *,
        deps: AgentDepsT = ...,
        model: Model | KnownModelName | str | None = None,
        message_history: Sequence[ModelMessage] | None = None,
        prompt: str | Sequence[all_messages.UserContent] | None = None,
        usage: RunUsage | None = None,
        model_settings: ModelSettings | None = None,
    ) -> list[SystemPromptPart]: ...
    @property
    def validation_context(self) -> object: ...
    async def to_cli(
        self,
        deps: AgentDepsT = ...,
        prog_name: str = 'stead',
        message_history: Sequence[ModelMessage] | None = None,
        model_settings: ModelSettings | None = None,
        usage_limits: UsageLimits | None = None,
        model: Model | KnownModelName | str | None = None,
    ) -> None: ...
    def to_cli_sync(
        self,
        deps: AgentDepsT = ...,
        prog_name: str = 'stead',
        message_history: Sequence[ModelMessage] | None = None,
        model_settings: ModelSettings | None = None,
        usage_limits: UsageLimits | None = None,
        model: Model | KnownModelName | str | None = None,
    ) -> None: ...
    def to_web(
        self,
        *,
        models: Sequence[Model | KnownModelName | str] | Mapping[str, Model | KnownModelName | str] | None = None,
        deps: AgentDepsT = ...,
        model_settings: ModelSettings | None = None,
        instructions: AgentInstructions[AgentDepsT] = None,
        html_source: str | Path | None = None,
        allowed_hosts: Sequence[str] | None = None,
        journal: Any = None,
        examples: Sequence[str] = ...,
        show_errors: bool = False,
        **_deprecated_kwargs: object,
    ) -> Starlette: ...
    def diagram(self) -> str: ...
    @deprecated(
        '`to_ag_ui` is deprecated; call `AGUIAdapter.dispatch_request` in a route of your application.', category=None
    )
    def to_ag_ui(self, **options: Any) -> Any: ...
    @deprecated('`to_a2a` is deprecated: use `stead.ui.a2a.agent_to_a2a`.', category=PydanticAIDeprecationWarning)
    def to_a2a(self, **options: Unpack[rare.A2AOptions]) -> FastA2A: ...
    @staticmethod
    def is_user_prompt_node(
        node: nodes.AgentNode[T, S] | graph.End[FinalResult[S]],
    ) -> TypeIs[nodes.UserPromptNode[T, S]]: ...
    @staticmethod
    def is_model_request_node(
        node: nodes.AgentNode[T, S] | graph.End[FinalResult[S]],
    ) -> TypeIs[nodes.ModelRequestNode[T, S]]: ...
    @staticmethod
    def is_call_tools_node(
        node: nodes.AgentNode[T, S] | graph.End[FinalResult[S]],
    ) -> TypeIs[nodes.CallToolsNode[T, S]]: ...
    @staticmethod
    def is_end_node(node: nodes.AgentNode[T, S] | graph.End[FinalResult[S]]) -> TypeIs[graph.End[FinalResult[S]]]: ...
    @staticmethod
    @contextmanager
    def parallel_tool_call_execution_mode(mode: ParallelExecutionMode = 'parallel') -> Iterator[None]: ...
    @staticmethod
    @contextmanager
    def sequential_tool_calls() -> Iterator[None]: ...
    @staticmethod
    @contextmanager
    def using_thread_executor(executor: aio.Executor) -> Iterator[None]: ...

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
