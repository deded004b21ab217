"""`CombinedToolset`: several toolsets as one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any, ClassVar, cast

from typing_extensions import Self

from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.toolset import AbstractToolset, ToolsetTool
from .._kit.aio import gather
from ..exceptions import UserError
from ..messages import InstructionPart
from ._copies import copy_with
from .function import FunctionToolset
from .wrapper import Listing, implementing, in_use, is_static, overrides, same_objects


@dataclass(kw_only=True)
class CombinedToolsetTool(ToolsetTool[AgentDepsT]):
    """A tool of a combined toolset, with the toolset it comes from."""

    plain_copies = True
    source_toolset: AbstractToolset[AgentDepsT]
    """The toolset that listed it."""
    source_tool: ToolsetTool[AgentDepsT]
    """The tool as that toolset listed it."""


@dataclass
class CombinedToolset(AbstractToolset[AgentDepsT]):
    """The tools of several toolsets, which are entered in order and exited in reverse order."""

    toolsets: Sequence[AbstractToolset[AgentDepsT]]
    """The toolsets, in the order of their tools."""
    _open: dict[asyncio.AbstractEventLoop, list[tuple[asyncio.Task[object] | None, AsyncExitStack]]] = field(
        default_factory=lambda: {}, init=False, repr=False, compare=False
    )
    enters_others: ClassVar[bool] = True
    """Entering this only enters other toolsets, which are shared where they are used."""

    @property
    def id(self) -> str | None:
        """`None`: a combined toolset has no id of its own."""
        return None

    @property
    def label(self) -> str:
        """The name of the toolset in error messages."""
        return f'{type(self).__name__}({", ".join(toolset.label for toolset in self.toolsets)})'

    @property
    def has_instructions(self) -> bool:
        """Whether any of the toolsets has instructions."""
        return any(toolset.has_instructions for toolset in self.toolsets)

    async def for_run(self, ctx: RunContext[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """Return a combination of what the toolsets return, or `self` if they return themselves."""
        return await self._with_new('for_run', ctx)

    async def for_run_step(self, ctx: RunContext[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """Return a combination of what the toolsets return, or `self` if they return themselves."""
        return await self._with_new('for_run_step', ctx)

    async def _with_new(self, method: str, ctx: RunContext[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        overriding = [toolset for toolset in self.toolsets if overrides(toolset, method)]
        if not overriding:
            return self
        returned = {id(old): new for old, new in zip(overriding, await _call_all(overriding, method, ctx))}
        toolsets = [returned.get(id(toolset), toolset) for toolset in self.toolsets]
        if all(new is old for new, old in zip(toolsets, self.toolsets)):
            return self
        return copy_with(self, toolsets=toolsets)

    async def __aenter__(self) -> Self:
        uses = [use for toolset in self.toolsets if (use := in_use(toolset)) is not None]
        if uses:
            async with AsyncExitStack() as stack:
                for use in uses:
                    await stack.enter_async_context(use)
                opened = asyncio.current_task(), stack.pop_all()
                self._open.setdefault(asyncio.get_running_loop(), []).append(opened)
        return self

    async def __aexit__(self, *args: object) -> bool | None:
        loop = asyncio.get_running_loop()
        if opened := self._open.get(loop):
            # Concurrent runs entered the same toolsets, so any entry could be exited for any other; but context variables
            # must be reset in the task that set them.
            task = asyncio.current_task()
            mine = next((pair for pair in reversed(opened) if pair[0] is task), opened[-1])
            opened.remove(mine)
            if not opened:
                del self._open[loop]
            await mine[1].aclose()
        return None

    async def get_instructions(self, ctx: RunContext[AgentDepsT]) -> list[str | InstructionPart] | None:
        """Return the instructions of all toolsets."""
        sources = [toolset for toolset in self.toolsets if toolset.has_instructions]
        quick = all(_has_static_instructions(toolset) for toolset in sources)
        parts: list[str | InstructionPart] = []
        for instructions in await _call_all(sources, 'get_instructions', ctx, quick=quick):
            if isinstance(instructions, (str, InstructionPart)):
                parts.append(instructions)
            elif instructions:
                parts.extend(instructions)
        return parts or None

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools of all toolsets.

        Raises:
            UserError: Two tools have the same name, or a toolset lists a tool under a name that differs from its definition.
        """
        return _combined(self.toolsets, await _call_all(self.toolsets, 'get_tools', ctx, quick=self._lists_quickly()))

    async def tool_listing(self, ctx: RunContext[AgentDepsT]) -> Listing[AgentDepsT]:
        """Return the same listing as long as all toolsets do, unless `get_tools` is overridden.

        Raises:
            UserError: See `get_tools`.
        """
        members, kept = [*self.toolsets], self._last_listing
        is_known = kept is not None and same_objects(kept[0][0], members)
        quick = kept[0][2] if kept is not None and is_known else self._lists_quickly()
        listings: list[Listing[AgentDepsT]] = await _call_all(members, 'tool_listing', ctx, quick=quick)
        if kept is not None and is_known and same_objects(kept[0][1], listings):
            return kept[1]
        changing = sum(not each.is_static for each in listings)
        listing = Listing(_combined(members, [each.tools for each in listings]), not changing)
        self._last_listing = (members, listings, changing < 2), listing
        return listing

    @classmethod
    def is_watched(cls) -> bool:
        """Return whether a program has replaced `call_tool` in order to watch calls; a single toolset is combined then, too."""
        return cls.call_tool is not _CALL_TOOL

    def _lists_quickly(self) -> bool:
        """Return whether at most one of the toolsets may have to wait while it lists its tools."""
        return sum(not is_static(toolset) for toolset in self.toolsets) < 2

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[AgentDepsT], tool: ToolsetTool[AgentDepsT]
    ) -> Any:
        """Call the tool through the toolset it came from.

        Raises:
            UserError: None of the toolsets has such a tool.
        """
        if not isinstance(tool, CombinedToolsetTool):  # a wrapper has built a `ToolsetTool` of its own
            tools = await self.get_tools(ctx)
            if name not in tools:
                raise UserError(f'{self.label} has no tool {name!r}; there are {sorted(tools)}.')
            tool = tools[name]
            assert isinstance(tool, CombinedToolsetTool)
        return await tool.source_toolset.call_tool(name, tool_args, ctx, tool.source_tool)

    def apply(self, visitor: Callable[[AbstractToolset[AgentDepsT]], None]) -> None:
        """Call a visitor on the leaves of all toolsets."""
        for toolset in self.toolsets:
            toolset.apply(visitor)

    def visit_and_replace(
        self, visitor: Callable[[AbstractToolset[AgentDepsT]], AbstractToolset[AgentDepsT]]
    ) -> AbstractToolset[AgentDepsT]:
        """Return a combination of the toolsets with their leaves replaced."""
        return copy_with(self, toolsets=[toolset.visit_and_replace(visitor) for toolset in self.toolsets])


