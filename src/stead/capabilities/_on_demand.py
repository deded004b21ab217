"""Deferred capabilities: what the model sees of them before it loads them, and how it loads them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from operator import is_not
from typing import Any, cast

from pydantic import TypeAdapter

from .._contracts.capability import AbstractCapability
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.tool_definition import ToolDefinition
from .._contracts.toolset import AbstractToolset, ToolsetTool
from ..exceptions import ModelRetry, UserError
from ..messages import InstructionPart
from ..messages._typed_parts import LoadCapabilityArgs, LoadCapabilityReturnContent
from ..tools import AgentNativeTool
from ..toolsets import CombinedToolset, FunctionToolset, WrapperToolset
from ..toolsets._copies import changed
from ._owned import CapabilityOwnedToolset

LOAD_CAPABILITY_NAME = 'load_capability'
_TOOL_DESCRIPTION = 'Load a capability to access its full instructions and tools.'
_CATALOG = 'The following capabilities are deferred and can be loaded using the `load_capability` tool:'
_SCHEMA = {
    'description': 'Typed arguments for a `load_capability` tool call.',
    'properties': {'id': {'description': 'The id of the capability to load.', 'title': 'Id', 'type': 'string'}},
    'required': ['id'],
    'title': 'LoadCapabilityArgs',
    'type': 'object',
}
_validator: Any = TypeAdapter(LoadCapabilityArgs).validator
TextSource = Callable[[RunContext[Any]], Any]
"""Makes a text for a step: a coroutine function of the run context."""


def _no_texts(source: Any) -> list[str | TextSource]:
    return []


@dataclass
class OnDemand:
    """The deferred capabilities of a run, and what the model reads of them before and after it loads them."""

    texts_of: Callable[[Any], list[str | TextSource]] = _no_texts
    """Takes instructions and descriptions apart into texts and functions that make them."""
    capabilities: dict[str, AbstractCapability[Any]] = field(default_factory=lambda: {})

    def catalog(self) -> TextSource:
        """Return what makes the list of all of them, for the instructions of each step."""
        entries: list[str | tuple[str, TextSource]] = []
        for name, capability in self.capabilities.items():
            for source in self.texts_of(capability.get_description()) or ('',):
                entries.append(_entry(name, source) if isinstance(source, str) else (name, source))
        if all(isinstance(entry, str) for entry in entries):
            fixed = '\n'.join((_CATALOG, *cast('list[str]', entries)))

            async def deferred_capabilities(ctx: RunContext[Any]) -> str:
                return fixed

            return deferred_capabilities

        async def described_capabilities(ctx: RunContext[Any]) -> str:
            lines = [
                entry if isinstance(entry, str) else _entry(entry[0], await entry[1](ctx) or '') for entry in entries
            ]
            return '\n'.join((_CATALOG, *lines))

        return described_capabilities

    async def load(self, name: str, ctx: RunContext[Any]) -> LoadCapabilityReturnContent:
        """Load a capability.

        Args:
            name: Its id.
            ctx: The context of the call.

        Raises:
            ModelRetry: There is no such capability, or it is loaded already.
        """
        if name in ctx.available_capability_ids and name in ctx.capabilities:
            raise ModelRetry(
                f'Capability {name!r} is already available. Use its existing instructions and tools; do not call '
                '`load_capability` for it again.'
            )
        if name not in self.capabilities:
            known = ', '.join(repr(other) for other in self.capabilities if other not in ctx.loaded_capability_ids)
            hint = f' Capabilities that can be loaded: {known}.' if known else ''
            raise ModelRetry(f'No capability found with id {name!r}.{hint}')
        sources = self.texts_of(self.capabilities[name].get_instructions())
        texts = [source if isinstance(source, str) else await source(ctx) for source in sources]
        texts += await self._toolset_texts(name, ctx)
        text = '\n\n'.join(stripped for text in texts if text and (stripped := text.strip()))
        ctx.loaded_capability_ids.add(name)
        return LoadCapabilityReturnContent(instructions=text) if text else LoadCapabilityReturnContent()

    async def _toolset_texts(self, name: str, ctx: RunContext[Any]) -> list[str | None]:
        if ctx.tool_manager is None:
            return []
        search = _MembersOf(name)
        ctx.tool_manager.toolset.apply(search)
        texts: list[str | None] = []
        for toolset in search.found:
            said = await toolset.get_instructions(ctx)
            for item in [said] if isinstance(said, (str, InstructionPart)) else said or ():
                texts.append(item.content if isinstance(item, InstructionPart) else item)
        return texts


def _entry(name: str, text: str) -> str:
    return f'- {name}: {text}' if text else f'- {name}'


class _MembersOf:
    """A visitor that finds the toolsets of a deferred capability; they know it, and do not pass it on."""

    def __init__(self, capability_id: str) -> None:
        self.capability_id = capability_id
        self.found: list[AbstractToolset[Any]] = []

    def __call__(self, toolset: AbstractToolset[Any]) -> None:
        """Pass over toolsets that belong to nobody."""


def _owned_definition(definition: ToolDefinition, capability_id: str) -> ToolDefinition:
    """Return a definition of a tool that is hidden, and belongs to a capability."""
    return changed(definition, defer_loading=True, capability_id=definition.capability_id or capability_id)


@dataclass
class DeferredToolset(CapabilityOwnedToolset[AgentDepsT]):
    """The tools of a deferred capability: hidden, and with instructions that come with loading it."""

    def change(self, definition: ToolDefinition) -> ToolDefinition:
        """Return a definition that is hidden, and says whose the tool is."""
        return _owned_definition(definition, self.capability_id)

    @property
    def has_instructions(self) -> bool:
        """They are not for every request."""
        return False

    async def get_instructions(self, ctx: RunContext[AgentDepsT]) -> None:
        """Return nothing: the model reads them when it loads the capability."""

    def apply(self, visitor: Callable[[AbstractToolset[AgentDepsT]], None]) -> None:
        """Call a visitor on the leaves of the wrapped toolset."""
        if isinstance(visitor, _MembersOf):
            if visitor.capability_id == self.capability_id:
                visitor.found.append(self.wrapped)
        else:
            self.wrapped.apply(visitor)


class DeferredFunctions(AbstractToolset[AgentDepsT]):
    """The functions of many deferred capabilities, listed once: hundreds of them cost a step nothing.

    Whether any of them has got another function is looked up when a run starts, not at every step of it.
    """

    def __init__(self, members: dict[str, FunctionToolset[AgentDepsT]] | None = None) -> None:
        """Hold toolsets by the ids of their capabilities."""
        self.members = members or {}
        self._seen: list[Any] | None = None
        self._changes = 0
        self._is_fixed = True
        self._listings: dict[tuple[Hashable, int], dict[str, ToolsetTool[AgentDepsT]]] = {}

    @property
    def id(self) -> str | None:
        """It has no id of its own."""
        return None

    @property
    def label(self) -> str:
        """The name of the toolset in error messages."""
        return f'the deferred capabilities {sorted(self.members)}'

    @property
    def tools_version(self) -> Hashable | None:
        """Changes with the functions that there were when the last run started."""
        if self._seen is None:
            self._look()
        return (id(self), self._changes) if self._is_fixed else None

    def _look(self) -> None:
        functions = [*chain.from_iterable([member.tools.values() for member in self.members.values()])]
        seen = self._seen
        if seen is None or len(seen) != len(functions) or any(map(is_not, seen, functions)):
            self._seen = functions
            self._changes += 1
            self._is_fixed = all(member.tools_version is not None for member in self.members.values())
            self._listings = {}

    async def for_run(self, ctx: RunContext[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """Look whether functions were added, and return this toolset."""
        self._look()
        return self

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the functions, hidden and marked with the capability they belong to.

        Raises:
            UserError: Two of them have one name.
        """
        key = (self.tools_version, ctx.max_retries)
        if key[0] is not None and key in self._listings:
            return self._listings[key]
        tools: dict[str, ToolsetTool[AgentDepsT]] = {}
        for name, member in self.members.items():
            for tool_name, tool in (await member.get_tools(ctx)).items():
                if (other := tools.get(tool_name)) is not None:
                    raise UserError(
                        f'Two tools have the name {tool_name!r}: one of the capability {other.tool_def.capability_id!r}, '
                        f'and one of {name!r}. {member.tool_name_conflict_hint}'
                    )
                tools[tool_name] = changed(tool, tool_def=_owned_definition(tool.tool_def, name))
        if key[0] is not None:
            self._listings = {key: tools}
        return tools

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[AgentDepsT], tool: ToolsetTool[AgentDepsT]
    ) -> Any:
        """Call the function."""
        return await tool.toolset.call_tool(name, tool_args, ctx, tool)

    def apply(self, visitor: Callable[[AbstractToolset[AgentDepsT]], None]) -> None:
        """Call a visitor on every member."""
        if isinstance(visitor, _MembersOf):
            if visitor.capability_id in self.members:
                visitor.found.append(self.members[visitor.capability_id])
            return
        for member in self.members.values():
            visitor(member)

    def visit_and_replace(
        self, visitor: Callable[[AbstractToolset[AgentDepsT]], AbstractToolset[AgentDepsT]]
    ) -> AbstractToolset[AgentDepsT]:
        """Return the members as the visitor leaves them."""
        made = {name: visitor(member) for name, member in self.members.items()}
        if all(type(member) is FunctionToolset for member in made.values()):
            return DeferredFunctions(cast(Any, made))
        return CombinedToolset([DeferredToolset(member, name) for name, member in made.items()])


