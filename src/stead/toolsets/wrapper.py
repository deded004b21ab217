"""`WrapperToolset`: the base class of toolsets that change one aspect of another; and what they pass on.

A `Listing` is the tools of a toolset as a value, which is the same object as long as the tools are the same. Runs, and the
toolsets around a toolset, ask for its `tool_listing` at each step, and recognize by that object that nothing has changed. A
toolset with a `tools_version` is listed again when that changes, one without at each step. A wrapper maps the listing of the
wrapped toolset, and does so again when that is another one, or when what the wrapper depends on has changed.

A toolset that several users need open at once is entered by the first of them, and left by the last.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from operator import is_
from types import TracebackType
from typing import Any, Generic, cast

from typing_extensions import Self

from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.toolset import AbstractToolset, ToolsetTool
from .._kit.shared import Opening, Shared
from .._kit.variables import BorrowedVariables
from ..exceptions import UserError
from ..messages import InstructionPart
from ._copies import copy_with


@dataclass(eq=False)
class Listing(Generic[AgentDepsT]):
    """The tools of a toolset at a step. Nothing changes them."""

    tools: dict[str, ToolsetTool[AgentDepsT]]
    """The tools by name."""
    is_static: bool = False
    """Whether only a change of the toolset changes the tools; else they may be others at each step."""

    @staticmethod
    async def of(toolset: AbstractToolset[Any], ctx: RunContext[Any]) -> Listing[Any]:
        """Return what `get_tools` returns: the same listing as long as `tools_version` and the retries of the run are."""
        version = toolset.tools_version
        if version is None:
            return Listing({**await toolset.get_tools(ctx)})  # it may return a dict that the toolset keeps, and changes
        source, kept = (version, ctx.max_retries, id(toolset)), toolset._last_listing  # type: ignore[reportPrivateUsage]
        if kept is not None and kept[0] == source:
            return kept[1]
        listing = Listing({**await toolset.get_tools(ctx)}, is_static=True)
        toolset._last_listing = source, listing  # type: ignore[reportPrivateUsage]
        return listing


def same_objects(before: Collection[object], now: Collection[object]) -> bool:
    """Return whether two collections hold the same objects in the same order."""
    return len(before) == len(now) and all(map(is_, before, now))


@dataclass
class WrapperToolset(AbstractToolset[AgentDepsT]):
    """A toolset that delegates everything to another; subclasses override what is to be different."""

    wrapped: AbstractToolset[AgentDepsT]
    """The wrapped toolset."""

    @property
    def id(self) -> str | None:
        """`None`: a wrapper has no id of its own."""
        return None

    @property
    def label(self) -> str:
        """The name of the toolset in error messages."""
        return f'{type(self).__name__}({self.wrapped.label})'

    @property
    def has_instructions(self) -> bool:
        """Whether the wrapped toolset has instructions, or `get_instructions` is overridden."""
        return self.wrapped.has_instructions or type(self).get_instructions is not WrapperToolset.get_instructions

    async def for_run(self, ctx: RunContext[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """Return this wrapper around what the wrapped toolset returns, or `self` if that is the wrapped toolset."""
        return self._around(await self.wrapped.for_run(ctx))

    async def for_run_step(self, ctx: RunContext[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """Return this wrapper around what the wrapped toolset returns, or `self` if that is the wrapped toolset."""
        return self._around(await self.wrapped.for_run_step(ctx))

    def _around(self, wrapped: AbstractToolset[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        return self if wrapped is self.wrapped else copy_with(self, wrapped=wrapped)

    async def __aenter__(self) -> Self:
        await self.wrapped.__aenter__()
        return self

    async def __aexit__(self, *args: object) -> bool | None:
        return await self.wrapped.__aexit__(*args)

    async def get_instructions(
        self, ctx: RunContext[AgentDepsT]
    ) -> str | InstructionPart | Sequence[str | InstructionPart] | None:
        """Return the instructions of the wrapped toolset."""
        return await self.wrapped.get_instructions(ctx)

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools of the wrapped toolset as `map_tools` changes them."""
        return self.map_tools(Listing(await self.wrapped.get_tools(ctx), is_static(self.wrapped)))

    async def tool_listing(self, ctx: RunContext[AgentDepsT]) -> Listing[AgentDepsT]:
        """Return the same listing as long as the wrapped toolset and `depends_on` do, unless `get_tools` is overridden."""
        inner = await self.wrapped.tool_listing(ctx)
        source, kept = (inner, self.depends_on(), id(self)), self._last_listing
        if kept is not None and kept[0] == source:
            return kept[1]
        tools = self.map_tools(inner)
        listing = inner if tools is inner.tools else Listing(tools, inner.is_static)
        self._last_listing = source, listing
        return listing

    def map_tools(self, listing: Listing[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools of this wrapper, made from those of the wrapped toolset, in another dict if any is different."""
        return listing.tools

    def depends_on(self) -> object:
        """Return what `map_tools` depends on, apart from the listing; when that is no longer equal, the tools are mapped again.

        By default these are the fields of the dataclass. Override this if `map_tools` depends on an attribute that is
        not a field, or on an object that is changed in place.
        """
        return [getattr(self, name) for name in type(self).__dataclass_fields__]

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[AgentDepsT], tool: ToolsetTool[AgentDepsT]
    ) -> Any:
        """Call the tool of the wrapped toolset."""
        return await self.wrapped.call_tool(name, tool_args, ctx, tool)

    def apply(self, visitor: Callable[[AbstractToolset[AgentDepsT]], None]) -> None:
        """Call a visitor on the leaves of the wrapped toolset."""
        self.wrapped.apply(visitor)

    def visit_and_replace(
        self, visitor: Callable[[AbstractToolset[AgentDepsT]], AbstractToolset[AgentDepsT]]
    ) -> AbstractToolset[AgentDepsT]:
        """Return this wrapper around the wrapped toolset with its leaves replaced."""
        return copy_with(self, wrapped=self.wrapped.visit_and_replace(visitor))


def check_callable(function: object, name: str, toolset: AbstractToolset[Any]) -> None:
    """Check that an argument of a wrapper around `toolset` is a function.

    Raises:
        UserError: The argument is not callable.
    """
    if not callable(function):
        raise UserError(f'The {name} of {toolset.label} must be a function, not {function!r}.')


def check_names(toolset: WrapperToolset[Any], names: Iterable[str], listing: Listing[Any]) -> None:
    """Check that the tools that a wrapper refers to by name exist.

    If the wrapped toolset may list other tools at other steps, any name is accepted.

    Args:
        toolset: The wrapper.
        names: The names of tools.
        listing: The tools of the wrapped toolset.

    Raises:
        UserError: A tool does not exist.
    """
    missing = sorted(name for name in names if name not in listing.tools)
    if missing and listing.is_static:
        raise UserError(
            f'{toolset.label} refers to tools that do not exist: {missing}. {toolset.wrapped.label} has '
            f'{sorted(listing.tools)}.'
        )


def is_static(toolset: AbstractToolset[Any]) -> bool:
    """Return whether only a change of a toolset changes its tools, as far as that is known before they are listed."""
    toolset = implementing(toolset, 'tool_listing')
    if type(toolset).tool_listing is AbstractToolset.tool_listing:
        return toolset.tools_version is not None
    members: Sequence[AbstractToolset[Any]] | None = getattr(toolset, 'toolsets', None)
    return members is not None and all(map(is_static, members))


def implementing(toolset: AbstractToolset[Any], method: str) -> AbstractToolset[Any]:
    """Return the toolset that implements a method, inside the wrappers that only delegate it."""
    delegating = getattr(WrapperToolset, method)
    while getattr(type(toolset), method) is delegating:
        toolset = cast('WrapperToolset[Any]', toolset).wrapped
    return toolset


def overrides(toolset: AbstractToolset[Any], method: str) -> bool:
    """Return whether a toolset, or one that it delegates to, overrides a method of `AbstractToolset`."""
    toolset = implementing(toolset, method)
    home = next(base for base in type(toolset).__mro__ if method in vars(base))
    members: Sequence[AbstractToolset[Any]] | None = getattr(toolset, 'toolsets', None)
    if members is not None and 'enters_others' in vars(home):  # the methods of `CombinedToolset` itself
        return any(overrides(member, method) for member in members)
    return home is not AbstractToolset


# Entering


def in_use(toolset: AbstractToolset[Any]) -> AbstractAsyncContextManager[Any] | None:
    """Return a context manager that keeps a toolset entered, or `None` if there is nothing to enter.

    However many users a toolset has on an event loop at the same time, it is entered once: from the first to the last.
    """
    if implementing(toolset, '__aenter__') is (inner := implementing(toolset, '__aexit__')):
        toolset = inner  # the same toolset may be in use inside other wrappers
    kind = type(toolset)
    if kind.__aenter__ is AbstractToolset.__aenter__ and kind.__aexit__ is AbstractToolset.__aexit__:
        return None
    return toolset if getattr(kind, 'enters_others', False) else _Use(toolset)


_shared: Shared[object] = Shared()
"""The entered toolsets by id. The opening of each keeps it alive, so that the id stays valid."""


class _Use(AbstractAsyncContextManager[Any]):
    """One use of a toolset."""

    opening: Opening[object]
    variables: BorrowedVariables

    def __init__(self, toolset: AbstractToolset[Any]) -> None:
        self.toolset = toolset

    async def __aenter__(self) -> AbstractToolset[Any]:
        self.opening = await _shared.enter(lambda: self.toolset, id(self.toolset))
        # A toolset may set context variables for its tools while it is entered, which happens in a task of its own: set them
        # in the task of the run, too.
        self.variables = BorrowedVariables(self.opening.variables)
        return self.toolset

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.variables.reset()
        if (raised := await self.opening.leave(error)) is not None:
            raise raised


def leaves_doubt(toolset: AbstractToolset[Any]) -> bool:
    """Return whether calls may have been started by a process that died, so that a person says what they did."""
    inside: list[AbstractToolset[Any]] = [
        *getattr(toolset, 'toolsets', ()),
        *filter(None, (vars(toolset).get('wrapped'),)),
    ]
    return getattr(toolset, 'may_leave_doubt', False) or any(map(leaves_doubt, inside))
