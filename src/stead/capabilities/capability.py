"""`Capability`: instructions, tools and toolsets in one object, without a class of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

from typing_extensions import Self, Unpack

from .._contracts.capability import AbstractCapability, CapabilityDescription
from .._contracts.run_context import AgentDepsT
from .._kit.meant import with_hint
from .._kit.option_signatures import with_options
from ..tools import SystemPromptFunc, Tool, ToolFuncContext, ToolFuncEither, ToolFuncPlain, ToolParams
from ..toolsets import AgentToolset, CombinedToolset, FunctionToolset
from ..toolsets.function import ToolOptions
from ._owned import as_list, as_toolset


@dataclass(init=False)
class Capability(AbstractCapability[AgentDepsT]):
    """A bundle of instructions, function tools and toolsets."""

    toolsets: Sequence[AgentToolset[AgentDepsT]] = field(default=(), kw_only=True)
    """The toolsets that the capability was built with."""
    tools: Sequence[Tool[AgentDepsT] | ToolFuncEither[AgentDepsT, ...]] = field(default=(), kw_only=True)
    """The tools that the capability was built with; `tool` and `tool_plain` add more."""

    @with_hint
    def __init__(
        self,
        *,
        instructions: Any = None,
        toolsets: Sequence[AgentToolset[AgentDepsT]] | None = None,
        tools: Sequence[Tool[AgentDepsT] | ToolFuncEither[AgentDepsT, ...]] = (),
        id: str | None = None,
        description: CapabilityDescription[AgentDepsT] | None = None,
        defer_loading: bool = False,
    ) -> None:
        """Bundle instructions and tools.

        Args:
            instructions: Text, a function that returns text, or a sequence of these.
            toolsets: Toolsets, or functions of the run context that return a toolset.
            tools: Functions and `Tool` objects.
            id: A stable id; required with `defer_loading`.
            description: What the model reads before the capability is loaded: text, or a function of the run context.
            defer_loading: Whether the capability is deferred until the model loads it.

        Raises:
            UserError: No JSON schema can be generated for a function, or two tools have the same name.
        """
        self.id = id
        self.description: CapabilityDescription[AgentDepsT] | None = (
            description if isinstance(description, str) else None
        )
        self._description = description
        self.defer_loading = defer_loading
        self.toolsets = tuple(toolsets or ())
        self.tools = tools
        self._instructions = as_list(instructions)
        self._function_toolset = FunctionToolset[AgentDepsT](tools)

    @overload
    def tool(self, func: ToolFuncContext[AgentDepsT, ToolParams], /) -> ToolFuncContext[AgentDepsT, ToolParams]: ...

    @overload
    def tool(
        self, /, **options: Unpack[ToolOptions[AgentDepsT]]
    ) -> Callable[[ToolFuncContext[AgentDepsT, ToolParams]], ToolFuncContext[AgentDepsT, ToolParams]]: ...

    @with_options()
    def tool(self, func: Any = None, /, **options: Unpack[ToolOptions[AgentDepsT]]) -> Any:
        """Register a function as a tool; the function may take the run context as its first argument.

        Args:
            func: The function, if the decorator is used without arguments.
            options: As for `Agent.tool`, which lists them.

        Returns:
            The function itself, or a decorator if the method is called with options.

        Raises:
            UserError: No JSON schema can be generated for the function, or there already is a tool of that name.
        """
        register: Any = self._function_toolset.tool
        return register(func, **options)

    @overload
    def tool_plain(self, func: ToolFuncPlain[ToolParams], /) -> ToolFuncPlain[ToolParams]: ...

    @overload
    def tool_plain(
        self, /, **options: Unpack[ToolOptions[AgentDepsT]]
    ) -> Callable[[ToolFuncPlain[ToolParams]], ToolFuncPlain[ToolParams]]: ...

    @with_options()
    def tool_plain(self, func: Any = None, /, **options: Unpack[ToolOptions[AgentDepsT]]) -> Any:
        """Register a function that does not take the run context as a tool. Arguments, returns and errors: as for `tool`.

        Args:
            func: The function, if the decorator is used without arguments.
            options: As for `Agent.tool`, which lists them.
        """
        register: Any = self._function_toolset.tool_plain
        return register(func, **options)

    @overload
    def instructions(self, func: SystemPromptFunc[AgentDepsT], /) -> SystemPromptFunc[AgentDepsT]: ...

    @overload
    def instructions(
        self, func: None = None, /
    ) -> Callable[[SystemPromptFunc[AgentDepsT]], SystemPromptFunc[AgentDepsT]]: ...

    def instructions(self, func: Any = None, /) -> Any:
        """Register a function that returns instructions. It is called for every request.

        Args:
            func: A function with or without the run context, sync or async.

        Returns:
            The function itself, or a decorator if `func` is `None`.
        """
        if func is None:
            return self.instructions
        self._instructions.append(func)
        return func

    def get_instructions(self) -> Any | None:
        """Return the instructions, or `None` if there are none."""
        return list(self._instructions) or None

    def get_description(self) -> CapabilityDescription[AgentDepsT] | None:
        """Return the catalog entry of a deferred capability."""
        return self._description

    def get_toolset(self) -> AgentToolset[AgentDepsT] | None:
        """Return the tools and toolsets as one toolset; tools that are registered later become part of it."""
        toolsets = [as_toolset(toolset) for toolset in self.toolsets]
        if not toolsets:
            return self._function_toolset
        if self._function_toolset.tools:
            return CombinedToolset([self._function_toolset, *toolsets])
        return toolsets[0] if len(toolsets) == 1 else CombinedToolset(toolsets)

    @classmethod
    def from_markdown(
        cls,
        path: str | os.PathLike[str],
        *,
        tools: Sequence[Tool[AgentDepsT] | ToolFuncEither[AgentDepsT, ...]] = (),
        toolsets: Sequence[AgentToolset[AgentDepsT]] | None = None,
        defer_loading: bool = True,
    ) -> Self:
        """Build a capability from a skill: a Markdown file, or a folder with a `SKILL.md` (agentskills.io).

        The frontmatter holds the `name` (or `id`) and `description` of the skill, and the text below it the instructions.
        Files beside a `SKILL.md` are listed in the instructions, and the model can read them with a tool.

        Args:
            path: The file or folder.
            tools: Functions and `Tool` objects that come with the skill.
            toolsets: Toolsets that come with the skill.
            defer_loading: Whether the skill is deferred until the model loads it.

        Raises:
            UserError: There is no such file, its frontmatter is invalid, or a file beside it is a link out of the folder.
        """
        from ._skill_files import skill_arguments

        skill = skill_arguments(path)
        return cls(
            id=skill['id'],
            description=skill['description'],
            instructions=skill['instructions'],
            tools=[*skill['tools'], *tools],
            toolsets=toolsets,
            defer_loading=defer_loading,
        )

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """Return `None`: a spec cannot hold functions."""
        return None
