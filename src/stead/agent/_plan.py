"""`RunPlan`: the static parts of the runs of an agent, compiled once and used until the agent changes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, Union, cast

from typing_extensions import TypeAlias

from .. import capabilities as all_capabilities, toolsets as all_toolsets
from .._calls.outputs import OutputValidator
from .._contracts.capability import AbstractCapability, overrides
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.toolset import AbstractToolset
from .._deferral import catalog, loading, toolsets as deferred_toolsets, wrappers
from .._deferral.search import ToolSearchToolset
from .._loop.prompts import SystemPromptRunner
from .._loop.state import KeptParameters, RequestSources
from ..capabilities import CombinedCapability, _selected
from ..capabilities._chain import HookChain
from ..capabilities._ordering import describe
from ..capabilities._owned import capability_ids
from ..exceptions import UserError
from ..messages import InstructionPart
from ..output import OutputSchema, OutputToolset
from ..settings import ModelSettings, merge_model_settings
from ..tools import AgentNativeTool, ToolDefinition, ToolsPrepareFunc
from ..toolsets import _capability_owned
from ._sources import Instructions, as_toolset

InstructionsGetter: TypeAlias = Callable[[RunContext[object]], Awaitable[Union[list[InstructionPart], None]]]
"""Returns the instructions of a step."""
SettingsLayer: TypeAlias = Union[ModelSettings, Callable[[RunContext[AgentDepsT]], Union[ModelSettings, None]], None]
"""Model settings, or a function of the run context that returns them for each step."""

Source: TypeAlias = Union[str, AbstractCapability[Any]]
"""A part of the agent that contributes to requests: a capability, or `'agent'`, `'run'` and others."""


def _combined_is_watched() -> bool:
    """Return whether a program has replaced `CombinedToolset.call_tool`; it has loaded the class then, which others need not."""
    combined = vars(all_toolsets).get('CombinedToolset')
    return combined is not None and combined.is_watched()


def texts_in_order(source: object) -> list[str | catalog.TextSource]:
    """Return the texts and functions of instructions in their order, which `Instructions` does not keep.

    Raises:
        UserError: The source, or something in it, is of another type.
    """
    if source is None or isinstance(source, str):
        return [source] if source else []
    if isinstance(source, Sequence):
        return [text for item in cast('Sequence[object]', source) for text in texts_in_order(item)]
    return [runner.run for runner in Instructions[Any].of(source).runners]


@dataclass
class RunPlan(Generic[AgentDepsT]):
    """The compiled parts of a run."""

    toolset: AbstractToolset[AgentDepsT]
    """Function tools and output tools together."""
    output_schema: OutputSchema[Any]
    """How the output is asked for."""
    output_validators: list[OutputValidator[AgentDepsT, Any]]
    """Validators of the output; they run after the schema."""
    instructions: Instructions[AgentDepsT]
    """The instructions, except those of toolsets."""
    settings: list[SettingsLayer[AgentDepsT]]
    """Layers of model settings over those of the model: the agent's, those of capabilities, the run's."""
    whole_run_settings: tuple[SettingsLayer[AgentDepsT], SettingsLayer[AgentDepsT]]
    """Those of these layers that hold for all steps unless they are functions: the agent's and the run's."""
    native_tools: list[AgentNativeTool[AgentDepsT]]
    """Tools that the provider runs."""
    root_capability: CombinedCapability[AgentDepsT]
    """All capabilities as one."""
    capabilities: dict[str, AbstractCapability[AgentDepsT]] = field(default_factory=lambda: {})
    """The capabilities by id."""
    settings_from: list[Source] = field(default_factory=lambda: [])
    """The part of the agent that each layer of settings comes from."""
    instructions_from: list[tuple[Source, Instructions[AgentDepsT]]] = field(default_factory=lambda: [])
    """The instructions by the part of the agent that they come from."""
    kept: KeptParameters = field(default_factory=KeptParameters)
    """Request parameters that the runs share while nothing changes them."""

    @cached_property
    def has_workspaces(self) -> bool:
        """Whether a capability may have a workspace for a run."""
        return any(overrides(capability, 'get_workspace') for capability in self.capabilities.values())

    @cached_property
    def chain(self) -> HookChain:
        """The hooks of the capabilities."""
        return self.root_capability.chain

    def instructions_getter(
        self, toolset: AbstractToolset[AgentDepsT], sources: RequestSources | None = None
    ) -> InstructionsGetter | None:
        """Return a function that returns the instructions of a step, or `None` if there never are any.

        Args:
            toolset: The tools of the run.
            sources: Where it notes what the instructions come from.
        """
        literal = '\n'.join(self.instructions.literals).strip()
        static = [InstructionPart(content=literal)] if literal else []
        runners = self.instructions.runners
        ask_toolset = toolset.has_instructions
        if sources is not None:
            sources.instructions = self._texts_from({})
        if not runners and not ask_toolset:
            if not static:
                return None

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
                sources.instructions = self._texts_from(texts)
                sources.instructions += [('toolsets', part.content) for part in parts[known:]]
            return InstructionPart.sorted(parts) if parts else None

        return evaluated

    def _texts_from(self, texts: Mapping[int, str]) -> list[tuple[str, str]]:
        """Return the parts of the agent that instructions come from, with their texts.

        Args:
            texts: What functions have returned, by the id of their runner.
        """
        named: list[tuple[str, str]] = []
        for source, instructions in self.instructions_from:
            dynamic = [texts[id(runner)] for runner in instructions.runners if id(runner) in texts]
            if text := '\n'.join([*instructions.literals, *dynamic]).strip():
                named.append((_source(source), text))
        return named

    def settings_getter(
        self, model_settings: ModelSettings | None, sources: RequestSources | None = None
    ) -> Callable[[RunContext[AgentDepsT]], ModelSettings | None]:
        """Return a function that merges the layers of settings for a step, the model's first.

        Args:
            model_settings: The settings of the model.
            sources: Where the function notes what each setting comes from.

        Raises:
            UserError: They let the model call tools only, in every step.
        """
        layers = [layer for layer in (model_settings, *self.settings) if layer]
        if not layers and sources is None:
            return _no_settings
        check_tool_choice(model_settings, *self.whole_run_settings)
        if sources is not None:
            return self._noted_settings(model_settings, sources)
        copies = bool(self.chain.model_request)
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
        self, model_settings: ModelSettings | None, sources: RequestSources
    ) -> Callable[[RunContext[AgentDepsT]], ModelSettings | None]:
        layers = [*zip(('model', *self.settings_from), (model_settings, *self.settings))]

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


@dataclass
class _Parts(Generic[AgentDepsT]):
    """The parts of a plan, while capabilities add to them."""

    toolsets: list[AbstractToolset[AgentDepsT]]
    instructions: Instructions[AgentDepsT]
    settings: list[SettingsLayer[AgentDepsT]]
    native_tools: list[AgentNativeTool[AgentDepsT]]
    replaced: Collection[str]
    """The parts that `Agent.override` replaces, which capabilities therefore do not add to."""
    settings_from: list[Source] = field(default_factory=lambda: ['agent'])
    """The part of the agent that each layer of settings comes from."""
    instructions_from: list[tuple[Source, Instructions[AgentDepsT]]] = field(default_factory=lambda: [])
    """The instructions by the part of the agent that they come from."""
    deferred: catalog.DeferredCapabilities | None = None
    """The capabilities that the model has to load, if there are any."""

    def add_all(self, named: Mapping[str, AbstractCapability[AgentDepsT]]) -> None:
        """Add what capabilities contribute; for deferred ones, in the form that waits until they are loaded.

        Args:
            named: The capabilities by id.
        """
        deferred = {name: capability for name, capability in named.items() if capability.defer_loading}
        if deferred:
            self.deferred = catalog.DeferredCapabilities(texts_in_order, deferred)
            if 'instructions' not in self.replaced:
                names = Instructions[AgentDepsT](runners=[SystemPromptRunner(self.deferred.catalog())])
                self._add_instructions('the list of capabilities to load', names)
        for name, capability in named.items():
            if name in deferred:
                self._add_deferred(name, capability)
            else:
                self._add(name, capability)

    def _add(self, name: str, capability: AbstractCapability[AgentDepsT]) -> None:
        if 'toolsets' not in self.replaced and (toolset := capability.get_toolset()) is not None:
            self.toolsets.append(_capability_owned.CapabilityOwnedToolset(as_toolset(toolset), name))
        if 'instructions' not in self.replaced and (text := capability.get_instructions()) is not None:
            self._add_instructions(capability, Instructions[AgentDepsT].of(text))
        if (layer := capability.get_model_settings()) is not None:
            self._add_settings(capability, layer)
        if 'native_tools' not in self.replaced:
            self.native_tools.extend(capability.get_native_tools())

    def _add_instructions(self, source: Source, instructions: Instructions[AgentDepsT]) -> None:
        self.instructions = self.instructions + instructions
        self.instructions_from.append((source, instructions))

    def _add_settings(self, capability: AbstractCapability[AgentDepsT], layer: SettingsLayer[AgentDepsT]) -> None:
        self.settings.append(layer)
        self.settings_from.append(capability)

    def _add_deferred(self, name: str, capability: AbstractCapability[AgentDepsT]) -> None:
        if 'toolsets' not in self.replaced and (toolset := capability.get_toolset()) is not None:
            deferred_toolsets.add_deferred(self.toolsets, as_toolset(toolset), name)
        if (layer := capability.get_model_settings()) is not None:
            self._add_settings(capability, loading.deferred_settings(layer, name))
        if 'native_tools' not in self.replaced:
            self.native_tools.extend(loading.deferred_native_tool(tool, name) for tool in capability.get_native_tools())


def build_plan(
    *,
    toolsets: Sequence[AbstractToolset[AgentDepsT]],
    output_schema: OutputSchema[Any],
    output_validators: list[OutputValidator[AgentDepsT, Any]],
    instructions: Instructions[AgentDepsT],
    run_instructions: object,
    settings: tuple[SettingsLayer[AgentDepsT], SettingsLayer[AgentDepsT]],
    native_tools: Sequence[AgentNativeTool[AgentDepsT]],
    capabilities: Sequence[AbstractCapability[AgentDepsT]],
    replaced: Collection[str],
) -> RunPlan[AgentDepsT]:
    """Compile the static parts of runs.

    Args:
        toolsets: Toolsets of the agent and of the run, the one with the agent's own tools first.
        output_schema: How the output is asked for.
        output_validators: Validators of the output.
        instructions: Instructions of the agent.
        run_instructions: Instructions of the run, which follow those of capabilities.
        settings: Settings of the agent and of the run.
        native_tools: Tools that the provider runs.
        capabilities: Leaf capabilities in the order of the chain.
        replaced: The parts that `Agent.override` replaces, so that capabilities do not add to them: `'instructions'`,
            `'toolsets'`, `'native_tools'`.

    Raises:
        UserError: A capability returns something that is not a toolset or not instructions.
    """
    root = CombinedCapability(list(capabilities))
    chain = root.chain
    agent_settings, run_settings = settings
    named = capability_ids(capabilities)
    parts = _Parts[AgentDepsT](list(toolsets), instructions, [agent_settings], list(native_tools), replaced)
    parts.instructions_from.append(('agent', instructions))
    parts.add_all(named)
    of_run = Instructions[AgentDepsT].of(run_instructions)
    combined: AbstractToolset[AgentDepsT] = (
        parts.toolsets[0]
        if len(parts.toolsets) == 1 and not _combined_is_watched()
        else all_toolsets.CombinedToolset(parts.toolsets)
    )
    if chain.prepare_tools:
        combined = all_toolsets.PreparedToolset(combined, chain.run_prepare_tools)
    for name, capability in reversed(named.items()):
        if not overrides(capability, 'get_wrapper_toolset'):
            continue
        if capability.defer_loading:
            combined = wrappers.DeferredWrapper(combined, capability, name)
        elif chain.watchers:
            combined = _selected.wrapped_by(capability, combined, chain.watched_wrapper)
        else:
            combined = _selected.wrapped_by(capability, combined)
    if parts.deferred is not None:
        combined = loading.CapabilityLoaderToolset(combined, parts.deferred)
    if not any(isinstance(capability, all_capabilities.ToolSearch) for capability in capabilities):
        combined = ToolSearchToolset(combined)
    toolset = combined
    if output_schema.toolset is not None:
        output_toolset: AbstractToolset[AgentDepsT] = output_schema.toolset
        output_schema.toolset.output_validators = output_validators
        if chain.prepare_output_tools:
            output_toolset = all_toolsets.PreparedToolset(
                output_toolset, _prepare_output_tools(chain, output_schema.toolset)
            )
        toolset = all_toolsets.CombinedToolset([output_toolset, combined])
    return RunPlan(
        toolset=toolset,
        output_schema=output_schema,
        output_validators=output_validators,
        instructions=parts.instructions + of_run,
        settings=[*parts.settings, run_settings],
        settings_from=[*parts.settings_from, 'run'],
        instructions_from=[*parts.instructions_from, ('run', of_run)],
        whole_run_settings=settings,
        native_tools=parts.native_tools,
        root_capability=root,
        capabilities=named,
    )


def _prepare_output_tools(chain: HookChain, outputs: OutputToolset[Any]) -> ToolsPrepareFunc[Any]:
    """Return the function that runs the hooks for output tools; they see how many times the output may be retried."""

    async def prepare(ctx: RunContext[Any], tool_defs: list[ToolDefinition]) -> list[ToolDefinition]:
        return await chain.run_prepare_output_tools(ctx.fork(max_retries=outputs.max_retries), tool_defs)

    return prepare
