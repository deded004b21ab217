"""`SetMetadataToolset` and `EffectToolset`: say something about the tools of another toolset."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, get_args

from .._contracts.call_policy import CallPolicy, Effect, Reconcile
from .._contracts.run_context import AgentDepsT
from .._contracts.tool_definition import ToolDefinition
from .._contracts.toolset import ToolsetTool
from .._kit.plain_copies import changed
from ..exceptions import UserError
from ._definitions import DefinitionsToolset
from .wrapper import Listing, WrapperToolset


@dataclass
class SetMetadataToolset(DefinitionsToolset[AgentDepsT]):
    """The tools of another toolset with metadata added."""

    metadata: dict[str, Any] = field(default_factory=lambda: {})
    """The metadata to add; it replaces metadata that tools have under the same keys."""

    def depends_on(self) -> object:
        """Return the keys of the metadata, with the ids of the values, which may have an equality of their own."""
        return [(name, id(value)) for name, value in self.metadata.items()]

    def change(self, definition: ToolDefinition) -> ToolDefinition:
        """Return the definition with the metadata added."""
        return changed(definition, metadata={**(definition.metadata or {}), **self.metadata})


@dataclass
class EffectToolset(WrapperToolset[AgentDepsT]):
    """The tools of another toolset, with what they do to the world, for those that do not say so themselves."""

    effect: Effect
    """What the tools do."""
    reconcile: Reconcile | None = None
    """Finds out whether a call was done whose end is not known."""

    def __post_init__(self) -> None:
        if self.effect not in get_args(Effect):
            raise UserError(f'`effect` of {self.label} must be one of {get_args(Effect)}, not {self.effect!r}.')

    def map_tools(self, listing: Listing[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools with their effect."""
        return {name: changed(tool, policy=self._added_to(tool.policy)) for name, tool in listing.tools.items()}

    def _added_to(self, policy: CallPolicy | None) -> CallPolicy:
        if policy is None:
            return CallPolicy(effect=self.effect, reconcile=self.reconcile)
        return replace(policy, effect=policy.effect or self.effect, reconcile=policy.reconcile or self.reconcile)
