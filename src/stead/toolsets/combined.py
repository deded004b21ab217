"""`CombinedToolset`: several toolsets as one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any, ClassVar, cast

from typing_extensions import Self

from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.toolset import AbstractToolset, ToolsetTool
from .._kit.aio import gather
from ..exceptions import UserError
from ..messages import InstructionPart
from ._copies import remade
from ._lifecycle import answering, in_use
from .function import FunctionToolset


@dataclass(kw_only=True)
class CombinedToolsetTool(ToolsetTool[AgentDepsT]):
    """A tool of a combination, and where it comes from."""

    plain_copies = True
    source_toolset: AbstractToolset[AgentDepsT]
    """The toolset that listed it."""
    source_tool: ToolsetTool[AgentDepsT]
    """The tool as that toolset listed it."""


@dataclass
class CombinedToolset(AbstractToolset[AgentDepsT]):
    """The tools of several toolsets. Those are entered in order, and exited in the reverse order."""

    toolsets: Sequence[AbstractToolset[AgentDepsT]]
    """The toolsets."""
    _open: dict[asyncio.AbstractEventLoop, list[tuple[asyncio.Task[Any] | None, AsyncExitStack]]] = field(
        default_factory=lambda: {}, init=False, repr=False, compare=False
    )
    enters_others: ClassVar[bool] = True
    """Entering it is nothing but entering toolsets that others may be using too."""

    @property
    def id(self) -> str | None:
        """A combination has no id of its own."""
        return None

    @property
    def label(self) -> str:
        """The name of the toolset in error messages."""
        return f'{type(self).__name__}({", ".join(toolset.label for toolset in self.toolsets)})'

    @property
    def tools_version(self) -> Hashable | None:
        """Those of all toolsets together, if each of them has one."""
        if type(self).get_tools is not CombinedToolset.get_tools:
            return None
        versions = [toolset.tools_version for toolset in self.toolsets]
        return None if None in versions else (id(self), *versions)

    @property
    def has_instructions(self) -> bool:
        """Whether any of the toolsets has instructions."""
        return any(toolset.has_instructions for toolset in self.toolsets)

    async def for_run(self, ctx: RunContext[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """Return a combination of what the toolsets return."""
        return await self._with_new('for_run', ctx)

    async def for_run_step(self, ctx: RunContext[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """Return a combination of what the toolsets return."""
        return await self._with_new('for_run_step', ctx)

    async def _with_new(self, method: str, ctx: RunContext[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        asked = [toolset for toolset in self.toolsets if _does_more(toolset, method)]
        if not asked:
            return self
        made = {id(old): new for old, new in zip(asked, await _ask(asked, method, ctx))}
        toolsets = [made.get(id(toolset), toolset) for toolset in self.toolsets]
        if all(new is old for new, old in zip(toolsets, self.toolsets)):
            return self
        return remade(self, toolsets=toolsets)

    async def __aenter__(self) -> Self:
        uses = [use for toolset in self.toolsets if (use := in_use(toolset)) is not None]
        if uses:
            async with AsyncExitStack() as stack:
                for use in uses:
                    await stack.enter_async_context(use)
                opened = asyncio.current_task(), stack.pop_all()
                self._open.setdefault(asyncio.get_running_loop(), []).append(opened)
        return self

    async def __aexit__(self, *args: Any) -> bool | None:
        loop = asyncio.get_running_loop()
        if opened := self._open.get(loop):
            # Runs at once have entered the same toolsets, so any could exit for another; but each has set variables.
            task = asyncio.current_task()
            mine = next((pair for pair in reversed(opened) if pair[0] is task), opened[-1])
            opened.remove(mine)
            if not opened:
                del self._open[loop]
            await mine[1].aclose()
        return None

    async def get_instructions(self, ctx: RunContext[AgentDepsT]) -> list[str | InstructionPart] | None:
        """Return the instructions of all toolsets."""
        asked = [toolset for toolset in self.toolsets if toolset.has_instructions]
        answers = await _ask(asked, 'get_instructions', ctx, quick=all(_says_only_text(one) for one in asked))
        found: list[str | InstructionPart] = []
        for said in answers:
            if isinstance(said, (str, InstructionPart)):
                found.append(said)
            elif said:
                found.extend(said)
        return found or None

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools of all toolsets.

        Raises:
            UserError: Two tools have one name, or a toolset lists a tool under another name than that of its definition.
        """
        quick = sum(toolset.tools_version is None for toolset in self.toolsets) < 2
        listings: list[dict[str, ToolsetTool[AgentDepsT]]] = await _ask(self.toolsets, 'get_tools', ctx, quick=quick)
        tools: dict[str, ToolsetTool[AgentDepsT]] = {}
        for toolset, listing in zip(self.toolsets, listings):
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

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[AgentDepsT], tool: ToolsetTool[AgentDepsT]
    ) -> Any:
        """Call the tool through the toolset it came from.

        Raises:
            UserError: None of the toolsets has such a tool.
        """
        if not isinstance(tool, CombinedToolsetTool):  # a wrapper made a `ToolsetTool` of its own
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
        return remade(self, toolsets=[toolset.visit_and_replace(visitor) for toolset in self.toolsets])


async def _ask(
    toolsets: Sequence[AbstractToolset[Any]], method: str, ctx: RunContext[Any], *, quick: bool = False
) -> list[Any]:
    """Ask several toolsets at once, as each may have to ask a server. For quick answers that is not worth the tasks."""
    if quick or len(toolsets) < 2:
        return [await getattr(toolset, method)(ctx) for toolset in toolsets]
    return await gather(*(getattr(toolset, method)(ctx) for toolset in toolsets))


def _does_more(toolset: AbstractToolset[Any], method: str) -> bool:
    """Return whether a method of a toolset, or of those it is passed on to, does more than that of the interface."""
    toolset = answering(toolset, method)
    own = getattr(type(toolset), method)
    if own is getattr(CombinedToolset, method):
        return any(_does_more(one, method) for one in cast('CombinedToolset[Any]', toolset).toolsets)
    return own is not getattr(AbstractToolset, method)


def _says_only_text(toolset: AbstractToolset[Any]) -> bool:
    toolset = answering(toolset, 'get_instructions')
    return isinstance(toolset, FunctionToolset) and cast('FunctionToolset[Any]', toolset).says_only_text


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
