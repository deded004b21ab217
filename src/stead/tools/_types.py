"""Type aliases of the functions that users write for tools and prompts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Literal, Union

from typing_extensions import Concatenate, ParamSpec, TypeAlias, TypeVar

from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.tool_definition import ToolDefinition

ToolParams = ParamSpec('ToolParams', default=...)
"""The parameters of a tool function."""
ToolAgentDepsT = TypeVar('ToolAgentDepsT', default=object, contravariant=True)
"""Type variable for the dependencies that a tool needs."""

SystemPromptFunc: TypeAlias = Union[
    Callable[[RunContext[AgentDepsT]], Union[str, None]],
    Callable[[RunContext[AgentDepsT]], Awaitable[Union[str, None]]],
    Callable[[], Union[str, None]],
    Callable[[], Awaitable[Union[str, None]]],
]
"""A function that returns prompt text, with or without run context, sync or async."""

ToolFuncContext: TypeAlias = Callable[Concatenate[RunContext[AgentDepsT], ToolParams], Any]
"""A tool function that takes the run context as its first argument."""
ToolFuncPlain: TypeAlias = Callable[ToolParams, Any]
"""A tool function that does not take the run context."""
ToolFuncEither: TypeAlias = Union[ToolFuncContext[AgentDepsT, ToolParams], ToolFuncPlain[ToolParams]]
"""Either kind of tool function."""
ArgsValidatorFunc: TypeAlias = Union[
    Callable[Concatenate[RunContext[AgentDepsT], ToolParams], Awaitable[None]],
    Callable[Concatenate[RunContext[AgentDepsT], ToolParams], None],
]
"""A function that checks validated arguments and raises `ModelRetry` to reject them."""
ToolPrepareFunc: TypeAlias = Callable[
    [RunContext[AgentDepsT], ToolDefinition], Union[Awaitable[Union[ToolDefinition, None]], ToolDefinition, None]
]
"""A function that changes the definition of a tool for a step, or hides the tool by returning `None`."""
ToolsPrepareFunc: TypeAlias = Callable[
    [RunContext[AgentDepsT], list[ToolDefinition]],
    Union[Awaitable[Union[list[ToolDefinition], None]], list[ToolDefinition], None],
]
"""A function that changes or filters the definitions of all tools for a step."""
ToolSelectorFunc: TypeAlias = Callable[[RunContext[AgentDepsT], ToolDefinition], Union[bool, Awaitable[bool]]]
"""A function that says whether a tool is selected."""
ToolSelector: TypeAlias = Union[Literal['all'], Sequence[str], dict[str, Any], ToolSelectorFunc[AgentDepsT]]
"""The tools that a capability or toolset applies to: all, by name, by entries of their metadata, or by a function."""
