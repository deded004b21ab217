"""Type checkers read this for `_agent.py`. Written by `make stubs`."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from pathlib import Path
from typing import Any, Literal, overload

from typing_extensions import Self, Unpack, deprecated

from .. import budgets, capabilities as all_capabilities, messages as all_messages
from .._contracts.call_policy import EndStrategy, OnToolError
from .._contracts.capability import AbstractCapability
from .._contracts.output import OutputDataT, OutputSpec
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.toolset import AbstractToolset
from .._kit.json_schema import JsonSchema
from ..capabilities import AgentCapability
from ..concurrency import AnyConcurrencyLimit
from ..messages import ModelMessage, SystemPromptPart
from ..models import KnownModelName, Model
from ..settings import ModelSettings
from ..tools import Tool, ToolFuncEither
from ..toolsets import AgentToolset
from ..usage import RunUsage
from . import _explain, _rare_options as rare, _scope as scopes, _tracing as tracing
from ._decorators import Decorators
from ._options import (
    AgentInstructions,
    AgentMetadata,
    AgentModelSettings,
    AgentRetries,
    DescriptionTemplate,
    EventStreamHandler,
    OptionsBesideDeps,
    RunOptions,
    SpecLike,
)
from .abstract import AbstractAgent, RunOutputDataT

class Agent(Decorators[AgentDepsT, OutputDataT], AbstractAgent[AgentDepsT, OutputDataT]):
    """An agent: a model with instructions, tools and a type of output.

    Build it once, usually at module level, and run it as often as you like, also concurrently."""

    keep_interrupted: bool = ...

    def __init__(
        self,
        model: Model | KnownModelName | str | None = None,
        *,
        output_type: OutputSpec[OutputDataT] = ...,
        instructions: AgentInstructions[AgentDepsT] = None,
        system_prompt: str | Sequence[str] = ...,
        deps_type: type[AgentDepsT] = ...,
        name: str | None = None,
        description: str | DescriptionTemplate | None = None,
        model_settings: AgentModelSettings[AgentDepsT] | None = None,
        retries: int | AgentRetries | None = None,
        validation_context: Any | Callable[[RunContext[AgentDepsT]], Any] = None,
        tools: Sequence[Tool[AgentDepsT] | ToolFuncEither[AgentDepsT, ...]] = ...,
        toolsets: Sequence[AgentToolset[AgentDepsT]] | None = None,
        defer_model_check: bool = False,
        end_strategy: EndStrategy = 'early',
        metadata: AgentMetadata[AgentDepsT] | None = None,
        tool_timeout: float | None = None,
        max_concurrency: AnyConcurrencyLimit = None,
        capabilities: Sequence[AgentCapability[AgentDepsT]] | None = None,
        max_tool_concurrency: AnyConcurrencyLimit = None,
        on_tool_error: OnToolError | None = None,
        budget: budgets.Budget | None = None,
        **legacy: Unpack[rare.LegacyArguments],
    ) -> None: ...
    @property
    def model(self) -> Model | str | None: ...
    @model.setter
    def model(self, value: Model | KnownModelName | str | None) -> None: ...
    @property
    def name(self) -> str | None: ...
    @name.setter
    def name(self, value: str | None) -> None: ...
    @property
    def description(self) -> str | None: ...
    @description.setter
    def description(self, value: str | DescriptionTemplate | None) -> None: ...
    def render_description(self, deps: object = None) -> str | None: ...
    @property
    def budget(self) -> budgets.Budget | None: ...
    @property
    def deps_type(self) -> type: ...
    @property
    def output_type(self) -> OutputSpec[OutputDataT]: ...
    @property
    def end_strategy(self) -> EndStrategy: ...
    @end_strategy.setter
    def end_strategy(self, value: EndStrategy) -> None: ...
    @property
    def model_settings(self) -> AgentModelSettings[AgentDepsT] | None: ...
    @model_settings.setter
    def model_settings(self, value: AgentModelSettings[AgentDepsT] | None) -> None: ...
    @property
    def instrument(self) -> tracing.InstrumentationSettings | bool | None: ...
    @instrument.setter
    def instrument(self, value: tracing.InstrumentationSettings | bool | None) -> None: ...
    @staticmethod
    def instrument_all(instrument: tracing.InstrumentationSettings | bool = True) -> None: ...
    @property
    def toolsets(self) -> Sequence[AbstractToolset[AgentDepsT]]: ...
    @property
    def event_stream_handler(self) -> EventStreamHandler[AgentDepsT] | None: ...
    @property
    def root_capability(self) -> all_capabilities.CombinedCapability[AgentDepsT]: ...
    @property
    def validation_context(self) -> object: ...
    def output_json_schema(self, output_type: OutputSpec[Any] | None = None) -> JsonSchema: ...
    def __repr__(self) -> str: ...
    @classmethod
    def from_spec(
        cls,
        spec: SpecLike,
        *,
        custom_capability_types: Sequence[type[AbstractCapability[Any]]] = ...,
        **options: Unpack[rare.FromSpecOptions[Any]],
    ) -> Self: ...
    @classmethod
    def from_file(
        cls,
        path: Path | str,
        *,
        fmt: Literal['yaml', 'json'] | None = None,
        custom_capability_types: Sequence[type[AbstractCapability[Any]]] = ...,
        **options: Unpack[rare.FromSpecOptions[Any]],
    ) -> Self: ...
    @contextmanager
    def override(self, **options: Unpack[rare.OverrideOptions[AgentDepsT]]) -> Iterator[None]:
        """Replace parts of the agent inside a `with` block, in this context only: other tasks and threads keep theirs.

        They take precedence over those of runs; `toolsets`, `tools`, `instructions` and `capabilities` replace those of
        the agent.

        Args:
            options: Those of `OverrideOptions`:
                deps: Dependencies for tools, prompts and validators.
                name: The name of the agent.
                model: The model, or its name.
                toolsets: Toolsets in place of the agent's.
                tools: Functions and `Tool` objects in place of the agent's.
                native_tools: Tools that the provider runs, in place of the agent's.
                instructions: Instructions in place of the agent's.
                metadata: Metadata in place of the agent's.
                model_settings: Settings in place of the agent's.
                retries: Output retries in place of the agent's.
                capabilities: Capabilities in place of the agent's.
                workspace: The workspace of the runs, in place of theirs.
                spec: An `AgentSpec`, or a dictionary with its keys; the other options of the override take precedence
                    over it.

        Raises:
            UserError: There is no such option, an option has a wrong value, or `retries` sets tool retries, which tools
                take when the agent is built.
            SpecError: `spec` is not valid.
            ValueError: The provider of the model is not known.
            ImportError: The package of a vendor is not installed.
        """

    @overload
    def iter(
        self,
        user_prompt: str | Sequence[all_messages.UserContent] | None = None,
        *,
        output_type: None = None,
        deps: AgentDepsT = None,  # pyright: ignore[reportArgumentType]
        **options: Unpack[OptionsBesideDeps[AgentDepsT]],
    ) -> scopes.RunScope[AgentDepsT, OutputDataT]:
        """Step through a run; see `AbstractAgent.iter`.

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

        Raises:
            UserError: There is no such option, the arguments do not fit together, or there is no model.
            SpecError: `spec` is not valid.
            ValueError: The provider of the model is not known.
            ImportError: The package of a vendor is not installed.
        """

    @overload
    def iter(
        self,
        user_prompt: str | Sequence[all_messages.UserContent] | None = None,
        *,
        output_type: OutputSpec[RunOutputDataT],
        deps: AgentDepsT = None,  # pyright: ignore[reportArgumentType]
        **options: Unpack[OptionsBesideDeps[AgentDepsT]],
    ) -> scopes.RunScope[AgentDepsT, RunOutputDataT]:
        """Step through a run; see `AbstractAgent.iter`.

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

        Raises:
            UserError: There is no such option, the arguments do not fit together, or there is no model.
            SpecError: `spec` is not valid.
            ValueError: The provider of the model is not known.
            ImportError: The package of a vendor is not installed.
        """

    def explain(
        self,
        user_prompt: str | Sequence[all_messages.UserContent] | None = None,
        *,
        output_type: OutputSpec[Any] | None = None,
        **options: Unpack[RunOptions[AgentDepsT]],
    ) -> _explain.Explanation: ...
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
    def set_mcp_sampling_model(self, model: Model | KnownModelName | str | None = None) -> None: ...
    @deprecated('`run_mcp_servers` is deprecated: use `async with agent:`, and `set_mcp_sampling_model` before it.')
    def run_mcp_servers(
        self, model: Model | KnownModelName | str | None = None
    ) -> AbstractAsyncContextManager[Agent[AgentDepsT, OutputDataT]]: ...
    async def __aenter__(self) -> Self: ...
    async def __aexit__(self, *args: object) -> bool | None: ...
