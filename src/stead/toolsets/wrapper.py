"""`WrapperToolset`: the base class of toolsets that change one aspect of another."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

from typing_extensions import Self

from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.toolset import AbstractToolset, ToolsetTool
from ..exceptions import UserError
from ..messages import InstructionPart
from ._copies import copy_with


@dataclass
class WrapperToolset(AbstractToolset[AgentDepsT]):
    """A toolset that delegates everything to another; subclasses override what is to be different."""

    wrapped: AbstractToolset[AgentDepsT]
    """The wrapped toolset."""

    static_tools: ClassVar[bool] = True
    """Whether `get_tools` lists the same tools as long as the wrapped toolset does, so that it need not run at every step.

    This describes the `get_tools` of the class that sets it: a subclass that overrides `get_tools` is not static unless it
    sets this again. Do not set it if `get_tools` depends on the run context or on anything else that changes.
    """

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        for base in cls.__mro__:
            if 'static_tools' in vars(base):
                return
            if 'get_tools' in vars(base):
                cls.static_tools = False
                return

    @property
    def id(self) -> str | None:
        """`None`: a wrapper has no id of its own."""
        return None

    @property
    def label(self) -> str:
        """The name of the toolset in error messages."""
        return f'{type(self).__name__}({self.wrapped.label})'

    @property
    def tools_version(self) -> Hashable | None:
        """The version of the wrapped toolset; if `get_tools` is overridden, a version of its own if it is static, else `None`."""
        if type(self).get_tools is WrapperToolset.get_tools:
            return self.wrapped.tools_version
        version = self.wrapped.tools_version if self.static_tools else None
        return None if version is None else (id(self), version)

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
        """Return the tools of the wrapped toolset."""
        return await self.wrapped.get_tools(ctx)

    async def shared_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools in the dict of the wrapped toolset, unless `get_tools` is overridden."""
        if type(self).get_tools is WrapperToolset.get_tools:
            return await self.wrapped.shared_tools(ctx)
        return await super().shared_tools(ctx)

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


@dataclass
class StaticWrapperToolset(WrapperToolset[AgentDepsT]):
    """A wrapper whose tools depend only on those of the wrapped toolset and on what `depends_on` returns."""

    static_tools = True

    @property
    def tools_version(self) -> Hashable | None:
        """A value that changes with the wrapped toolset and `depends_on`; `None` if `get_tools` is overridden and not static."""
        version = self.wrapped.tools_version if self.static_tools else None
        return None if version is None else (id(self), self.depends_on(), version)

    def depends_on(self) -> Hashable:
        """Return what the tools depend on besides those of the wrapped toolset; they are listed again when it changes."""
        return None

    def rewritten(self, tools: dict[str, ToolsetTool[AgentDepsT]]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools of this wrapper, made from those of the wrapped toolset, in another dict if any is different."""
        return tools

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools of the wrapped toolset as the wrapper changes them."""
        return self.rewritten(await self.wrapped.get_tools(ctx))

    async def shared_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the same dict as long as the wrapped toolset and `depends_on` do, unless `get_tools` is overridden."""
        if type(self).get_tools is not StaticWrapperToolset.get_tools:
            return await super().shared_tools(ctx)
        tools = await self.wrapped.shared_tools(ctx)
        depends_on, kept = self.depends_on(), self._last_shared
        if kept is not None and kept[0] is tools and kept[1] == depends_on:
            return kept[2]
        own = self.rewritten(tools)
        self._last_shared = tools, depends_on, own
        return own

    def check_names(self, names: Iterable[str], tools: Mapping[str, object]) -> None:
        """Check that the tools that the wrapper refers to by name exist.

        If the wrapped toolset may list other tools at other steps, any name is accepted.

        Args:
            names: The names of tools.
            tools: The tools of the wrapped toolset by name.

        Raises:
            UserError: A tool does not exist.
        """
        missing = sorted(name for name in names if name not in tools)
        if missing and self.wrapped.tools_version is not None:
            raise UserError(
                f'{self.label} refers to tools that do not exist: {missing}. {self.wrapped.label} has {sorted(tools)}.'
            )


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
    if 'delegates_to_all' in vars(home):
        return any(overrides(inner, method) for inner in cast(Any, toolset).toolsets)
    return home is not AbstractToolset
