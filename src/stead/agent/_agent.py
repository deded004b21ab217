"""`Agent`: construction, overrides, and how a run is set up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Literal, cast

from typing_extensions import Self, Unpack, deprecated

from .. import budgets, capabilities as all_capabilities, messages as all_messages
from .._contracts.call_policy import EndStrategy, OnToolError
from .._contracts.capability import AbstractCapability
from .._contracts.output import OutputDataT, OutputSpec
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.toolset import AbstractToolset
from .._kit import aio
from .._kit.json_schema import JsonSchema
from .._kit.lazy import load
from .._kit.option_signatures import with_options
from .._kit.short import type_name
from .._loop import nodes
from .._loop.prompts import function_reference
from ..capabilities import AgentCapability
from ..concurrency import AnyConcurrencyLimit
from ..exceptions import UserError
from ..messages import ModelMessage, SystemPromptPart, TextContent
from ..models import KnownModelName, Model, infer_model
from ..output import OutputSchema
from ..settings import ModelSettings
from ..tools import Tool, ToolFuncEither
from ..toolsets import AgentToolset
from ..usage import RunUsage
from . import _explain, _planner as planners, _rare_options as rare, _scope as scopes, _tracing as tracing
from ._checks import check_names, check_options, check_replacements, check_values, output_retries, with_conversation
from ._config import AgentConfig, active_overrides, config_of, overridden
from ._decorators import Decorators
from ._deprecated import translate_legacy_arguments
from ._options import (
    UNSET,
    AgentInstructions,
    AgentMetadata,
    AgentModelSettings,
    AgentRetries,
    DescriptionTemplate,
    EventStreamHandler,
    RunOptions,
    SpecLike,
    caller_frame,
    infer_name,
)
from ._sources import as_toolset, bound, chooses_model, leaves, of_run, with_those_of_run
from .abstract import AbstractAgent
from .for_all import FOR_ALL


class Agent(Decorators[AgentDepsT, OutputDataT], AbstractAgent[AgentDepsT, OutputDataT]):
    """An agent: a model with instructions, tools and a type of output.

    Build it once, usually at module level, and run it as often as you like, also concurrently.
    """

    keep_interrupted: bool = True
    """Whether the messages keep a response whose stream failed or was cancelled, as far as it came. Set it on an agent, or on
    the class for all agents."""

    def __init__(
        self,
        model: Model | KnownModelName | str | None = None,
        *,
        output_type: OutputSpec[OutputDataT] = str,
        instructions: AgentInstructions[AgentDepsT] = None,
        system_prompt: str | Sequence[str] = (),
        deps_type: type[AgentDepsT] = type(None),
        name: str | None = None,
        description: str | DescriptionTemplate | None = None,
        model_settings: AgentModelSettings[AgentDepsT] | None = None,
        retries: int | AgentRetries | None = None,
        validation_context: Any | Callable[[RunContext[AgentDepsT]], Any] = None,
        tools: Sequence[Tool[AgentDepsT] | ToolFuncEither[AgentDepsT, ...]] = (),
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
    ) -> None:
        """Build an agent.

        Args:
            model: A model or its name; may be left out if every run or an `override` passes one.
            output_type: The type of the output; any type pydantic can validate, output functions, or a list of these.
            instructions: Text, a function, or a sequence of these. They are sent with every request, and do not
                become part of the history.
            system_prompt: Text for the first request of a conversation; it becomes part of the history.
            deps_type: The type of the dependencies; it is for type checkers only.
            name: The name of the agent, for logs and traces; by default that of the variable it is called through.
            description: What the agent does, for people and for other agents.
            model_settings: Settings, merged over those of the model, or a function of the run context that returns them.
            retries: How many times tools and the output may be retried: a number for both, or one for each.
            validation_context: Pydantic's validation context for arguments and outputs, or a function that returns it.
            tools: Functions and `Tool` objects.
            toolsets: Toolsets, or functions of the run context that return one.
            defer_model_check: Whether the name of the model is resolved at the first run rather than now.
            end_strategy: What happens to the other tool calls of a response that contains a final result.
            metadata: Metadata of every run, or a function that returns it.
            tool_timeout: Seconds that a call of the agent's own tools may take.
            max_concurrency: How many runs may be active at once; the others wait.
            capabilities: Capabilities, or functions of the run context that return one.
            max_tool_concurrency: How many calls of all tools may run at once, in all runs together.
            on_tool_error: What happens on an exception in a tool that has no `on_tool_error` of its own; by default it
                ends the run.
            budget: What its runs may use together, or each of them with `Budget(per='run')`.
            legacy: Old arguments, which still work with a warning.

        Raises:
            UserError: An argument is wrong; the message says which, and what to do about it.
            ValueError: The provider of the model is not known.
            ImportError: The package of a vendor is not installed.
        """
        options = {name: value for name, value in locals().items() if name not in ('self', 'legacy')}
        check_values('Agent', options)
        translate_legacy_arguments(options, dict(legacy))
        self._config: AgentConfig[AgentDepsT, OutputDataT] = config_of(options)
        capabilities = bound(self._config.capabilities, self)
        if any(new is not old for new, old in zip(capabilities, self._config.capabilities)):
            self._change(capabilities=leaves(capabilities))
        load(nodes, planners, scopes)  # in the first run, the event loop would stand still meanwhile
        self._planner: planners.Planner[AgentDepsT] = planners.Planner()
        self._entered = 0
        self._enter_lock: aio.Lock | None = None
        self._exit_stack = AsyncExitStack()

    # Properties

    @property
    def model(self) -> Model | str | None:
        """The model; an instance, a name that is not resolved yet, or `None`."""
        return self._config.model

    @model.setter
    def model(self, value: Model | KnownModelName | str | None) -> None:
        self._change(model=value)

    @property
    def name(self) -> str | None:
        """The name of the agent, for logs and traces."""
        override = active_overrides.get().get(id(self))
        return self._config.name if override is None else override.get('name', self._config.name)

    @name.setter
    def name(self, value: str | None) -> None:
        self._change(name=value)

    @property
    def description(self) -> str | None:
        """What the agent does, for people and for other agents."""
        description = self._config.description
        return None if description is None else str(description)

    @description.setter
    def description(self, value: str | DescriptionTemplate | None) -> None:
        self._change(description=value)

    def render_description(self, deps: object = None) -> str | None:
        """Return the description, rendered with dependencies if it is a template."""
        render = getattr(self._config.description, 'render', None)
        return render(deps) if render is not None else self.description

    @property
    def budget(self) -> budgets.Budget | None:
        """What its runs may use together; `None` if that is not limited."""
        return self._config.budget

    @property
    def deps_type(self) -> type:
        """The type of the dependencies."""
        return self._config.deps_type

    @property
    def output_type(self) -> OutputSpec[OutputDataT]:
        """The type of the output."""
        return self._config.output_type

    @property
    def end_strategy(self) -> EndStrategy:
        """What happens to the other tool calls of a response that contains a final result."""
        return self._config.end_strategy

    @end_strategy.setter
    def end_strategy(self, value: EndStrategy) -> None:
        self._change(end_strategy=value)

    @property
    def model_settings(self) -> AgentModelSettings[AgentDepsT] | None:
        """Settings, merged over those of the model, or a function of the run context that returns them."""
        return self._config.model_settings

    @model_settings.setter
    def model_settings(self, value: AgentModelSettings[AgentDepsT] | None) -> None:
        self._change(model_settings=value)

    @property
    def instrument(self) -> tracing.InstrumentationSettings | bool | None:
        """How runs are traced: settings, `True` for the defaults, `False` for not at all, `None` as `instrument_all` says."""
        return self._config.instrument

    @instrument.setter
    def instrument(self, value: tracing.InstrumentationSettings | bool | None) -> None:
        self._change(instrument=value)

    @staticmethod
    def instrument_all(instrument: tracing.InstrumentationSettings | bool = True) -> None:
        """Set how runs are traced of all agents whose own `instrument` is `None`.

        Args:
            instrument: Settings, `True` for the defaults, or `False` for not at all.
        """
        FOR_ALL.instrument = instrument

    @property
    def toolsets(self) -> Sequence[AbstractToolset[AgentDepsT]]:
        """The toolsets of the agent, the one with its own tools first; inside of an `override`, those it sets."""
        config, _ = self._in_effect({})
        toolsets = [config.tools, *config.toolsets]
        if self._config.capabilities and 'toolsets' not in config.replaced:
            if (toolset := self.root_capability.get_toolset()) is not None:
                toolsets.append(as_toolset(toolset))
        return toolsets

    @property
    def event_stream_handler(self) -> EventStreamHandler[AgentDepsT] | None:
        """The handler of events that every run of the agent has."""
        return self._config.event_stream_handler

    @property
    def root_capability(self) -> all_capabilities.CombinedCapability[AgentDepsT]:
        """The capability that combines all capabilities of the agent."""
        return self._config.root_capability

    @property
    def validation_context(self) -> object:
        """Pydantic's validation context for arguments and outputs, or a function that returns it."""
        return self._config.validation_context

    def output_json_schema(self, output_type: OutputSpec[Any] | None = None) -> JsonSchema:
        """Return the JSON schema of the output.

        Args:
            output_type: The type to describe instead of the agent's.

        Raises:
            UserError: The type cannot be an output.
        """
        schema: OutputSchema[Any] = (
            self._config.output_schema if output_type is None else OutputSchema[Any].build(output_type)
        )
        return schema.output_json_schema()

    def __repr__(self) -> str:
        return (
            f'Agent(model={self.model!r}, name={self.name!r}, end_strategy={self.end_strategy!r}, '
            f'model_settings={self.model_settings!r}, output_type={type_name(self.output_type)})'
        )

    # From specs

    @classmethod
    def from_spec(
        cls,
        spec: SpecLike,
        *,
        custom_capability_types: Sequence[type[AbstractCapability[Any]]] = (),
        **options: Unpack[rare.FromSpecOptions[Any]],
    ) -> Self:
        """Return the agent that a spec describes. A spec contains no code, and runs only that of the capabilities it names.

        A spec does not have the types of dependencies and output; write them with the class, for type checkers:
        `Agent[Deps, Output].from_spec(...)`.

        Args:
            spec: An `AgentSpec`, or a dictionary with its keys.
            custom_capability_types: Capabilities that the spec may name in addition to those of stead.
            options: Arguments of `Agent`, which override those of the spec; see `AgentOptions`.

        Raises:
            SpecError: The spec is not valid; the message says where, and what was expected.
            UserError: There is no model, or an argument is wrong.
            ValueError: `custom_capability_types` holds something that is not a capability, or two with the same name; or
                the provider of the model is not known.
            ImportError: The package of a vendor is not installed.
        """
        from .._specs.resolve import agent_arguments
        from .._specs.source import Origin

        where = '`Agent.from_spec`'
        arguments = _checked(options, where)
        return cls(**agent_arguments(spec, Origin(), custom_capability_types, arguments, where))

    @classmethod
    def from_file(
        cls,
        path: Path | str,
        *,
        fmt: Literal['yaml', 'json'] | None = None,
        custom_capability_types: Sequence[type[AbstractCapability[Any]]] = (),
        **options: Unpack[rare.FromSpecOptions[Any]],
    ) -> Self:
        """Return the agent that a file describes.

        Args:
            path: The file, in YAML or JSON.
            fmt: The format of the file; by default that of its suffix.
            custom_capability_types: Capabilities that the spec may name in addition to those of stead.
            options: Arguments of `Agent`, which override those of the spec; see `AgentOptions`.

        Raises:
            SpecError: The file is malformed, or its spec is not valid; the message points into it.
            OSError: The file cannot be read.
            UserError: There is no model, or an argument is wrong.
            ValueError: There is no `fmt`, and the suffix of the file is unknown; and as for `from_spec`.
            ImportError: The format is YAML, and PyYAML is not installed; or the package of a vendor is not.
        """
        from .._specs.resolve import agent_arguments
        from .._specs.source import parse
        from .._specs.spec import origin_of

        origin = origin_of(path, fmt)
        where = '`Agent.from_file`'
        arguments = _checked(options, where)
        return cls(**agent_arguments(parse(origin), origin, custom_capability_types, arguments, where))

    # Overrides

    @with_options(UNSET)
    @contextmanager
    def override(self, **options: Unpack[rare.OverrideOptions[AgentDepsT]]) -> Iterator[None]:
        """Replace parts of the agent inside a `with` block, in this context only: other tasks and threads keep theirs.

        They take precedence over those of runs; `toolsets`, `tools`, `instructions` and `capabilities` replace those of
        the agent.

        Args:
            options: See `OverrideOptions`.

        Raises:
            UserError: There is no such option, an option has a wrong value, or `retries` sets tool retries, which tools
                take when the agent is built.
            SpecError: `spec` is not valid.
            ValueError: The provider of the model is not known.
            ImportError: The package of a vendor is not installed.
        """
        values: dict[str, Any] = {name: value for name, value in options.items() if value is not UNSET}
        rare.check_overrides(values)
        if (spec := values.pop('spec', None)) is not None:
            from .._specs.resolve import override_from_spec

            values = {**override_from_spec(spec), **values}
        check_replacements(values)
        output_retries(values.get('retries'), where='`Agent.override(retries=...)`')
        if isinstance(name := values.get('model'), str) and not self._config.chooses_model:
            values['model'] = infer_model(name)
        current = active_overrides.get()
        merged: Any = {**current.get(id(self), {}), **values}
        token = active_overrides.set({**current, id(self): merged})
        try:
            yield
        finally:
            active_overrides.reset(token)

    # Runs

    @with_options()
    def iter(
        self,
        user_prompt: str | Sequence[all_messages.UserContent] | None = None,
        *,
        output_type: OutputSpec[Any] | None = None,
        **options: Unpack[RunOptions[AgentDepsT]],
    ) -> scopes.RunScope[AgentDepsT, Any]:
        """Step through a run; see `AbstractAgent.iter`.

        Args:
            user_prompt: Text or multi-modal content to start with.
            output_type: The type of the output instead of the agent's.
            options: See `RunOptions`.

        Raises:
            UserError: There is no such option, the arguments do not fit together, or there is no model.
            SpecError: `spec` is not valid.
            ValueError: The provider of the model is not known.
            ImportError: The package of a vendor is not installed.
        """
        check_options(cast('dict[str, Any]', options))
        if isinstance(user_prompt, TextContent):  # what `pin` makes of a text
            user_prompt = [user_prompt]
        check_values('agent.run', {'user_prompt': user_prompt, **options})
        options = _with_spec(options) if options.get('spec') is not None else options
        if options.get('conversation') is not None:
            options = cast('RunOptions[AgentDepsT]', with_conversation(cast('dict[str, Any]', options)))
        if options.get('infer_name', True) and self._config.name is None:
            infer_name(self, caller_frame(1))
        config, options = self._in_effect(options)
        chooses = config.chooses_model
        if 'capabilities' in options and (passed := options['capabilities']):
            options = {**options, 'capabilities': (capabilities := of_run(passed, self))}
            chooses = chooses_model(with_those_of_run(config.capabilities, capabilities))
        model: Any = None if chooses else self._get_model(options.get('model'))
        setup = self._planner.setup(self, config, model, user_prompt, output_type, options)
        if chooses:
            wanted = active_overrides.get().get(id(self), {}).get('model', options.get('model'))
            setup.choose_model = planners.ModelOfRun(wanted, self._config.model, setup.plan.chain.choices)
        return scopes.RunScope(setup)

    def _in_effect(
        self, options: RunOptions[AgentDepsT]
    ) -> tuple[AgentConfig[AgentDepsT, OutputDataT], RunOptions[AgentDepsT]]:
        """Return what the agent is here, and the options of a run, with the overrides in effect."""
        override = active_overrides.get().get(id(self))
        return (self._config, options) if override is None else overridden(self._config, options, override)

    def explain(
        self,
        user_prompt: str | Sequence[all_messages.UserContent] | None = None,
        *,
        output_type: OutputSpec[Any] | None = None,
        **options: Unpack[RunOptions[AgentDepsT]],
    ) -> _explain.Explanation:
        """Return what a run would send to the model with its first request, and why; nothing is sent.

        Toolsets are entered, and functions for instructions, settings, tools and capabilities are called, as for a run;
        hooks are not called. Print the result for a report.

        Args:
            user_prompt: The prompt of the run; by default a placeholder.
            output_type: The type of the output instead of the agent's.
            options: See `RunOptions`. If there is no model, a `TestModel` is used.

        Raises:
            UserError: The arguments do not fit together, or the agent is set up wrongly.
            SpecError: `spec` is not valid.
        """
        if options.get('spec') is not None:
            from .._specs.resolve import with_spec

            options = cast('RunOptions[AgentDepsT]', with_spec(options))
        changed: Any = {**options, 'infer_name': False}
        if (
            changed.get('model') is None
            and self.model is None
            and 'model' not in active_overrides.get().get(id(self), {})
        ):
            changed['model'] = 'test'
        if user_prompt is None and not changed.get('message_history'):
            user_prompt = '(the prompt)'
        scope = self.iter(user_prompt, output_type=cast(Any, output_type), **changed)
        return aio.run_coroutine_sync(_explain.explain(scope, self._config.instructions, self.model_settings))

    def _get_model(self, model: Model | str | None, *, overridden: bool = True) -> Model:
        """Return the model of a run.

        Args:
            model: The one that was passed to it.
            overridden: Whether that of an `override` in effect takes precedence.

        Raises:
            UserError: There is none.
        """
        override = active_overrides.get().get(id(self))
        if override is not None and overridden:
            model = override.get('model', model)
        if model is None:
            if self._config.model is None:
                raise UserError('There is no model: pass `model` to `Agent`, to the run, or to `agent.override`.')
            if isinstance(self._config.model, str):
                self._change(model=infer_model(self._config.model))
            model = self._config.model
        return infer_model(model) if isinstance(model, str) else model

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
        """Return the system prompt parts that a run with these arguments would begin with.

        Args:
            deps: Dependencies for the functions.
            model: Model to use instead of the agent's.
            message_history: Messages of the conversation so far.
            prompt: The user prompt.
            usage: Usage so far.
            model_settings: Settings of the run.

        Raises:
            UserError: There is no model, or a function returns something else than text.
        """
        context = RunContext[Any](
            deps=deps,
            model=self._get_model(model, overridden=False),
            usage=usage or RunUsage(),
            agent=self,
            prompt=prompt,
            messages=list(message_history or ()),
            model_settings=model_settings,
        )
        parts = [SystemPromptPart(text) for text in self._config.system_prompts]
        for runner in self._config.prompt_functions:
            text = await runner.run(context)
            if runner.dynamic:
                parts.append(SystemPromptPart(text or '', dynamic_ref=function_reference(runner.function)))
            elif text:
                parts.append(SystemPromptPart(text))
        return parts

    def set_mcp_sampling_model(self, model: Model | KnownModelName | str | None = None) -> None:
        """Set the model that answers the sampling requests of the agent's MCP servers.

        Args:
            model: The model; by default that of the agent, or of an `override` around the call.

        Raises:
            UserError: There is no model.
        """
        sampling_model = self._get_model(model, overridden=model is None)

        def set_model(toolset: AbstractToolset[AgentDepsT]) -> None:
            if hasattr(toolset, 'sampling_model'):  # MCP toolsets have it; their module is not loaded without need
                cast(Any, toolset).sampling_model = sampling_model

        for toolset in self.toolsets:
            toolset.apply(set_model)

    @deprecated('`run_mcp_servers` is deprecated: use `async with agent:`, and `set_mcp_sampling_model` before it.')
    def run_mcp_servers(
        self, model: Model | KnownModelName | str | None = None
    ) -> AbstractAsyncContextManager[Agent[AgentDepsT, OutputDataT]]:
        """Keep the toolsets open until the block is left, and let a model answer the sampling requests of MCP servers.

        Args:
            model: The model for sampling; by default that of the agent.
        """
        with suppress(UserError):  # no model, which matters only to a server that asks
            self.set_mcp_sampling_model(model)
        return self

    # Lifetime

    async def __aenter__(self) -> Self:
        """Keep the toolsets and the model open over several runs, until the block is left."""
        self._enter_lock = self._enter_lock or aio.Lock()
        async with self._enter_lock:
            if self._entered == 0:
                async with AsyncExitStack() as stack:
                    for toolset in self.toolsets:
                        await stack.enter_async_context(toolset)
                    if isinstance(self.model, Model):
                        await stack.enter_async_context(self.model)
                    self._exit_stack = stack.pop_all()
            self._entered += 1
        return self

    async def __aexit__(self, *args: object) -> bool | None:
        """Close the toolsets and the model when the last of the blocks that use them is left."""
        assert self._enter_lock is not None, 'an agent is entered before it is left'
        async with self._enter_lock:
            self._entered -= 1
            if self._entered == 0:
                await self._exit_stack.aclose()
                self._enter_lock = None
        return None


def _with_spec(options: RunOptions[AgentDepsT]) -> RunOptions[AgentDepsT]:
    """Return the options of a run with its spec applied."""
    from .._specs.resolve import with_spec

    return with_spec(options)


def _checked(options: rare.FromSpecOptions[Any], where: str) -> dict[str, Any]:
    check_names(f'{where} has no argument', options, {*rare.SPEC_OPTIONS, 'custom_capability_types'})
    return cast('dict[str, Any]', options)