def _combined(
    toolsets: Sequence[AbstractToolset[AgentDepsT]], listings: Sequence[dict[str, ToolsetTool[AgentDepsT]]]
) -> dict[str, ToolsetTool[AgentDepsT]]:
    tools: dict[str, ToolsetTool[AgentDepsT]] = {}
    for toolset, listing in zip(toolsets, listings):
        for name, tool in listing.items():
            if name != tool.tool_def.name:
                raise UserError(
                    f'{toolset.label} lists a tool as {name!r}, but its definition has the name '
                    f'{tool.tool_def.name!r}, so calls of it would not be found. Make both the same.'
                )
            if name in tools:
                raise UserError(_conflict(name, tools[name], tool, toolset))
            tools[name] = CombinedToolsetTool(
                toolset=tool.toolset,
                tool_def=tool.tool_def,
                max_retries=tool.max_retries,
                args_validator=tool.args_validator,
                args_validator_func=tool.args_validator_func,
                policy=tool.policy,
                source_toolset=toolset,
                source_tool=tool,
            )
    return tools


async def _call_all(
    toolsets: Sequence[AbstractToolset[AgentDepsT]], method: str, ctx: RunContext[AgentDepsT], *, quick: bool = False
) -> list[Any]:
    """Call a method of several toolsets concurrently, because each may wait for a server; one by one if that is quick."""
    if quick or len(toolsets) < 2:
        return [await getattr(toolset, method)(ctx) for toolset in toolsets]
    return await gather(*(getattr(toolset, method)(ctx) for toolset in toolsets))


def _has_static_instructions(toolset: AbstractToolset[Any]) -> bool:
    toolset = implementing(toolset, 'get_instructions')
    return isinstance(toolset, FunctionToolset) and cast('FunctionToolset[Any]', toolset).has_static_instructions


def _conflict(name: str, first: ToolsetTool[Any], second: ToolsetTool[Any], second_from: AbstractToolset[Any]) -> str:
    assert isinstance(first, CombinedToolsetTool)
    first_from: AbstractToolset[Any] = first.source_toolset
    hint = second_from.tool_name_conflict_hint
    if first_from is second_from:
        return f'{first_from.label} is combined with itself, so two tools have the name {name!r}. {hint}'
    one, other = (
        tool.toolset.label if isinstance(toolset, CombinedToolset) else toolset.label
        for tool, toolset in ((first, first_from), (second, second_from))
    )
    if one == other:
        other = f'another {other} (an `id` tells toolsets apart)'
    return f'Two tools have the name {name!r}: one of {one}, and one of {other}. {hint}'


_CALL_TOOL = CombinedToolset.call_tool