def add_deferred(toolsets: list[AbstractToolset[Any]], toolset: AbstractToolset[Any], name: str) -> None:
    """Add the toolset of a deferred capability to others."""
    if type(toolset) is not FunctionToolset:
        toolsets.append(DeferredToolset(toolset, name))
        return
    last = next((one for one in reversed(toolsets) if isinstance(one, (DeferredFunctions, DeferredToolset))), None)
    if not isinstance(last, DeferredFunctions):  # tools keep the order of their capabilities
        last = DeferredFunctions[Any]()
        toolsets.append(last)
    last.members[name] = toolset


@dataclass(kw_only=True)
class _LoadTool(ToolsetTool[AgentDepsT]):
    """The tool that loads capabilities."""

    plain_copies = True


@dataclass
class CapabilityLoaderToolset(WrapperToolset[AgentDepsT]):
    """The tools of another toolset, and before them the one that loads deferred capabilities."""

    on_demand: OnDemand
    """The deferred capabilities."""

    @property
    def tools_version(self) -> Hashable | None:
        """As of the wrapped toolset."""
        return self.wrapped.tools_version

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools.

        Raises:
            UserError: A tool has the name of the one that loads capabilities.
        """
        tools = await self.wrapped.get_tools(ctx)
        if (other := tools.get(LOAD_CAPABILITY_NAME)) is not None:
            raise UserError(
                f'The tool name {LOAD_CAPABILITY_NAME!r} is reserved while there are deferred capabilities, but '
                f'{other.toolset.label} has a tool of that name. Rename it.'
            )
        definition = ToolDefinition(
            name=LOAD_CAPABILITY_NAME,
            description=_TOOL_DESCRIPTION,
            parameters_json_schema=_SCHEMA,
            tool_kind='capability-load',
        )
        load = _LoadTool(toolset=self, tool_def=definition, max_retries=1, args_validator=_validator)
        return {LOAD_CAPABILITY_NAME: load, **tools}

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[AgentDepsT], tool: ToolsetTool[AgentDepsT]
    ) -> Any:
        """Load a capability, or call the tool of the wrapped toolset.

        Raises:
            ModelRetry: There is no such capability, or it is loaded already.
        """
        if isinstance(tool, _LoadTool):
            return await self.on_demand.load(tool_args['id'], ctx)
        return await self.wrapped.call_tool(name, tool_args, ctx, tool)


@dataclass
class _Inside(WrapperToolset[AgentDepsT]):
    """What the wrapper of a deferred capability was given: the tools as they are while it is not loaded."""

    key: object = field(default_factory=object)

    def apply(self, visitor: Callable[[AbstractToolset[AgentDepsT]], None]) -> None:
        if isinstance(visitor, _FindInside):
            if visitor.key is self.key:
                visitor.found = self
                return
        self.wrapped.apply(visitor)


class _FindInside:
    """A visitor that finds what the wrapper of a deferred capability was given."""

    def __init__(self, key: object) -> None:
        self.key = key
        self.found: _Inside[Any] | None = None

    def __call__(self, toolset: AbstractToolset[Any]) -> None:
        """Pass over leaves."""


@dataclass
class DeferredWrapper(WrapperToolset[AgentDepsT]):
    """Tools that a deferred capability wraps when a run begins; its wrapper may keep the state of one run."""

    capability: AbstractCapability[AgentDepsT]
    capability_id: str

    async def for_run(self, ctx: RunContext[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """Return the toolset with the wrapper around it, not in force yet."""
        key = object()
        made = self.capability.get_wrapper_toolset(_Inside(self.wrapped, key))
        if made is None:
            return await self.wrapped.for_run(ctx)
        return await _WrappedOnDemand(made, self.capability_id, key).for_run(ctx)


@dataclass
class _WrappedOnDemand(WrapperToolset[AgentDepsT]):
    """Tools with the wrapper of a deferred capability around them, which does nothing until the capability is loaded."""

    capability_id: str
    key: object = field(repr=False)
    live: bool = False
    """Whether the capability was loaded when the step began."""

    def _active(self, live: bool | None = None) -> AbstractToolset[AgentDepsT]:
        if self.live if live is None else live:
            return self.wrapped
        search = _FindInside(self.key)
        self.wrapped.apply(search)
        return self.wrapped if search.found is None else search.found.wrapped

    @property
    def tools_version(self) -> Hashable | None:
        """As of the toolset in force."""
        version = self._active().tools_version
        return None if version is None else (self.live, version)

    @property
    def has_instructions(self) -> bool:
        """Whether there are any, loaded or not."""
        return self.wrapped.has_instructions

    async def for_run_step(self, ctx: RunContext[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """Return this toolset with the wrapper in force if the capability is loaded."""
        wrapped = await self.wrapped.for_run_step(ctx)
        live = self.capability_id in ctx.loaded_capability_ids
        return self if live == self.live and wrapped is self.wrapped else replace(self, wrapped=wrapped, live=live)

    async def get_instructions(
        self, ctx: RunContext[AgentDepsT]
    ) -> str | InstructionPart | Sequence[str | InstructionPart] | None:
        """Return the instructions of the toolset in force."""
        live = self.capability_id in ctx.loaded_capability_ids  # those of a run are asked at all of its steps
        return await self._active(live).get_instructions(ctx)

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools of the toolset in force."""
        return await self._active().get_tools(ctx)

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[AgentDepsT], tool: ToolsetTool[AgentDepsT]
    ) -> Any:
        """Call the tool of the toolset in force."""
        return await self._active().call_tool(name, tool_args, ctx, tool)


def deferred_settings(layer: Any, name: str) -> Callable[[RunContext[Any]], Any]:
    """Return a layer of settings that is empty until a capability is loaded."""

    def evaluate(ctx: RunContext[Any]) -> Any:
        if name not in ctx.loaded_capability_ids:
            return None
        return layer(ctx) if callable(layer) else layer

    return evaluate


def deferred_native_tool(tool: AgentNativeTool[Any], name: str) -> Callable[[RunContext[Any]], Any]:
    """Return a native tool that is left out until a capability is loaded."""

    def evaluate(ctx: RunContext[Any]) -> Any:
        if name not in ctx.loaded_capability_ids:
            return None
        return tool(ctx) if callable(tool) else tool

    return evaluate
