"""`RunPlan`: what the runs of an agent share, compiled once and used until the agent changes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
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
from .._loop.state import KeptParameters
from ..capabilities import CombinedCapability, _selected
from ..capabilities._chain import HookChain
from ..capabilities._owned import add_owned, capability_ids
from ..output import OutputSchema, OutputToolset
from ..settings import ModelSettings
from ..tools import AgentNativeTool, ToolDefinition, ToolsPrepareFunc
from . import _tracing as tracing
from ._config import AgentConfig
from ._options import RunOptions
from ._sources import Instructions, as_capabilities, as_toolset, leaves, static_blocks
from .for_all import tracing_settings

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
    def static_instructions(self) -> list[str]:
        """The blocks of instructions that are texts."""
        return static_blocks(self.instructions_from)

    @cached_property
    def has_workspaces(self) -> bool:
        """Whether a capability may have a workspace for a run."""
        return any(overrides(capability, 'get_workspace') for capability in self.capabilities.values())

    @cached_property
    def tracing(self) -> tracing.InstrumentationSettings | None:
        """The settings with which a capability traces the runs, or `None` if none does."""
        return tracing_settings(self.chain.capabilities)

    @cached_property
    def chain(self) -> HookChain:
        """The hooks of the capabilities."""
        return self.root_capability.chain


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
            add_owned(self.toolsets, as_toolset(toolset), name)
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
    config: AgentConfig[AgentDepsT, Any],
    options: RunOptions[AgentDepsT],
    output_schema: OutputSchema[Any],
    capabilities: Sequence[AbstractCapability[AgentDepsT]],
) -> RunPlan[AgentDepsT]:
    """Compile the static parts of runs.

    Args:
        config: The agent; overrides have been applied.
        options: The options of the run. The plan uses its instructions, settings and toolsets.
        output_schema: How the output is asked for.
        capabilities: Leaf capabilities in the order of the chain, those of the run among them.

    Raises:
        UserError: A capability returns something that is not a toolset or not instructions.
    """
    root = CombinedCapability(list(capabilities))
    chain = root.chain
    named = capability_ids(capabilities)
    natives = [*config.native_tools]
    if 'native_tools' in config.replaced:  # those of the agent's capabilities are replaced too, not those of the run's
        of_run = leaves(as_capabilities(options.get('capabilities') or ()))
        natives += [tool for capability in of_run for tool in capability.get_native_tools()]
    toolsets = [config.tools, *config.toolsets, *map(as_toolset, options.get('toolsets') or ())]
    parts = _Parts[AgentDepsT](toolsets, config.instructions, [config.model_settings], natives, config.replaced)
    parts.instructions_from.append(('agent', config.instructions))
    parts.add_all(named)
    run_instructions = Instructions[AgentDepsT].of(options.get('instructions'))
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
        output_schema.toolset.output_validators = config.output_validators
        if chain.prepare_output_tools:
            output_toolset = all_toolsets.PreparedToolset(
                output_toolset, _prepare_output_tools(chain, output_schema.toolset)
            )
        toolset = all_toolsets.CombinedToolset([output_toolset, combined])
    return RunPlan(
        toolset=toolset,
        output_schema=output_schema,
        output_validators=config.output_validators,
        instructions=parts.instructions + run_instructions,
        settings=[*parts.settings, options.get('model_settings')],
        settings_from=[*parts.settings_from, 'run'],
        instructions_from=[*parts.instructions_from, ('run', run_instructions)],
        native_tools=parts.native_tools,
        root_capability=root,
        capabilities=named,
    )


def _prepare_output_tools(chain: HookChain, outputs: OutputToolset[Any]) -> ToolsPrepareFunc[Any]:
    """Return the function that runs the hooks for output tools; they see how many times the output may be retried."""

    async def prepare_output_tools(ctx: RunContext[Any], tool_defs: list[ToolDefinition]) -> list[ToolDefinition]:
        return await chain.run_prepare_output_tools(ctx.fork(max_retries=outputs.max_retries), tool_defs)

    return prepare_output_tools
