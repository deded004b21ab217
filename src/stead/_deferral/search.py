"""`ToolSearchToolset`: the model does not see deferred tools until it has discovered them, or loaded their capability."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Union, cast

from pydantic import TypeAdapter
from typing_extensions import TypeAlias, TypedDict

from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.tool_definition import ToolDefinition
from .._contracts.toolset import AbstractToolset, ToolsetTool
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
from ..toolsets import WrapperToolset
from ..toolsets._copies import changed
from .ranking import ToolIndex

_SEARCH_TOOLS_NAME = SEARCH_TOOLS  # extension packages import it under this name

ToolSearchFunc: TypeAlias = Callable[
    [RunContext[AgentDepsT], Sequence[str], Sequence[ToolDefinition]],
    Union[Sequence[str], Awaitable[Sequence[str]]],
]
"""A search of your own: run context, queries and deferred tools in; names of tools out, the best one first."""
ToolSearchNativeStrategy: TypeAlias = Literal['bm25', 'regex']
"""Searches that some providers run themselves; elsewhere they run here."""
ToolSearchLocalStrategy: TypeAlias = Literal['keywords']
"""Searches that run here, whatever the provider has."""
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
_NOTHING_ASKED = 'Please provide at least one non-empty search query.'
_NOTHING_FOUND = 'No matching tools found. The tools you need may not be available.'


class _Arguments(TypedDict):
    queries: list[str]


_validator: Any = TypeAdapter(_Arguments).validator


@dataclass(kw_only=True)
class _Gate:
    """Refuses calls of a tool whose capability is not loaded: its hooks and instructions are not in force yet."""

    capability_id: str

    def __call__(self, ctx: RunContext[Any], **args: Any) -> None:
        raise ModelRetry(
            f'The tool {ctx.tool_name!r} is not available yet: it belongs to the capability {self.capability_id!r}. '
            f'Call `load_capability` with `id={self.capability_id!r}` first.'
        )


@dataclass
class _Corpus:
    """The tools of a listing, told apart by whether they are deferred."""

    visible: dict[str, ToolsetTool[Any]]
    sources: dict[str, ToolsetTool[Any]] = field(default_factory=lambda: {})
    """The deferred ones as the toolset lists them."""
    deferred: dict[str, ToolsetTool[Any]] = field(default_factory=lambda: {})
    """The same as they are listed until they are discovered, or their capability is loaded."""
    owners: dict[str, str] = field(default_factory=lambda: {})
    """The capability that has to be loaded for a tool, by the name of the tool; other tools are discovered by searching."""
    _index: ToolIndex | None = None

    @property
    def index(self) -> ToolIndex:
        """The tools that can be discovered, made ready on first use."""
        if self._index is None:
            self._index = ToolIndex(tool.tool_def for name, tool in self.sources.items() if name not in self.owners)
        return self._index


@dataclass(kw_only=True)
class _SearchTool(ToolsetTool[AgentDepsT]):
    """The tool that searches."""

    plain_copies = True
    corpus: _Corpus


@dataclass
class ToolSearchToolset(WrapperToolset[AgentDepsT]):
    """The tools of another toolset, the deferred ones left out until the tool `search_tools` discovers them.

    Where the model has a native tool search, they are sent to it as deferred ones. Without deferred tools, the
    other toolset is left as it is.
    """

    search_fn: ToolSearchFunc[AgentDepsT] | None = None
    """A search of your own."""
    max_results: int = 10
    """How many tools a search finds at most."""
    tool_description: str | None = None
    """The description of `search_tools`."""
    parameter_description: str | None = None
    """The description of its argument."""
    enable_fallback: bool = True
    """Whether there is a `search_tools` function at all."""
    algorithm: Literal['keywords', 'bm25', 'regex'] = 'bm25'
    """How to search without a function."""
    replaced_by_native: bool = True
    """Whether the native tool search takes the place of `search_tools` where the model has it."""

    def __post_init__(self) -> None:
        # What has been loaded and discovered in the run; `for_run_step` returns a copy for other runs and steps.
        self._state: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset())
        # Kept from run to run, as long as the wrapped toolset lists the same tools.
        self._kept: dict[str, tuple[Hashable, Any]] = {}

    @property
    def label(self) -> str:
        """That of the other toolset, which is the one that users know."""
        return self.wrapped.label

    @property
    def tools_version(self) -> Hashable | None:
        """That of the wrapped toolset, and what has been loaded and discovered."""
        version = self.wrapped.tools_version
        return None if version is None else (version, self._state)

    async def for_run(self, ctx: RunContext[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """Return this toolset, or the wrapped one if it is known that none of its tools is deferred."""
        wrapped = await self.wrapped.for_run(ctx)
        version = wrapped.tools_version
        if version is not None and self._find('nothing deferred', version):
            return wrapped
        return self._around(wrapped)

    async def for_run_step(self, ctx: RunContext[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """Return this toolset as it is with what has been loaded and discovered so far."""
        wrapped = await self.wrapped.for_run_step(ctx)
        loaded, discovered = self._state
        if loaded == ctx.loaded_capability_ids and discovered == ctx.discovered_tool_names:
            return self._around(wrapped)
        step = copy(self) if wrapped is self.wrapped else self._around(wrapped)
        step._state = (frozenset(ctx.loaded_capability_ids), frozenset(ctx.discovered_tool_names))
        return step

    def _around(self, wrapped: AbstractToolset[AgentDepsT]) -> ToolSearchToolset[AgentDepsT]:
        return self if wrapped is self.wrapped else replace(self, wrapped=wrapped)

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools: visible ones, then deferred ones, then the search.

        Raises:
            UserError: A tool has the name of the search.
        """
        version = self.wrapped.tools_version
        if version is None:
            return self._listed(await self._corpus(ctx), ctx)
        key = (version, ctx.max_retries)
        corpus = self._find('corpus', key)
        if corpus is None:
            corpus = await self._corpus(ctx)
            if not corpus.sources:
                self._keep('nothing deferred', version, True)
                return corpus.visible
            self._keep('corpus', key, corpus)
        key = (key, frozenset(ctx.loaded_capability_ids), frozenset(ctx.discovered_tool_names))
        return self._find('tools', key) or self._keep('tools', key, self._listed(corpus, ctx))

    def _find(self, what: str, key: Hashable) -> Any:
        kept = self._kept.get(what)
        return kept[1] if kept is not None and kept[0] == key else None

    def _keep(self, what: str, key: Hashable, value: Any) -> Any:
        self._kept[what] = (key, value)
        return value

    async def _corpus(self, ctx: RunContext[AgentDepsT]) -> _Corpus:
        tools = await self.wrapped.get_tools(ctx)
        deferred = {name: tool for name, tool in tools.items() if tool.tool_def.defer_loading}
        if not deferred or any(tool.tool_def.tool_kind == 'tool-search' for tool in tools.values()):
            return _Corpus(tools)
        if (other := tools.get(SEARCH_TOOLS)) is not None:
            raise UserError(
                f'The tool name {SEARCH_TOOLS!r} is reserved for tool search while there are deferred tools, but '
                f'{other.toolset.label} has a tool of that name. Rename it.'
            )
        corpus = _Corpus({name: tool for name, tool in tools.items() if name not in deferred}, deferred)
        gates: dict[str, _Gate] = {}
        for name, tool in deferred.items():
            owner = tool.tool_def.capability_id
            capability = ctx.capabilities.get(owner) if owner is not None else None
            changes: dict[str, Any] = {'tool_def': changed(tool.tool_def, with_native=NATIVE_TOOL_SEARCH)}
            if owner is not None and capability is not None and capability.defer_loading:
                corpus.owners[name] = owner
                changes['args_validator_func'] = gates.setdefault(owner, _Gate(capability_id=owner))
            corpus.deferred[name] = changed(tool, **changes)
        return corpus

    def _listed(self, corpus: _Corpus, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        if not corpus.sources:
            return corpus.visible
        loaded, discovered = ctx.loaded_capability_ids, ctx.discovered_tool_names
        tools = {**corpus.visible, **corpus.deferred}
        if loaded or discovered:
            for name, tool in corpus.sources.items():
                owner = corpus.owners.get(name)
                if name in discovered if owner is None else owner in loaded:
                    shown = changed(tool.tool_def, with_native=NATIVE_TOOL_SEARCH, defer_loading=False)
                    tools[name] = changed(tool, tool_def=shown)
        if self.enable_fallback:
            tools[SEARCH_TOOLS] = _SearchTool(
                toolset=self,
                tool_def=self._definition(),
                max_retries=1,
                args_validator=_validator,
                corpus=corpus,
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
            ModelRetry: There is nothing to look for.
            UserError: The search function returned something other than names.
        """
        if not isinstance(tool, _SearchTool):
            return await self.wrapped.call_tool(name, tool_args, ctx, tool)
        queries = [query for query in tool_args['queries'] if any(sign.isalnum() for sign in query)]
        if not queries:
            raise ModelRetry(_NOTHING_ASKED)
        corpus = tool.corpus
        candidates = {
            name: found.tool_def
            for name, found in corpus.sources.items()
            if name not in corpus.owners and name not in ctx.discovered_tool_names
        }
        if self.search_fn is not None:
            names = await self._ask(self.search_fn, ctx, queries, list(candidates.values()))
        else:
            names = corpus.index.search(self.algorithm, queries, candidates.__contains__)
        found = [name for name in dict.fromkeys(names) if name in candidates]
        matches = [
            ToolSearchMatch(name=name, description=candidates[name].description)
            for name in found[: max(self.max_results, 0)]
        ]
        content = ToolSearchReturnContent(discovered_tools=matches)
        if not matches:
            content['message'] = _NOTHING_FOUND
        return content

    @staticmethod
    async def _ask(
        function: ToolSearchFunc[Any], ctx: RunContext[Any], queries: list[str], tools: list[ToolDefinition]
    ) -> Sequence[str]:
        answer: Any = function(ctx, queries, tools)
        if inspect.isawaitable(answer):
            answer = await answer
        if isinstance(answer, str) or not isinstance(answer, Iterable):
            name = getattr(function, '__name__', repr(function))
            raise UserError(
                f'The tool search function {name!r} returned {type(answer).__name__}: {answer!r}. Return the names of the '
                'tools that were found, as a list.'
            )
        return list(cast('Iterable[str]', answer))


def parse_discovered_tools(messages: Sequence[ModelMessage]) -> set[str]:
    """Return the names of the tools that searches have discovered, by what a history holds of them."""
    returns = (ToolSearchReturnPart, NativeToolSearchReturnPart)
    return {
        match['name']
        for message in messages
        for part in message.parts
        if isinstance(part, returns)
        for match in part.discovered_tools
    }


def native_tools_with_search(
    native_tools: list[AbstractNativeTool], tools: Iterable[ToolDefinition], capabilities: Mapping[str, Any]
) -> list[AbstractNativeTool]:
    """Return native tools with the native tool search if there are deferred tools, and without it if there are none.

    Tools of deferred capabilities must not be discovered before their capability is loaded, which a search of the
    provider does not know about: it is then left to `search_tools`.
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
