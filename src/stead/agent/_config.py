"""`AgentConfig`: what an agent is, in one frozen record. Whatever changes an agent puts another record in its place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Generic, cast

from .. import budgets, capabilities as all_capabilities
from .._calls import outputs
from .._contracts.call_policy import AgentRetries, CallOptions, CallPolicy, EndStrategy
from .._contracts.capability import AbstractCapability
from .._contracts.output import OutputDataT, OutputSpec
from .._contracts.run_context import AgentDepsT
from .._contracts.toolset import AbstractToolset
from .._loop.prompts import SystemPromptRunner
from ..capabilities._owned import capability_ids
from ..concurrency import AbstractConcurrencyLimiter, normalize_to_limiter
from ..models import Model, infer_model
from ..output import OutputSchema
from ..tools import AgentNativeTool
from ..tools._call_options import call_policy
from . import _rare_options as rare, _tracing as tracing
from ._options import AgentMetadata, AgentModelSettings, DescriptionTemplate, EventStreamHandler, RunOptions
from ._sources import AgentFunctionToolset, Instructions, as_capabilities, as_toolset, chooses_model, leaves


@dataclass(frozen=True, eq=False, repr=False)
class AgentConfig(Generic[AgentDepsT, OutputDataT]):
    """The options of an agent, in the form in which runs need them, and what decorators have added.

    Its lists are never changed in place, except for the toolset of the agent's own tools, which is one for as long as the
    agent lives. So what was made of a config holds as long as the agent has that config.
    """

    model: Model | str | None
    """The model; an instance, a name that is not resolved yet, or `None`."""
    name: str | None
    """The name that was passed or inferred."""
    description: str | DescriptionTemplate | None
    """What the agent does."""
    deps_type: type
    """The type of the dependencies."""
    output_type: OutputSpec[OutputDataT]
    """The type of the output."""
    output_schema: OutputSchema[OutputDataT]
    """How the output is asked for."""
    output_validators: list[outputs.OutputValidator[AgentDepsT, Any]]
    """Validators of the output; they run after the schema."""
    output_retries: int
    """How many times the output may be retried."""
    tool_retries: int
    """How many times tools may be retried that have no number of their own."""
    end_strategy: EndStrategy
    """What happens to the other tool calls of a response that contains a final result."""
    validation_context: object
    """Pydantic's validation context, or a function of the run context that returns it."""
    model_settings: AgentModelSettings[AgentDepsT] | None
    """Settings, or a function that returns them."""
    metadata: AgentMetadata[AgentDepsT] | None
    """Metadata of every run, or a function that returns it."""
    instructions: Instructions[AgentDepsT]
    """Instructions, which are sent with every request."""
    system_prompts: tuple[str, ...]
    """Texts for the first request."""
    prompt_functions: list[SystemPromptRunner[AgentDepsT]]
    """Functions that return such texts."""
    dynamic_prompts: dict[str, SystemPromptRunner[AgentDepsT]]
    """Those of them that are called again when a history continues, by their reference."""
    tools: AgentFunctionToolset[AgentDepsT]
    """The agent's own tools."""
    toolsets: list[AbstractToolset[AgentDepsT]]
    """Its other toolsets."""
    native_tools: list[AgentNativeTool[AgentDepsT]]
    """Tools that the provider runs, in place of those of the capabilities."""
    capabilities: list[AbstractCapability[AgentDepsT]]
    """The leaves of its capabilities, in the order of the chain."""
    event_functions: AbstractCapability[AgentDepsT] | None
    """Calls the functions that listen to events; innermost in the chain."""
    event_stream_handler: EventStreamHandler[AgentDepsT] | None
    """The handler of events of every run."""
    instrument: tracing.InstrumentationSettings | bool | None
    """How runs are traced; `None` for the default of all agents."""
    limiter: AbstractConcurrencyLimiter | None
    """Limits how many runs are active at once."""
    call_policy: CallPolicy | None
    """What holds for the calls of all tools."""
    budget: budgets.Budget | None = None
    """What its runs may use."""
    replaced: frozenset[str] = frozenset()
    """The options that an `override` has replaced. Runs and capabilities do not add to them."""

    @cached_property
    def root_capability(self) -> all_capabilities.CombinedCapability[AgentDepsT]:
        """What combines its capabilities."""
        return all_capabilities.CombinedCapability(list(self.capabilities))

    @cached_property
    def chooses_model(self) -> bool:
        """Whether a capability may choose the model of a run, or know it by its name."""
        return chooses_model(self.capabilities)


