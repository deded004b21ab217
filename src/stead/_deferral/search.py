"""`ToolSearchToolset`: hides deferred tools until the model has discovered them or loaded their capability."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Literal, TypeVar, Union, cast

from pydantic_core import SchemaValidator, core_schema
from typing_extensions import TypeAlias

from .._contracts.call_policy import CallPolicy
from .._contracts.run_context import AgentDepsT, CapabilityOfRun, RunContext
from .._contracts.tool_definition import ToolDefinition
from .._contracts.toolset import AbstractToolset, ToolsetTool
from .._kit.plain_copies import changed
from ..exceptions import ModelRetry, UserError
from ..messages import (
    NATIVE_TOOL_SEARCH,
    SEARCH_TOOLS,
    ModelMessage,
    NativeToolSearchReturnPart,
    ToolSearchMatch,
    ToolSearchReturnContent,
    ToolSearchReturnPart,
)
from ..native_tools import AbstractNativeTool, ToolSearchTool
from ..toolsets import Listing, WrapperToolset
from ..toolsets.wrapper import overrides
from . import ranking

_SEARCH_TOOLS_NAME = SEARCH_TOOLS  # extension packages import it under this name

_ValueT = TypeVar('_ValueT')

ToolSearchFunc: TypeAlias = Callable[
    [RunContext[AgentDepsT], Sequence[str], Sequence[ToolDefinition]],
    Union[Sequence[str], Awaitable[Sequence[str]]],
]
"""A search function of the run context, the queries and the deferred tools. It returns names of tools, the best one first."""
ToolSearchNativeStrategy: TypeAlias = Literal['bm25', 'regex']
"""Algorithms that some providers support natively; elsewhere the search runs here."""
ToolSearchLocalStrategy: TypeAlias = Literal['keywords']
"""Algorithms that always run here."""
ToolSearchStrategy: TypeAlias = Union[ToolSearchFunc[AgentDepsT], ToolSearchNativeStrategy, ToolSearchLocalStrategy]
"""How tools are searched."""

_TOOL_DESCRIPTION = (
    'There are additional tools not yet visible to you. When you need a capability not provided by your current tools, '
    'search here by providing one or more queries to discover and activate relevant tools. Each query is tokenized into '
    'words; tool names and descriptions are scored by token overlap. If no tools are found, they do not exist — do not '
    'retry.'
)
_PARAMETER_DESCRIPTION = (
    'List of search queries to match against tool names and descriptions. Use specific words likely to appear in tool '
    'names or descriptions to narrow down relevant tools. Each query is independently tokenized; matches across queries '
    'are unioned.'
)
MATCHES_ARE_DESCRIBED = True
"""Whether a result repeats the descriptions of the tools that it names; in 2.x they are only with the tools."""
_NO_QUERY = 'Please provide at least one non-empty search query.'
_TOO_MANY_QUERIES = 'Please provide at most {max_queries} search queries.'
_LONG_QUERY = 'Please provide search queries of at most {max_query_length} characters each.'
_NO_MATCH = 'No matching tools found. The tools you need may not be available.'


@cache
def _validator() -> SchemaValidator:
    queries = core_schema.list_schema(core_schema.str_schema())
    fields = {'queries': core_schema.typed_dict_field(queries)}
    return SchemaValidator(core_schema.typed_dict_schema(fields), {'title': SEARCH_TOOLS})


@dataclass(kw_only=True)
class _RequiresCapability:
    """An arguments validator that refuses calls of a tool until its capability is loaded.

    Before that, the hooks and instructions of the capability are not active.
    """

    capability_id: str

    def __call__(self, ctx: RunContext[Any], **args: object) -> None:
        raise ModelRetry(
            f'The tool {ctx.tool_name!r} is not available yet: it belongs to the capability {self.capability_id!r}. '
            f'Call `load_capability` with `id={self.capability_id!r}` first.'
        )


@dataclass
class _Split:
    """The tools of a toolset at a step, split by whether they are deferred."""

    visible: dict[str, ToolsetTool[Any]]
    """The tools that are not deferred."""
    sources: dict[str, ToolsetTool[Any]] = field(default_factory=lambda: {})
    """The deferred tools as the wrapped toolset lists them."""
    deferred: dict[str, ToolsetTool[Any]] = field(default_factory=lambda: {})
    """The deferred tools as they are listed until they are discovered or their capability is loaded."""
    owners: dict[str, str] = field(default_factory=lambda: {})
    """The capability that has to be loaded for a tool, by the name of the tool; other tools are discovered by search."""
    _index: ranking.ToolIndex | None = None

    @property
    def index(self) -> ranking.ToolIndex:
        """The index of the tools that can be discovered, built on first use."""
        if self._index is None:
            self._index = ranking.ToolIndex(
                tool.tool_def for name, tool in self.sources.items() if name not in self.owners
            )
        return self._index


@dataclass(kw_only=True)
class _SearchTool(ToolsetTool[AgentDepsT]):
    """The tool that searches a listing."""

    plain_copies = True
    listing: _Split


@dataclass
class ToolSearchToolset(WrapperToolset[AgentDepsT]):
    """The tools of another toolset. Deferred tools are hidden until the tool `search_tools` discovers them.

    If the model has a native tool search, deferred tools are sent to it as such. Without deferred tools, the wrapped
    toolset is used directly.
    """

    search_fn: ToolSearchFunc[AgentDepsT] | None = None
    """A search function to use instead of `algorithm`."""
    max_results: int = 10
    """The most tools that a search returns."""
    tool_description: str | None = None
    """The description of `search_tools`."""
    parameter_description: str | None = None
    """The description of the argument of `search_tools`."""
    enable_fallback: bool = True
    """Whether there is a tool `search_tools` at all."""
    algorithm: Literal['keywords', 'bm25', 'regex'] = 'bm25'
    """The algorithm to use without `search_fn`."""
    replaced_by_native: bool = True
    """Whether a native tool search of the model replaces `search_tools`."""
    max_queries: int = 20
    """The most queries of a search; the model is asked to retry if it sends more."""
    max_query_length: int = 500
    """The most characters of a query; the model is asked to retry if it sends longer ones."""

    def __post_init__(self) -> None:
        # The loaded capabilities and discovered tools. `for_run_step` returns a copy if they differ, because other runs may
        # use this object at the same time.
        self._state: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset())
        # Whether the wrapped toolset may be another one at each step; every run finds out.
        self._has_steps = True
        # The last listing of the wrapped toolset, and how it is split.
        self._last: tuple[Listing[Any], _Split] | None = None

    @property
    def label(self) -> str:
        """The label of the wrapped toolset, which is the one that users know."""
        return self.wrapped.label

    async def for_run(self, ctx: RunContext[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """Return this toolset, or the wrapped one if it is known that none of its tools are deferred."""
        wrapped = await self.wrapped.for_run(ctx)
        if (last := self._last) is not None and last[0].is_static and not last[1].sources:
            if await wrapped.tool_listing(ctx) is last[0]:
                return wrapped
        toolset = self._around(wrapped)
        toolset._has_steps = overrides(wrapped, 'for_run_step')
        return toolset

    async def for_run_step(self, ctx: RunContext[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """Return this toolset, or a copy if more capabilities were loaded or tools discovered."""
        wrapped = await self.wrapped.for_run_step(ctx) if self._has_steps else self.wrapped
        loaded, discovered = self._state
        if loaded == ctx.loaded_capability_ids and discovered == ctx.discovered_tool_names:
            return self if wrapped is self.wrapped else self._around(wrapped)
        step = copy(self) if wrapped is self.wrapped else self._around(wrapped)
        step._state = (frozenset(ctx.loaded_capability_ids), frozenset(ctx.discovered_tool_names))
        return step

    def _around(self, wrapped: AbstractToolset[AgentDepsT]) -> ToolSearchToolset[AgentDepsT]:
        return self if wrapped is self.wrapped else replace(self, wrapped=wrapped)

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools: those that are not deferred, then deferred ones, then `search_tools`.

        Raises:
            UserError: Another tool is named `search_tools`.
        """
        return {**self._tools_of(self._split(await self.wrapped.get_tools(ctx), ctx), ctx)}

    async def tool_listing(self, ctx: RunContext[AgentDepsT]) -> Listing[AgentDepsT]:
        """Return the listing of the wrapped toolset, or the same one as long as nothing else is loaded or discovered."""
        inner = await self.wrapped.tool_listing(ctx)
        last = self._last
        if last is None or last[0] is not inner:
            last = self._last = inner, self._split(inner.tools, ctx)
        split = last[1]
        if not split.sources:
            return inner
        source = inner, frozenset(ctx.loaded_capability_ids), frozenset(ctx.discovered_tool_names)
        kept = self._last_listing
        if kept is None or kept[0] != source:
            kept = self._last_listing = source, Listing(self._tools_of(split, ctx), inner.is_static)
        return kept[1]

    def _split(self, tools: dict[str, ToolsetTool[AgentDepsT]], ctx: RunContext[AgentDepsT]) -> _Split:
        deferred = {name: tool for name, tool in tools.items() if tool.tool_def.defer_loading}
        if not deferred or any(tool.tool_def.tool_kind == 'tool-search' for tool in tools.values()):
            return _Split(tools)
        if (other := tools.get(SEARCH_TOOLS)) is not None:
            raise UserError(
                f'The tool name {SEARCH_TOOLS!r} is reserved for tool search while there are deferred tools, but '
                f'{other.toolset.label} has a tool of that name. Rename it.'
            )
        listing = _Split({name: tool for name, tool in tools.items() if name not in deferred}, deferred)
        checks: dict[str, _RequiresCapability] = {}
        for name, tool in deferred.items():
            owner = tool.tool_def.capability_id
            capability = ctx.capabilities.get(owner) if owner is not None else None
            changes: dict[str, object] = {'tool_def': changed(tool.tool_def, with_native=NATIVE_TOOL_SEARCH)}
            if owner is not None and capability is not None and capability.defer_loading:
                listing.owners[name] = owner
                changes['args_validator_func'] = checks.setdefault(owner, _RequiresCapability(capability_id=owner))
            listing.deferred[name] = changed(tool, **changes)
        return listing

    def _tools_of(self, listing: _Split, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        if not listing.sources:
            return listing.visible
        loaded, discovered = ctx.loaded_capability_ids, ctx.discovered_tool_names
        tools = {**listing.visible, **listing.deferred}
        if loaded or discovered:
            for name, tool in listing.sources.items():
                owner = listing.owners.get(name)
                if name in discovered if owner is None else owner in loaded:
                    definition = changed(tool.tool_def, with_native=NATIVE_TOOL_SEARCH, defer_loading=False)
                    tools[name] = changed(tool, tool_def=definition)
        if self.enable_fallback:
            tools[SEARCH_TOOLS] = _SearchTool(
                toolset=self,
                tool_def=self._definition(),
                max_retries=1,
                args_validator=_validator(),
                policy=CallPolicy(effect='read'),
                listing=listing,
            )
        return tools

    def _definition(self) -> ToolDefinition:
        queries = {
            'description': self.parameter_description or _PARAMETER_DESCRIPTION,
            'items': {'type': 'string'},
            'type': 'array',
        }
        return ToolDefinition(
            name=SEARCH_TOOLS,
            description=self.tool_description or _TOOL_DESCRIPTION,
            parameters_json_schema={
                'additionalProperties': False,
                'properties': {'queries': queries},
                'required': ['queries'],
                'type': 'object',
            },
            unless_native=NATIVE_TOOL_SEARCH if self.replaced_by_native else None,
            tool_kind='tool-search',
        )

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[AgentDepsT], tool: ToolsetTool[AgentDepsT]
    ) -> Any:
        """Search, or call the tool of the wrapped toolset.

        Raises:
            ModelRetry: There is no query with a letter or digit, there are too many queries, or one is too long.
            UserError: The search function returned something other than a collection of names.
        """
        if not isinstance(tool, _SearchTool):
            return await self.wrapped.call_tool(name, tool_args, ctx, tool)
        queries = [query for query in tool_args['queries'] if any(character.isalnum() for character in query)]
        if not queries:
            raise ModelRetry(_NO_QUERY)
        if len(queries) > self.max_queries:
            raise ModelRetry(_TOO_MANY_QUERIES.format(max_queries=self.max_queries))
        if any(len(query) > self.max_query_length for query in queries):
            raise ModelRetry(_LONG_QUERY.format(max_query_length=self.max_query_length))
        listing = tool.listing
        candidates = {
            name: source.tool_def
            for name, source in listing.sources.items()
            if name not in listing.owners and name not in ctx.discovered_tool_names
        }
        if self.search_fn is not None:
            names = await self._call_search(self.search_fn, ctx, queries, list(candidates.values()))
        else:
            names = listing.index.search(self.algorithm, queries, candidates.__contains__)
        known = [name for name in dict.fromkeys(names) if name in candidates]
        matches = [
            ToolSearchMatch(name=name, description=candidates[name].description)
            if MATCHES_ARE_DESCRIBED
            else ToolSearchMatch(name=name)
            for name in known[: max(self.max_results, 0)]
        ]
        content = ToolSearchReturnContent(discovered_tools=matches)
        if not matches:
            content['message'] = _NO_MATCH
        return content

    @staticmethod
    async def _call_search(
        function: ToolSearchFunc[Any], ctx: RunContext[Any], queries: list[str], tools: list[ToolDefinition]
    ) -> Sequence[str]:
        names: object = function(ctx, queries, tools)
        if inspect.isawaitable(names):
            names = await names
        if isinstance(names, str) or not isinstance(names, Iterable):
            name = getattr(function, '__name__', repr(function))
            raise UserError(
                f'The tool search function {name!r} returned {type(names).__name__}: {names!r}. Return the names of the '
                'tools that it found, as a list.'
            )
        return list(cast('Iterable[str]', names))


