"""`RunPlan`: what is static about the runs of an agent, compiled once and used until the agent changes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, cast

from .._calls.outputs import OutputValidator
from .._contracts.capability import AbstractCapability, overrides
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.toolset import AbstractToolset
from .._deferral.catalog import DeferredCapabilities, TextSource
from .._deferral.loading import CapabilityLoaderToolset, deferred_native_tool, deferred_settings
from .._deferral.search import ToolSearchToolset
from .._deferral.toolsets import add_deferred
from .._deferral.wrappers import DeferredWrapper
from .._loop.prompts import SystemPromptRunner
from .._loop.state import KeptParameters
from ..capabilities import CombinedCapability, ToolSearch
from ..capabilities._chain import EMPTY_CHAIN, HookChain
from ..capabilities._dynamic import DynamicCapability
from ..capabilities._ordering import sort_capabilities
from ..capabilities._owned import capability_ids
from ..capabilities._wrapping import wrapped_by
from ..exceptions import UserError
from ..messages import InstructionPart
from ..output import OutputSchema
from ..settings import ModelSettings, merge_model_settings
from ..tools import AgentNativeTool
from ..toolsets import CombinedToolset, DynamicToolset, PreparedToolset
from ..toolsets._capability_owned import CapabilityOwnedToolset

InstructionsGetter = Callable[[RunContext[Any]], Awaitable['list[InstructionPart] | None']]


@dataclass
class Instructions(Generic[AgentDepsT]):
    """Instructions taken apart into literal text and functions."""

    literals: list[str] = field(default_factory=lambda: [])
    runners: list[SystemPromptRunner[AgentDepsT]] = field(default_factory=lambda: [])

    @classmethod
    def of(cls, source: Any) -> Instructions[Any]:
        """Take apart text, a function, or a sequence of these.

        Raises:
            UserError: Something in it is neither.
        """
        made = cls()
        made.add(source)
        return made

    def add(self, source: Any) -> None:
        """Add text, a function, or a sequence of these."""
        if source is None:
            return
        if isinstance(source, str):
            self.literals.append(source)
        elif callable(source):
            # Templates need no thread, as other synchronous functions do.
            self.runners.append(SystemPromptRunner(getattr(source, 'as_instructions', source)))
        elif isinstance(source, Sequence):
            for item in source:  # type: ignore[reportUnknownVariableType]
                self.add(item)
        else:
            raise UserError(
                f'Instructions must be text, a function that returns text, or a sequence of these, '
                f'not {type(source).__name__}: {source!r}.'
            )

    def __iter__(self) -> Iterator[Any]:
        """Go through texts and then functions, as packages that extend agents look at them."""
        yield from self.literals
        yield from (runner.function for runner in self.runners)

    def __add__(self, other: Instructions[AgentDepsT]) -> Instructions[AgentDepsT]:
        return Instructions([*self.literals, *other.literals], [*self.runners, *other.runners])


def texts_in_order(source: Any) -> list[str | TextSource]:
    """Return texts and the functions that make them, in the order in which they stand in instructions.

    Raises:
        UserError: Something in it is neither.
    """
    if source is None or isinstance(source, str):
        return [source] if source else []
    if isinstance(source, Sequence):
        return [text for item in cast('Sequence[Any]', source) for text in texts_in_order(item)]
    return [runner.run for runner in Instructions[Any].of(source).runners]


def normalize_instructions(source: Any) -> list[Any]:
    """Return instructions, in whatever form, as a list of texts and functions."""
    if source is None:
        return []
    if isinstance(source, str) or callable(source):
        return [source]
    return list(source)


@dataclass
class RunPlan(Generic[AgentDepsT]):
    """The compiled parts of a run."""

    toolset: AbstractToolset[AgentDepsT]
    """Function tools and output tools together."""
    output_schema: OutputSchema[Any]
    output_validators: list[OutputValidator[AgentDepsT, Any]]
    instructions: Instructions[AgentDepsT]
    settings: list[Any]
    """Layers of model settings over those of the model: the agent's, those of capabilities, the run's."""
    native_tools: list[AgentNativeTool[AgentDepsT]]
    chain: HookChain = EMPTY_CHAIN
    root_capability: AbstractCapability[AgentDepsT] | None = None
    capabilities: dict[str, AbstractCapability[AgentDepsT]] = field(default_factory=lambda: {})
    kept: KeptParameters = field(default_factory=KeptParameters)
    """Request parameters, for the runs to share."""

    def instructions_getter(self, toolset: AbstractToolset[AgentDepsT]) -> InstructionsGetter | None:
        """Return a function that makes the instructions of a step, or `None` if there never are any."""
        literal = '\n'.join(self.instructions.literals).strip()
        static = [InstructionPart(content=literal)] if literal else []
        runners = self.instructions.runners
        ask_toolset = toolset.has_instructions
        if not runners and not ask_toolset:
            if not static:
                return None

            async def fixed(ctx: RunContext[Any]) -> list[InstructionPart] | None:
                return static

            return fixed

        async def evaluated(ctx: RunContext[Any]) -> list[InstructionPart] | None:
            parts = list(static)
            for runner in runners:
                text = await runner.run(ctx)
                if text:
                    parts.append(InstructionPart(content=text, dynamic=True))
            if ask_toolset:
                parts.extend(instruction_parts(await toolset.get_instructions(ctx)))
            return InstructionPart.sorted(parts) if parts else None

        return evaluated

    def settings_getter(
        self, model_settings: ModelSettings | None
    ) -> Callable[[RunContext[Any]], ModelSettings | None]:
        """Return a function that merges the layers of settings for a step, lowest layer first."""
        layers = [layer for layer in (model_settings, *self.settings) if layer]
        copies = bool(self.chain.model_request)
        if not any(callable(layer) for layer in layers):
            merged: ModelSettings | None = None
            for layer in layers:
                merged = merge_model_settings(merged, layer)
            if copies:  # hooks may change the settings of their request, and must not change everybody's
                return lambda ctx: ModelSettings(**merged) if merged else None
            return lambda ctx: merged

        def evaluated(ctx: RunContext[Any]) -> ModelSettings | None:
            merged: ModelSettings | None = None
            for layer in layers:
                ctx.model_settings = merged
                merged = merge_model_settings(merged, cast(Any, layer)(ctx) if callable(layer) else layer)
            return merged

        return evaluated


def instruction_parts(source: Any) -> list[InstructionPart]:
    """Return what a toolset says as instruction parts; plain text counts as dynamic."""
    if source is None:
        return []
    if isinstance(source, (str, InstructionPart)):
        source = [source]
    parts = [
        item if isinstance(item, InstructionPart) else InstructionPart(content=item, dynamic=True) for item in source
    ]
    return [part for part in parts if part.content.strip()]


def leaves(capabilities: Sequence[AbstractCapability[AgentDepsT]]) -> list[AbstractCapability[AgentDepsT]]:
    """Return the leaf capabilities of some, in the order of the chain.

    Raises:
        UserError: A required capability is missing, or the order they ask for contradicts itself.
    """
    if not capabilities:
        return []
    found: list[AbstractCapability[AgentDepsT]] = []
    CombinedCapability(list(capabilities)).apply(found.append)
    return sort_capabilities(found)  # a lone one may require others, too


def as_toolset(source: Any) -> AbstractToolset[Any]:
    """Return a toolset for a toolset or a function that makes one.

    Raises:
        UserError: It is neither.
    """
    if isinstance(source, AbstractToolset):
        return source  # type: ignore[reportUnknownVariableType]
    if callable(source):
        return DynamicToolset(cast(Any, source))
    raise UserError(
        f'A toolset must be an `AbstractToolset` or a function of the run context that returns one, '
        f'not {type(source).__name__}: {source!r}. Pass plain functions as `tools`.'
    )


@dataclass
class _Parts:
    """What the parts of a run are made of, while capabilities add theirs."""

    toolsets: list[AbstractToolset[Any]]
    instructions: Instructions[Any]
    settings: list[Any]
    native_tools: list[AgentNativeTool[Any]]
    replaced: Collection[str]
    deferred: DeferredCapabilities = field(default_factory=lambda: DeferredCapabilities(texts_in_order))

    def add_all(self, named: Mapping[str, AbstractCapability[Any]]) -> None:
        """Add what capabilities contribute, by their ids; of deferred ones, what is there before they are loaded."""
        deferred = {name: capability for name, capability in named.items() if capability.defer_loading}
        self.deferred.by_id.update(deferred)
        if deferred and 'instructions' not in self.replaced:
            catalog = self.deferred.catalog()
            self.instructions = self.instructions + Instructions(runners=[SystemPromptRunner(catalog)])
        for name, capability in named.items():
            if name in deferred:
                self._add_deferred(name, capability)
            else:
                self._add(name, capability)

    def _add(self, name: str, capability: AbstractCapability[Any]) -> None:
        if 'toolsets' not in self.replaced and (made := capability.get_toolset()) is not None:
            self.toolsets.append(CapabilityOwnedToolset(as_toolset(made), name))
        if 'instructions' not in self.replaced and (text := capability.get_instructions()) is not None:
            self.instructions = self.instructions + Instructions.of(text)
        if (layer := capability.get_model_settings()) is not None:
            self.settings.append(layer)
        if 'native_tools' not in self.replaced:
            self.native_tools.extend(capability.get_native_tools())

    def _add_deferred(self, name: str, capability: AbstractCapability[Any]) -> None:
        if 'toolsets' not in self.replaced and (made := capability.get_toolset()) is not None:
            add_deferred(self.toolsets, as_toolset(made), name)
        if (layer := capability.get_model_settings()) is not None:
            self.settings.append(deferred_settings(layer, name))
        if 'native_tools' not in self.replaced:
            self.native_tools.extend(deferred_native_tool(tool, name) for tool in capability.get_native_tools())


def build_plan(
    *,
    toolsets: Sequence[AbstractToolset[Any]],
    output_schema: OutputSchema[Any],
    output_validators: list[OutputValidator[Any, Any]],
    instructions: Instructions[Any],
    run_instructions: Any,
    settings: Sequence[Any],
    native_tools: Sequence[AgentNativeTool[Any]],
    capabilities: Sequence[AbstractCapability[Any]],
    replaced: Collection[str],
) -> RunPlan[Any]:
    """Compile the parts of a run.

    Args:
        toolsets: Function toolsets, the agent's own first.
        output_schema: How the output is asked for.
        output_validators: Checks of the output.
        instructions: Instructions of the agent.
        run_instructions: Instructions of the run, which come after those of capabilities.
        settings: Settings of the agent and of the run.
        native_tools: Tools that the provider runs.
        capabilities: Leaf capabilities in the order of the chain.
        replaced: What `Agent.override` has replaced, so that capabilities do not add to it: `'instructions'`,
            `'toolsets'`, `'native_tools'`.
    """
    chain = HookChain(capabilities) if capabilities else EMPTY_CHAIN
    agent_settings, run_settings = settings
    named = capability_ids(capabilities)
    parts = _Parts(list(toolsets), instructions, [agent_settings], list(native_tools), replaced)
    parts.add_all(named)
    parts.settings.append(run_settings)
    combined: AbstractToolset[Any] = parts.toolsets[0] if len(parts.toolsets) == 1 else CombinedToolset(parts.toolsets)
    if chain.prepare_tools:
        combined = PreparedToolset(combined, chain.run_prepare_tools)
    for name, capability in reversed(named.items()):
        if not overrides(capability, 'get_wrapper_toolset'):
            continue
        if capability.defer_loading:
            combined = DeferredWrapper(combined, capability, name)
        else:
            combined = wrapped_by(capability, combined)
    if parts.deferred.by_id:
        combined = CapabilityLoaderToolset(combined, parts.deferred)
    if not any(isinstance(capability, ToolSearch) for capability in capabilities):
        combined = ToolSearchToolset(combined)
    toolset = combined
    if output_schema.toolset is not None:
        output_toolset: AbstractToolset[Any] = output_schema.toolset
        output_schema.toolset.output_validators = output_validators
        if chain.prepare_output_tools:
            output_toolset = PreparedToolset(output_toolset, chain.run_prepare_output_tools)
        toolset = CombinedToolset([output_toolset, combined])
    return RunPlan(
        toolset=toolset,
        output_schema=output_schema,
        output_validators=output_validators,
        instructions=parts.instructions + Instructions.of(run_instructions),
        settings=parts.settings,
        native_tools=parts.native_tools,
        chain=chain,
        root_capability=CombinedCapability(list(capabilities)),
        capabilities=named,
    )


def as_capabilities(sources: Sequence[Any]) -> list[AbstractCapability[Any]]:
    """Return capabilities for capabilities and functions that make one.

    Raises:
        UserError: Something is neither.
    """
    made: list[AbstractCapability[Any]] = []
    for source in sources:
        if isinstance(source, AbstractCapability):
            made.append(source)  # type: ignore[reportUnknownArgumentType]
        elif callable(source) and not isinstance(source, type):
            made.append(DynamicCapability(capability_func=cast(Any, source)))
        else:
            hint = ' Did you forget to call it?' if isinstance(source, type) else ''
            raise UserError(
                f'A capability must be an `AbstractCapability` or a function of the run context that returns one, '
                f'not {source!r}.{hint}'
            )
    return made
