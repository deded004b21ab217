"""`Planner`: what a run needs, from the config of its agent, the overrides in effect and its own options.

`RunSetup` is what a run is started with. Most runs of an agent share a `RunPlan`; what the functions here return for it is
asked at each step.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, Union, cast

from typing_extensions import TypeAlias

from .. import messages as all_messages
from .._contracts.capability import AbstractCapability, overrides
from .._contracts.output import OutputSpec
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.toolset import AbstractToolset
from .._loop.nodes import UserPromptNode
from .._loop.state import RequestSources
from ..capabilities._ordering import describe
from ..exceptions import UserError
from ..messages import InstructionPart
from ..models import Model
from ..output import OutputSchema
from ..settings import ModelSettings, merge_model_settings
from . import _tracing as tracing
from ._checks import RUN, output_retries
from ._choosing import ModelOfRun as ModelOfRun
from ._config import AgentConfig, schema_for
from ._options import RunOptions
from ._plan import RunPlan, SettingsLayer, Source, build_plan
from ._sources import as_capabilities, leaves, static_blocks, with_those_of_run
from .abstract import AbstractAgent
from .for_all import FOR_ALL, tracing_settings

InstructionsGetter: TypeAlias = Callable[[RunContext[object]], Awaitable[Union[list[InstructionPart], None]]]
"""Returns the instructions of a step."""
PlanForRun: TypeAlias = Callable[[RunContext[AgentDepsT], RunPlan[AgentDepsT]], Awaitable[RunPlan[AgentDepsT]]]
"""Returns the plan of one run, for the context and the plan of all runs."""


@dataclass(slots=True)
class RunSetup(Generic[AgentDepsT]):
    """What a run is started with; overrides have been applied to all of it."""

    agent: AbstractAgent[AgentDepsT, Any]
    """The agent that runs."""
    config: AgentConfig[AgentDepsT, Any]
    """What it is."""
    options: RunOptions[AgentDepsT]
    """The options of the run."""
    first_node: UserPromptNode[AgentDepsT, Any]
    """The node that the run begins with."""
    model: Model
    """The model of the run; set when it starts if capabilities choose it."""
    output_retries: int
    """How many times the output may be retried."""
    plan: RunPlan[AgentDepsT]
    """The plan that runs with the same options share."""
    plan_for_run: PlanForRun[AgentDepsT] | None
    """Replaces the plan when capabilities have state of their own for each run; `None` if none does."""
    keep_interrupted: bool
    """Whether a response whose stream failed or was cancelled becomes part of the messages, as far as it came."""
    choose_model: ModelOfRun | None = None
    """Chooses the model when the run starts; `None` if it is known."""
    dry: bool = False
    """Whether nothing is sent, so that hooks around the run are not called."""


class Planner(Generic[AgentDepsT]):
    """Plans the runs of an agent, and keeps the plan of those whose options change nothing in it."""

    def __init__(self) -> None:
        self._kept: _Kept[AgentDepsT] | None = None
        self._tracer: tuple[tracing.InstrumentationSettings | Literal[True], AbstractCapability[Any]] | None = None
        """The last settings that a run was traced with, and the capability for them."""

    def setup(
        self,
        agent: AbstractAgent[AgentDepsT, Any],
        config: AgentConfig[AgentDepsT, Any],
        model: Model,
        user_prompt: str | Sequence[all_messages.UserContent] | None,
        output_type: OutputSpec[Any] | None,
        options: RunOptions[AgentDepsT],
    ) -> RunSetup[AgentDepsT]:
        """Return what a run is started with.

        Args:
            agent: The agent that runs.
            config: What it is.
            model: The model of the run; anything if it is chosen when the run starts.
            user_prompt: The prompt.
            output_type: The type of the output instead of the agent's.
            options: The options of the run.

        Raises:
            UserError: The agent, the overrides and the options do not fit together.
        """
        retries = output_retries(options.get('retries'), where=RUN)
        schema = _schema_of_run(config, output_type, retries)
        model, tracer = self._traced(config, model)
        plan = self._plan_for(config, options, schema, tracer)
        return RunSetup(
            agent=agent,
            config=config,
            options=options,
            first_node=UserPromptNode(
                user_prompt,
                deferred_tool_results=options.get('deferred_tool_results'),
                instructions='\n\n'.join(plan.static_instructions) or None,
                instructions_functions=plan.instructions.runners,
                system_prompts=config.system_prompts,
                system_prompt_functions=config.prompt_functions,
                system_prompt_dynamic_functions=config.dynamic_prompts,
            ),
            model=model,
            output_retries=config.output_retries if retries is None else retries,
            plan=plan,
            plan_for_run=_plan_for_run(plan, config, options, schema),
            keep_interrupted=getattr(agent, 'keep_interrupted', True),
        )

    def _traced(
        self, config: AgentConfig[AgentDepsT, Any], model: Model
    ) -> tuple[Model, AbstractCapability[Any] | None]:
        """Return the model without its own tracing, and the capability that traces the run instead, or `None`."""
        # In `vars` rather than as an attribute: wrappers pass attributes on, and only an `InstrumentedModel` is unwrapped.
        instrument: tracing.InstrumentationSettings | bool | None = None
        if hasattr(model, '__dict__'):
            instrument = vars(model).get('instrumentation_settings')
        if instrument is not None:
            model = vars(model)['wrapped']
        else:
            instrument = FOR_ALL.instrument if config.instrument is None else config.instrument
        if not instrument:
            return model, None
        # The same capability as long as the settings are the same, so that the plan can be kept.
        if self._tracer is None or self._tracer[0] is not instrument:
            from ..capabilities import Instrumentation

            settings = tracing.InstrumentationSettings() if instrument is True else instrument
            self._tracer = instrument, Instrumentation[Any](settings)
        return model, self._tracer[1]

    def _plan_for(
        self,
        config: AgentConfig[AgentDepsT, Any],
        options: RunOptions[AgentDepsT],
        schema: OutputSchema[Any],
        tracer: AbstractCapability[Any] | None,
    ) -> RunPlan[AgentDepsT]:
        """Return the plan of a run: the one that is kept, unless the run or an override changes something in it."""
        if (
            config.replaced
            or schema is not config.output_schema
            or not (
                options.get('instructions') is None
                and options.get('model_settings') is None
                and options.get('toolsets') is None
                and options.get('capabilities') is None
            )
        ):
            return build_plan(config, options, schema, _leaves(config, options, tracer))
        kept = self._kept
        if (
            kept is None
            or kept.config is not config
            or kept.plan.chain.version
            or kept.tracer is not tracer
            or kept.for_all is not FOR_ALL.capabilities
        ):
            plan = build_plan(config, options, schema, _leaves(config, options, tracer))
            kept = self._kept = _Kept(plan, config, tracer, FOR_ALL.capabilities)
        return kept.plan


@dataclass
class _Kept(Generic[AgentDepsT]):
    """The plan of runs without options that change it, and what it was made of."""

    plan: RunPlan[AgentDepsT]
    config: AgentConfig[AgentDepsT, Any]
    tracer: AbstractCapability[Any] | None
    """The capability that traces the runs."""
    for_all: tuple[AbstractCapability[Any], ...]
    """The capabilities of the runs of all agents."""


def _schema_of_run(
    config: AgentConfig[Any, Any], output_type: OutputSpec[Any] | None, retries: int | None
) -> OutputSchema[Any]:
    if output_type is None and retries is None:
        return config.output_schema
    if output_type is not None and config.output_validators:
        raise UserError(
            'A run cannot have an `output_type` of its own, because the agent has output validators, and they are '
            'written for the output type of the agent.'
        )
    return schema_for(
        config.output_type if output_type is None else output_type,
        config.output_retries if retries is None else retries,
    )


def _leaves(
    config: AgentConfig[AgentDepsT, Any], options: RunOptions[AgentDepsT], tracer: AbstractCapability[Any] | None
) -> list[AbstractCapability[AgentDepsT]]:
    """Return the capabilities of a run in the order of the chain."""
    own = with_those_of_run(config.capabilities, as_capabilities(options.get('capabilities') or ()))
    capabilities = leaves([*own, config.event_functions] if config.event_functions is not None else own)
    # A capability that traces takes precedence over the settings of the agent and of the model.
    if tracer is not None and not tracing_settings(capabilities):
        capabilities = leaves([tracer, *capabilities])
    if not FOR_ALL.capabilities:
        return capabilities
    added = [one for one in FOR_ALL.capabilities if not any(isinstance(own, type(one)) for own in capabilities)]
    return leaves([*added, *capabilities])


def _plan_for_run(
    plan: RunPlan[AgentDepsT],
    config: AgentConfig[AgentDepsT, Any],
    options: RunOptions[AgentDepsT],
    schema: OutputSchema[Any],
) -> PlanForRun[AgentDepsT] | None:
    """Return a function that plans again with the instances of capabilities for one run, or `None` if none has any."""
    capabilities = plan.chain.capabilities
    if not any(overrides(capability, 'for_run') for capability in capabilities):
        return None

    async def plan_again(ctx: RunContext[AgentDepsT], static: RunPlan[AgentDepsT]) -> RunPlan[AgentDepsT]:
        of_run = [await capability.for_run(ctx) for capability in capabilities]
        if all(new is old for new, old in zip(of_run, capabilities)):
            return static
        return build_plan(config, options, schema, leaves(of_run))

    return plan_again


# What is asked at each step


def instructions_getter(
    plan: RunPlan[AgentDepsT], toolset: AbstractToolset[AgentDepsT], sources: RequestSources | None = None
) -> InstructionsGetter | None:
    """Return a function that returns the instructions of a step, or `None` if there never are any.

    Args:
        plan: The plan of the run.
        toolset: The tools of the run.
        sources: Where it notes what the instructions come from.
    """
    runners = plan.instructions.runners
    ask_toolset = toolset.has_instructions
    if sources is not None:
        sources.instructions = _texts_from(plan, {})
    if not plan.static_instructions and not runners and not ask_toolset:
        return None
    static = [InstructionPart(content=block) for block in plan.static_instructions]
    if not runners and not ask_toolset:

        async def constant(ctx: RunContext[object]) -> list[InstructionPart] | None:
            return static

        return constant

    async def evaluated(ctx: RunContext[Any]) -> list[InstructionPart] | None:
        parts = list(static)
        texts: dict[int, str] = {}
        for runner in runners:
            text = await runner.run(ctx)
            if text:
                parts.append(InstructionPart(content=text, dynamic=True))
                texts[id(runner)] = text
        known = len(parts)
        if ask_toolset:
            parts.extend(instruction_parts(await toolset.get_instructions(ctx)))
        if sources is not None:
            sources.instructions = _texts_from(plan, texts)
            sources.instructions += [('toolsets', part.content) for part in parts[known:]]
        return InstructionPart.sorted(parts) if parts else None

    return evaluated


def _texts_from(plan: RunPlan[Any], texts: Mapping[int, str]) -> list[tuple[str, str]]:
    """Return the parts of the agent that instructions come from, with their texts.

    Args:
        plan: The plan of the run.
        texts: What functions have returned, by the id of their runner.
    """
    named: list[tuple[str, str]] = []
    for source, instructions in plan.instructions_from:
        named += [(_source(source), block) for block in static_blocks([(source, instructions)])]
        for runner in instructions.runners:
            if text := texts.get(id(runner), '').strip():
                name = getattr(runner.function, '__name__', '')
                named.append((f'{_source(source)}: {name}' if name.isidentifier() else _source(source), text))
    return named


def settings_getter(
    plan: RunPlan[AgentDepsT], model: Model, sources: RequestSources | None = None, *, of_each_step: bool = False
) -> Callable[[RunContext[AgentDepsT]], ModelSettings | None]:
    """Return a function that merges the layers of settings for a step, the model's first.

    Args:
        plan: The plan of the run.
        model: The model.
        sources: Where the function notes what each setting comes from.
        of_each_step: Whether each step has a model of its own.

    Raises:
        UserError: They let the model call tools only, in every step.
    """
    if of_each_step:
        return lambda ctx: settings_getter(plan, ctx.model, sources)(ctx)
    model_settings = model.settings
    layers = [layer for layer in (model_settings, *plan.settings) if layer]
    if not layers and sources is None:
        return _no_settings
    check_tool_choice(model_settings, plan.settings[0], plan.settings[-1])
    if sources is not None:
        return _noted_settings(plan, model_settings, sources)
    copies = bool(plan.chain.model_request)
    if not any(callable(layer) for layer in layers):
        merged: ModelSettings | None = None
        for layer in layers:
            merged = merge_model_settings(merged, cast(ModelSettings, layer))
        if copies:  # hooks may change the settings of their request, and must not change those of others
            return lambda ctx: ModelSettings(**merged) if merged else None
        return lambda ctx: merged

    def evaluated(ctx: RunContext[AgentDepsT]) -> ModelSettings | None:
        merged: ModelSettings | None = None
        for layer in layers:
            ctx.model_settings = merged  # functions see the layers below them
            merged = merge_model_settings(merged, layer(ctx) if callable(layer) else layer)
        return merged

    return evaluated


def _noted_settings(
    plan: RunPlan[AgentDepsT], model_settings: ModelSettings | None, sources: RequestSources
) -> Callable[[RunContext[AgentDepsT]], ModelSettings | None]:
    layers = [*zip(('model', *plan.settings_from), (model_settings, *plan.settings))]

    def evaluated(ctx: RunContext[AgentDepsT]) -> ModelSettings | None:
        merged: ModelSettings | None = None
        sources.settings = {}
        for source, layer in layers:
            ctx.model_settings = merged
            own = layer(ctx) if callable(layer) else layer
            sources.settings.update(dict.fromkeys(own or (), _source(source)))
            merged = merge_model_settings(merged, own)
        return ModelSettings(**merged) if merged else None

    return evaluated


def _no_settings(ctx: RunContext[Any]) -> None:
    """Return the settings of a step where there never are any."""


def _source(source: Source) -> str:
    """Return how explanations name a part of the agent."""
    return source if isinstance(source, str) else describe(source)


def check_tool_choice(*layers: SettingsLayer[Any]) -> None:
    """Raise `UserError` if settings for all steps of a run let the model call tools only, since it could never answer.

    Args:
        layers: Settings, later ones over earlier ones; functions are not asked, since they may vary with the step.
    """
    choice: object = None
    for layer in layers:
        if layer and not callable(layer):
            choice = layer.get('tool_choice', choice)
    if choice == 'required' or isinstance(choice, (list, tuple)):
        raise UserError(
            f'A run cannot have `tool_choice={choice!r}` for all of its steps: the model would call tools and never answer. '
            'Use `ToolOrOutput(function_tools=[...])`, which lets it answer too, or make the settings a function of the run '
            'context that forces tools in some steps only.'
        )


def instruction_parts(
    source: str | InstructionPart | Sequence[str | InstructionPart] | None,
) -> list[InstructionPart]:
    """Return the instructions of a toolset as parts; plain text counts as dynamic."""
    if source is None:
        return []
    if isinstance(source, (str, InstructionPart)):
        source = [source]
    parts = [
        item if isinstance(item, InstructionPart) else InstructionPart(content=item, dynamic=True) for item in source
    ]
    return [part for part in parts if part.content.strip()]
