"""`ToolSearch`: how deferred tools are found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from .._contracts.capability import AbstractCapability, CapabilityOrdering
from .._contracts.run_context import AgentDepsT
from .._contracts.toolset import AbstractToolset
from .._deferral.search import (
    ToolSearchFunc,
    ToolSearchLocalStrategy,
    ToolSearchNativeStrategy,
    ToolSearchStrategy,
    ToolSearchToolset,
)
from ..exceptions import UserError
from ..native_tools import ToolSearchTool
from ..tools import AgentNativeTool

_STRATEGIES = ('keywords', 'bm25', 'regex')


@dataclass
class ToolSearch(AbstractCapability[AgentDepsT]):
    """Finds deferred tools: with the search of the provider where it has one, else with a tool `search_tools`.

    Every agent has this without being told, and pays nothing for it while no tool is deferred. Add it to choose how tools
    are searched.
    """

    strategy: ToolSearchStrategy[AgentDepsT] | None = None
    """`None` leaves the choice to the provider, and is `'bm25'` where it has no search. `'bm25'` and `'regex'` ask the
    provider for that way of searching, and search that way here where it has no search. `'keywords'` and functions search
    here, whatever the provider has."""
    max_results: int = 10
    """How many tools a search finds at most, here."""
    tool_description: str | None = None
    """The description of `search_tools`."""
    parameter_description: str | None = None
    """The description of its argument."""
    _search_fn: ToolSearchFunc[AgentDepsT] | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        strategy: Any = self.strategy
        if callable(strategy):
            self._search_fn = cast(Any, strategy)
        elif strategy is not None and strategy not in _STRATEGIES:
            raise UserError(
                f'There is no strategy {strategy!r} of searching tools. Use one of {", ".join(map(repr, _STRATEGIES))}, a '
                'function of the run context, the queries and the tools, or `None` to leave the choice to the provider.'
            )

    def get_ordering(self) -> CapabilityOrdering:
        """Return that this is outside of all capabilities that change tools."""
        return CapabilityOrdering(position='outermost')

    def get_native_tools(self) -> Sequence[AgentNativeTool[AgentDepsT]]:
        """Return the search of the provider; the run leaves it out while no tool is deferred."""
        if self.strategy in ('bm25', 'regex'):
            return [ToolSearchTool(strategy=cast(Any, self.strategy))]
        return [ToolSearchTool(optional=True, strategy=None if self.strategy is None else 'custom')]

    def get_wrapper_toolset(self, toolset: AbstractToolset[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """Return a toolset without the deferred tools of another one, and with the search."""
        native = self.strategy is None or self.strategy in ('bm25', 'regex')
        return ToolSearchToolset(
            toolset,
            search_fn=self._search_fn,
            max_results=self.max_results,
            tool_description=self.tool_description,
            parameter_description=self.parameter_description,
            algorithm=cast(Any, self.strategy) if self.strategy in _STRATEGIES else 'bm25',
            replaced_by_native=native,
        )


__all__ = (
    'ToolSearch',
    'ToolSearchFunc',
    'ToolSearchLocalStrategy',
    'ToolSearchNativeStrategy',
    'ToolSearchStrategy',
)
