"""`ToolSearch`: the search for deferred tools."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Union, cast

from typing_extensions import TypeAlias

from .._contracts.capability import AbstractCapability, CapabilityOrdering
from .._contracts.run_context import AnyDepsT
from .._contracts.toolset import AbstractToolset
from .._deferral.search import (
    ToolSearchFunc,
    ToolSearchLocalStrategy,
    ToolSearchNativeStrategy,
    ToolSearchStrategy,
    ToolSearchToolset,
)
from .._kit.keywords import hinted
from ..exceptions import UserError
from ..native_tools import ToolSearchTool
from ..tools import AgentNativeTool
from ._ids import id_of_level

_STRATEGIES = ('keywords', 'bm25', 'regex')
_Algorithm: TypeAlias = Union[ToolSearchLocalStrategy, ToolSearchNativeStrategy]


@hinted
@dataclass
class ToolSearch(AbstractCapability[AnyDepsT]):
    """Search for deferred tools: the native one where the provider has it, otherwise a tool `search_tools`.

    Every agent has this capability by default, and it costs nothing while no tool is deferred. Add it to choose how tools
    are searched.
    """

    id: str | None = field(default_factory=id_of_level('tool_search'), kw_only=True)
    strategy: ToolSearchStrategy[AnyDepsT] | None = None
    """How to search. `None` leaves the choice to a provider with a native search, and means `'bm25'` elsewhere. `'bm25'` and
    `'regex'` ask the provider for that algorithm, which also runs here if the provider has no native search. `'keywords'`
    and functions always run here."""
    max_results: int = 10
    """The most tools that a search which runs here returns."""
    tool_description: str | None = None
    """The description of `search_tools`."""
    parameter_description: str | None = None
    """The description of the argument of `search_tools`."""
    max_queries: int = field(default=20, kw_only=True, repr=False)
    """The most queries of a search which runs here; the model is asked to retry if it sends more."""
    max_query_length: int = field(default=500, kw_only=True, repr=False)
    """The most characters of such a query; the model is asked to retry if it sends longer ones."""
    _search_fn: ToolSearchFunc[AnyDepsT] | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        strategy: object = self.strategy
        if callable(strategy):
            self._search_fn = cast('ToolSearchFunc[AnyDepsT]', strategy)
        elif strategy is not None and strategy not in _STRATEGIES:
            raise UserError(
                f'There is no tool search strategy {strategy!r}. Use one of {", ".join(map(repr, _STRATEGIES))}, a '
                'function of the run context, the queries and the tools, or `None` to leave the choice to the provider.'
            )

    def get_ordering(self) -> CapabilityOrdering:
        """Return an ordering that places this outside all capabilities that change tools."""
        return CapabilityOrdering(position='outermost')

    def get_native_tools(self) -> Sequence[AgentNativeTool[AnyDepsT]]:
        """Return the native search of the provider, which the run leaves out while no tool is deferred."""
        if self.strategy in ('bm25', 'regex'):
            return [ToolSearchTool(strategy=cast(ToolSearchNativeStrategy, self.strategy))]
        return [ToolSearchTool(optional=True, strategy=None if self.strategy is None else 'custom')]

    def get_wrapper_toolset(self, toolset: AbstractToolset[AnyDepsT]) -> AbstractToolset[AnyDepsT]:
        """Return a toolset that hides deferred tools until a search has discovered them."""
        native = self.strategy is None or self.strategy in ('bm25', 'regex')
        return ToolSearchToolset(
            toolset,
            search_fn=self._search_fn,
            max_results=self.max_results,
            tool_description=self.tool_description,
            parameter_description=self.parameter_description,
            algorithm=cast(_Algorithm, self.strategy) if self.strategy in _STRATEGIES else 'bm25',
            replaced_by_native=native,
            max_queries=self.max_queries,
            max_query_length=self.max_query_length,
        )


__all__ = (
    'ToolSearch',
    'ToolSearchFunc',
    'ToolSearchLocalStrategy',
    'ToolSearchNativeStrategy',
    'ToolSearchStrategy',
)