def config_of(options: Mapping[str, Any]) -> AgentConfig[Any, Any]:
    """Return the config of an agent.

    Args:
        options: The arguments of `Agent`, all of them; and `event_stream_handler` and `instrument`.

    Raises:
        UserError: An argument is wrong.
        ValueError: The provider of the model is not known.
        ImportError: The package of a vendor is not installed.
    """
    model, retries, prompts = options['model'], options['retries'], options['system_prompt']
    counts: AgentRetries = {'tools': retries, 'output': retries} if isinstance(retries, int) else (retries or {})
    most_output = counts.get('output', 1)
    schema = schema_for(options['output_type'], most_output)
    instructions = Instructions[Any].of(options['instructions'])
    tools = AgentFunctionToolset[Any](options['tools'], timeout=options['tool_timeout'])
    toolsets = [as_toolset(toolset) for toolset in options['toolsets'] or ()]
    capabilities: list[AbstractCapability[Any]] = leaves(as_capabilities(options['capabilities'] or ()))
    capability_ids(capabilities)  # raises if ids are missing or used twice
    if isinstance(model, str) and not options['defer_model_check'] and not chooses_model(capabilities):
        model = infer_model(model)
    limiter = normalize_to_limiter(options['max_concurrency'])
    limits = CallOptions(max_tool_concurrency=options['max_tool_concurrency'], on_tool_error=options['on_tool_error'])
    return AgentConfig(
        model=model,
        name=options['name'],
        description=options['description'],
        deps_type=options['deps_type'],
        output_type=options['output_type'],
        output_schema=schema,
        output_validators=[],
        output_retries=most_output,
        tool_retries=counts.get('tools', 1),
        end_strategy=options['end_strategy'],
        validation_context=options['validation_context'],
        model_settings=options['model_settings'],
        metadata=options['metadata'],
        instructions=instructions,
        system_prompts=(prompts,) if isinstance(prompts, str) else tuple(prompts),
        prompt_functions=[],
        dynamic_prompts={},
        tools=tools,
        toolsets=toolsets,
        native_tools=[],
        capabilities=capabilities,
        event_functions=None,
        event_stream_handler=options.get('event_stream_handler'),
        instrument=options.get('instrument'),
        limiter=limiter,
        call_policy=call_policy(limits, 'the agent', config_of),
        budget=options.get('budget'),
    )


def schema_for(output_type: OutputSpec[Any], retries: int) -> OutputSchema[Any]:
    """Return the schema of an output that may be retried a number of times.

    Raises:
        UserError: The type cannot be an output.
    """
    schema = OutputSchema[Any].build(output_type)
    if schema.toolset is not None:
        schema.toolset.max_retries = retries
    return schema


# Overrides

active_overrides: ContextVar[dict[int, rare.OverrideOptions[Any]]] = ContextVar('stead_overrides', default={})  # noqa: B039
"""The overrides in effect, by the id of the agent. The mapping is replaced, never changed: contexts share it."""

OVERRIDDEN_IN_CONFIG: dict[str, Callable[[AgentConfig[Any, Any], Any], object]] = {
    'tools': lambda config, tools: AgentFunctionToolset[Any](tools, timeout=config.tools.timeout),
    'toolsets': lambda _, toolsets: [as_toolset(toolset) for toolset in toolsets],
    'native_tools': lambda _, tools: [*tools],
    'instructions': lambda _, instructions: Instructions[Any].of(instructions),
    'metadata': lambda _, metadata: metadata,
    'model_settings': lambda _, settings: settings,
    'capabilities': lambda _, capabilities: leaves(as_capabilities(capabilities)),
}
"""The options of `override` that are part of a config, each with the form that it has there."""
OVERRIDDEN_IN_OPTIONS = ('deps', 'retries', 'workspace')
"""Those that are options of a run. The others are the name and the model."""
_JOINED = ('capabilities',)
"""The options that a run may still add to."""


def overridden(
    config: AgentConfig[AgentDepsT, OutputDataT],
    options: RunOptions[AgentDepsT],
    override: rare.OverrideOptions[AgentDepsT],
) -> tuple[AgentConfig[AgentDepsT, OutputDataT], RunOptions[AgentDepsT]]:
    """Return the config and the options of a run in an `override` block, which takes precedence over both.

    Raises:
        UserError: A toolset, a capability or the instructions are of a wrong type.
    """
    values = cast('dict[str, Any]', override)
    forms = OVERRIDDEN_IN_CONFIG.items()
    changed: dict[str, Any] = {name: form(config, values[name]) for name, form in forms if name in values}
    kept: dict[str, Any] = {name: value for name, value in options.items() if name in _JOINED or name not in changed}
    kept.update((name, values[name]) for name in OVERRIDDEN_IN_OPTIONS if name in values)
    if changed:
        config = replace(config, replaced=frozenset(changed), **changed)
    return config, cast('RunOptions[AgentDepsT]', kept)
