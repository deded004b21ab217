"""`CombinedCapability`: several capabilities as one."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, update_wrapper
from typing import Any, cast

from typing_extensions import TypeGuard

from .. import toolsets as all_toolsets, workspaces
from .._contracts.capability import AbstractCapability, HookListener, overrides
from .._contracts.hooks import CHOICES, AnyAgent, HookStep
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.toolset import AbstractToolset
from ..messages import AgentStreamEvent, WorkspaceRef
from ..settings import merge_model_settings
from ..tools import AgentNativeTool
from ..toolsets import AgentToolset
from ._chain import EMPTY_CHAIN, HookChain, context_for, steps_of
from ._choices import Choices as Choices
from ._derived import derive_hooks
from ._ordering import ordering_of, sort_capabilities, visit_leaves
from ._owned import add_owned, as_list, capability_ids


@dataclass
class CombinedCapability(AbstractCapability[AgentDepsT]):
    """Several capabilities as one, in the order that they ask for.

    Runs call its parts directly; its own methods are for code that calls capabilities itself.
    """

    capabilities: Sequence[AbstractCapability[AgentDepsT]] = field(kw_only=False)
    """The capabilities, outermost first. Combined ones among them are replaced by their parts."""

    def __post_init__(self) -> None:
        flat: list[AbstractCapability[AgentDepsT]] = []
        for capability in self.capabilities:
            flat.extend(capability.capabilities if isinstance(capability, CombinedCapability) else (capability,))
        # A single capability needs no order, and what it requires may be outside this combination.
        self.capabilities = sort_capabilities(flat) if len(flat) > 1 else flat
        if len(flat) == 1:
            ordering_of(flat[0])  # raises if its parts ask for both ends

    @cached_property
    def chain(self) -> HookChain:
        """The hooks of all capabilities."""
        return HookChain(self.capabilities) if self.capabilities else EMPTY_CHAIN

    def apply(self, visitor: Callable[[AbstractCapability[AgentDepsT]], None]) -> None:
        """Call a visitor on the leaf capabilities of all capabilities."""
        for capability in self.capabilities:
            capability.apply(visitor)

    def visit_leaves(self, visitor: Callable[[AbstractCapability[AgentDepsT]], None]) -> None:
        """Call a visitor on every capability that a run calls."""
        for capability in self.capabilities:
            visit_leaves(capability, visitor)

    def has_hook(self, name: str) -> bool:
        """Return whether any of the capabilities implements a hook."""
        return any(capability.has_hook(name) for capability in self.capabilities)

    def _hook_steps(self, name: str) -> Sequence[HookStep]:
        if overrides(self, name, CombinedCapability):
            return super()._hook_steps(name)
        leaves: list[AbstractCapability[AgentDepsT]] = []
        self.visit_leaves(leaves.append)
        # The steps of `chain` may be outdated: after a function is registered, it may be refreshed later than the chain
        # that asks for these.
        return steps_of((leaf for leaf in leaves if leaf.has_hook(name)), name)

    def _inner_steps(self, hook: str) -> Sequence[HookStep]:
        return self.chain.steps[hook]

    def announce_hooks(self, listener: HookListener) -> None:
        """Register the listener with every capability."""
        for capability in self.capabilities:
            capability.announce_hooks(listener)

    def for_agent(self, agent: AnyAgent) -> AbstractCapability[AgentDepsT]:
        """Return a combination of what the capabilities are for an agent."""
        return bind_capabilities_tier(bind_capabilities_tier(self, agent, innermost=False), agent, innermost=True)

    def visit_and_replace(
        self, visitor: Callable[[AbstractCapability[AgentDepsT]], AbstractCapability[AgentDepsT] | None]
    ) -> AbstractCapability[AgentDepsT] | None:
        """Return a combination of what a function returns for the leaves, or `None` if it leaves out all of them."""
        replaced = [capability.visit_and_replace(visitor) for capability in self.capabilities]
        return self._with([new for new in replaced if new is not None]) if any(replaced) else None

    def _with(self, capabilities: Sequence[AbstractCapability[AgentDepsT]]) -> CombinedCapability[AgentDepsT]:
        same = len(capabilities) == len(self.capabilities)
        if same and all(new is old for new, old in zip(capabilities, self.capabilities)):
            return self
        return CombinedCapability(
            capabilities, id=self.id, description=self.description, defer_loading=self.defer_loading
        )

    def listens_to(self, event: AgentStreamEvent) -> bool:
        """Return whether any of the capabilities listens to an event."""
        return any(one.has_on_event and one.listens_to(event) for one in self.capabilities)

    async def for_run(self, ctx: RunContext[AgentDepsT]) -> AbstractCapability[AgentDepsT]:
        """Return a combination of what the capabilities return, sorted again."""
        return self._with([await capability.for_run(ctx) for capability in self.capabilities])

    # Configuration

    def get_toolset(self) -> AgentToolset[AgentDepsT] | None:
        """Return the toolsets of all capabilities as one."""
        toolsets: list[AbstractToolset[AgentDepsT]] = []
        for name, capability in capability_ids(self.capabilities).items():
            if (toolset := capability.get_toolset()) is not None:
                add_owned(toolsets, toolset, name)
        return all_toolsets.CombinedToolset(toolsets) if toolsets else None

    def get_native_tools(self) -> Sequence[AgentNativeTool[AgentDepsT]]:
        """Return the native tools of all capabilities."""
        return [tool for capability in self.capabilities for tool in capability.get_native_tools()]

    def get_wrapper_toolset(self, toolset: AbstractToolset[AgentDepsT]) -> AbstractToolset[AgentDepsT] | None:
        """Return a toolset with the wrappers of all capabilities around it, that of the first capability outermost."""
        wrapped: AbstractToolset[AgentDepsT] | None = None
        for capability in reversed(self.capabilities):
            wrapped = capability.get_wrapper_toolset(toolset if wrapped is None else wrapped) or wrapped
        return wrapped

    def get_instructions(self) -> Any | None:
        """Return the instructions of all capabilities as one list."""
        instructions = [text for capability in self.capabilities for text in as_list(capability.get_instructions())]
        return instructions or None

    def get_workspace(
        self, ctx: RunContext[AgentDepsT], *, ref: WorkspaceRef | None
    ) -> workspaces.WorkspaceBackend | None:
        """Return the workspace of the first capability that has it."""
        found = (capability.get_workspace(ctx, ref=ref) for capability in self.capabilities)
        return next((workspace for workspace in found if workspace is not None), None)

    def get_model_settings(self) -> Any | None:
        """Return the settings of all capabilities merged, later ones over earlier ones.

        If any of them is a function, the result is one too, and each function sees the settings merged so far as
        `ctx.model_settings`.
        """
        layers: list[Any] = [
            layer for capability in self.capabilities if (layer := capability.get_model_settings()) is not None
        ]
        if not any(callable(layer) for layer in layers):
            merged = None
            for layer in layers:
                merged = merge_model_settings(merged, layer)
            return merged

        def resolve(ctx: RunContext[AgentDepsT]) -> Any:
            merged = None
            for layer in layers:
                so_far = merge_model_settings(ctx.model_settings, merged)
                settings: Any = layer(ctx.fork(model_settings=so_far)) if callable(layer) else layer
                merged = merge_model_settings(merged, settings)
            return merged

        return resolve


derive_hooks(CombinedCapability, context_for)


def _choice(name: str) -> Callable[..., object]:
    """Return the method that asks the parts of a combination a question, in the order in which a run asks them."""

    def choose(self: CombinedCapability[Any], *args: object, **named: object) -> object:
        choices = Choices(self.capabilities)
        if name == 'get_wrapper_model':
            wrapped = choices.wrapped(cast(Any, args[0]))
            return None if wrapped is args[0] else wrapped
        return (choices.first_later if is_async else choices.first)(name, *args, **named)

    is_async = inspect.iscoroutinefunction(getattr(AbstractCapability, name))
    return update_wrapper(choose, getattr(AbstractCapability, name))


for _name in CHOICES:
    setattr(CombinedCapability, _name, _choice(_name))


def is_deferred_group(capability: AbstractCapability[Any]) -> TypeGuard[CombinedCapability[Any]]:
    """Return whether a capability is a combination that the model loads as a whole."""
    return isinstance(capability, CombinedCapability) and capability.defer_loading


def bind_capabilities_tier(
    combined: CombinedCapability[AgentDepsT], agent: AnyAgent, *, innermost: bool
) -> CombinedCapability[AgentDepsT]:
    """Return a combination, with some of the parts as an agent has them.

    Args:
        combined: The combination.
        agent: The agent.
        innermost: Whether it is those that ask for a place inside of all others, or all but these.
    """
    tier = {id(one) for one in combined.capabilities if (ordering_of(one).position == 'innermost') is innermost}
    return combined._with([one.for_agent(agent) if id(one) in tier else one for one in combined.capabilities])


__all__ = ('CombinedCapability', 'bind_capabilities_tier', 'is_deferred_group')
