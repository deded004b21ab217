"""Tools that delegate to a subagent. The model of the subagent has a native tool that the outer model lacks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from inspect import isawaitable
from typing import Any, Union, cast

from typing_extensions import TypeAlias, TypeVar

from .._contracts.capability import AbstractCapability
from .._contracts.run_context import RunContext
from ..exceptions import ModelRetry, UnexpectedModelBehavior
from ..models import KnownModelName, Model
from ..native_tools import AbstractNativeTool

T = TypeVar('T')

FallbackModelFunc: TypeAlias = Callable[[RunContext[Any]], Union[Awaitable[Model], Model]]
"""A function that returns the model, from the run context of the call."""
FallbackModel: TypeAlias = Union[Model, KnownModelName, str, FallbackModelFunc, None]
"""A model, its name, or a function that returns one."""


@dataclass
class _OneNativeTool(AbstractCapability[Any]):
    """All that the agent has in addition to its instructions."""

    tool: AbstractNativeTool = field(kw_only=False)

    def get_native_tools(self) -> Sequence[AbstractNativeTool]:
        return [self.tool]


async def run_subagent(
    ctx: RunContext[Any],
    prompt: str,
    *,
    model: FallbackModel,
    native_tool: AbstractNativeTool,
    instructions: str,
    output_type: type[T],
    check_model: Callable[[object], None] = lambda model: None,
) -> T:
    """Run an agent with one native tool.

    Raises:
        ModelRetry: The response of its model is unusable.
        UserError: There is no such model, or it does not support the native tool.
    """
    from ..agent._agent import Agent

    chosen: Any = model
    if callable(model) and not isinstance(model, Model):
        chosen = cast(Any, model)(ctx)
        if isawaitable(chosen):
            chosen = await chosen
        check_model(chosen)
    agent: Any = Agent(
        chosen, output_type=output_type, instructions=instructions, capabilities=[_OneNativeTool(native_tool)]
    )
    try:
        result = await agent.run(prompt)
    except UnexpectedModelBehavior as error:
        raise ModelRetry(str(error)) from error
    return result.output


def legacy_native_tool(name: str, native_tool: object, legacy: dict[str, Any]) -> Any:
    """Return the native tool, which may be passed under its old name.

    Raises:
        TypeError: It is missing, or there are unknown arguments.
    """
    from .._kit.deprecated import warn_deprecated

    if 'builtin_tool' in legacy:
        warn_deprecated(f'`{name}(builtin_tool=...)` is an old name; use `native_tool`.', stacklevel=4)
        native_tool = legacy.pop('builtin_tool') if native_tool is None else native_tool
    if legacy:
        raise TypeError(f'{name}() does not take the arguments {", ".join(map(repr, legacy))}.')
    if native_tool is None:
        raise TypeError(f'{name}() needs a `native_tool`: the tool that the model of the subagent uses.')
    return native_tool
