"""`WrapperToolset`: the base class of toolsets that change one thing about another."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from typing_extensions import Self

from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.toolset import AbstractToolset, ToolsetTool
from ..exceptions import UserError
from ..messages import InstructionPart
from ._copies import remade


@dataclass
class WrapperToolset(AbstractToolset[AgentDepsT]):
    """A toolset that passes everything on to another; override what is to be different."""

    wrapped: AbstractToolset[AgentDepsT]
    """The other toolset."""

    static_tools: ClassVar[bool] = True
    """Whether `get_tools` lists the same tools as long as the wrapped toolset does; they are then not listed at every step.

    It is said of the `get_tools` beside it: a subclass that overrides `get_tools` is not static unless it says so, too. A
    `get_tools` that depends on the run context or on anything that changes must not say so.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for base in cls.__mro__:
            if 'static_tools' in vars(base):
                return
            if 'get_tools' in vars(base):
                cls.static_tools = False
                return

    @property
    def id(self) -> str | None:
        """A wrapper has no id of its own."""
        return None

    @property
    def label(self) -> str:
        """The name of the toolset in error messages."""
        return f'{type(self).__name__}({self.wrapped.label})'

    @property
    def tools_version(self) -> Hashable | None:
        """The wrapped toolset's, unless `get_tools` is overridden: then `None`, or a version of its own if it is static."""
        if type(self).get_tools is WrapperToolset.get_tools:
            return self.wrapped.tools_version
        version = self.wrapped.tools_version if self.static_tools else None
        return None if version is None else (id(self), version)

    @property
    def has_instructions(self) -> bool:
        """The wrapped toolset's, unless `get_instructions` is overridden."""
        return self.wrapped.has_instructions or type(self).get_instructions is not WrapperToolset.get_instructions

    async def for_run(self, ctx: RunContext[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """Return this wrapper around what the wrapped toolset returns."""
        return self._around(await self.wrapped.for_run(ctx))

    async def for_run_step(self, ctx: RunContext[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """Return this wrapper around what the wrapped toolset returns."""
        return self._around(await self.wrapped.for_run_step(ctx))

    def _around(self, wrapped: AbstractToolset[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        return self if wrapped is self.wrapped else remade(self, wrapped=wrapped)

    async def __aenter__(self) -> Self:
        await self.wrapped.__aenter__()
        return self

    async def __aexit__(self, *args: Any) -> bool | None:
        return await self.wrapped.__aexit__(*args)

    async def get_instructions(
        self, ctx: RunContext[AgentDepsT]
    ) -> str | InstructionPart | Sequence[str | InstructionPart] | None:
        """Return the instructions of the wrapped toolset."""
        return await self.wrapped.get_instructions(ctx)

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools of the wrapped toolset."""
        return await self.wrapped.get_tools(ctx)

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
        return remade(self, wrapped=self.wrapped.visit_and_replace(visitor))


def check_callable(function: Any, what: str, toolset: AbstractToolset[Any]) -> None:
    """Check that what should be called can be.

    Raises:
        UserError: It cannot.
    """
    if not callable(function):
        raise UserError(f'The {what} of {toolset.label} must be a function, not {function!r}.')


@dataclass
class StaticWrapperToolset(WrapperToolset[AgentDepsT]):
    """A wrapper whose tools depend on nothing but those of the wrapped toolset, and what `depends_on` returns."""

    @property
    def tools_version(self) -> Hashable | None:
        """Made of the wrapped toolset's; `None` if a subclass overrides `get_tools` and does not say that it is static."""
        version = self.wrapped.tools_version if self.static_tools else None
        return None if version is None else (id(self), self.depends_on(), version)

    def depends_on(self) -> Hashable:
        """Return what the tools depend on besides those of the wrapped toolset; tools are listed anew when it changes."""
        return None

    def check_names(self, names: Iterable[str], tools: Mapping[str, Any]) -> None:
        """Check that tools of the wrapped toolset exist which the wrapper was told about by name.

        Raises:
            UserError: One does not exist, and the tools of the wrapped toolset are not the kind that come and go.
        """
        missing = sorted(name for name in names if name not in tools)
        if missing and self.wrapped.tools_version is not None:
            raise UserError(
                f'{self.label} refers to tools that do not exist: {missing}. {self.wrapped.label} has {sorted(tools)}.'
            )