def parse_discovered_tools(messages: Sequence[ModelMessage]) -> set[str]:
    """Return the names of the tools that searches have discovered according to a history."""
    returns = (ToolSearchReturnPart, NativeToolSearchReturnPart)
    return {
        match['name']
        for message in messages
        for part in message.parts
        if isinstance(part, returns)
        for match in part.discovered_tools
    }


def native_tools_with_search(
    native_tools: list[AbstractNativeTool],
    tools: Iterable[ToolDefinition],
    capabilities: Mapping[str, CapabilityOfRun],
) -> list[AbstractNativeTool]:
    """Return native tools with the native tool search if there are deferred tools, and without it otherwise.

    Tools of deferred capabilities must not be discovered before their capability is loaded, which a native search cannot
    respect. If there are any, `search_tools` runs the search.
    """
    managed = [definition for definition in tools if definition.with_native == NATIVE_TOOL_SEARCH]
    searches = [tool for tool in native_tools if isinstance(tool, ToolSearchTool)]
    if not managed and not searches:
        return native_tools
    others = [tool for tool in native_tools if not isinstance(tool, ToolSearchTool)]
    if not managed:
        return others
    search = searches[-1] if searches else ToolSearchTool(optional=True)
    owners = {definition.capability_id for definition in managed if definition.capability_id is not None}
    if any(name in capabilities and capabilities[name].defer_loading for name in owners):
        search = ToolSearchTool(optional=True, strategy='custom')
    return [search, *others]
