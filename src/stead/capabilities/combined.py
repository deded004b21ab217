"""`CombinedCapability`: several capabilities as one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .._contracts.capability import AbstractCapability
from .._contracts.hooks import POINTS, HookPoint
from .._contracts.run_context import AgentDepsT, RunContext
from .chain import HookChain
from .ordering import sort_capabilities


@dataclass(init=False)
class CombinedCapability(AbstractCapability[AgentDepsT]):
    """Several capabilities as one, in the order that they ask for; runs take them apart again."""

    capabilities: list[AbstractCapability[AgentDepsT]]
    """The capabilities, outermost first."""

    def __init__(self, capabilities: Sequence[AbstractCapability[AgentDepsT]]) -> None:
        """Combine capabilities.

        Raises:
            UserError: What they ask of their order cannot be had.
        """
        flat: list[AbstractCapability[AgentDepsT]] = []
        for capability in capabilities:
            flat.extend(capability.capabilities if isinstance(capability, CombinedCapability) else [capability])  # type: ignore[reportUnknownArgumentType]
        self.capabilities = sort_capabilities(flat)

    def apply(self, visitor: Callable[[AbstractCapability[AgentDepsT]], None]) -> None:
        """Call a visitor on the leaves of all capabilities."""
        for capability in self.capabilities:
            capability.apply(visitor)

    async def for_run(self, ctx: RunContext[AgentDepsT]) -> AbstractCapability[AgentDepsT]:
        """Return a combination of what the capabilities return."""
        made = [await capability.for_run(ctx) for capability in self.capabilities]
        return self if all(new is old for new, old in zip(made, self.capabilities)) else CombinedCapability(made)

    @property
    def chain(self) -> HookChain:
        """The hooks of all capabilities."""
        return HookChain([self])


def _combined_hooks() -> dict[str, Any]:
    """Return the four hooks of every point, each of them over the chain."""
    made: dict[str, Any] = {}
    for point in POINTS:
        made.update(_hooks_of(point))
    return made


def _hooks_of(point: HookPoint) -> dict[str, Any]:
    async def before(self: CombinedCapability[Any], ctx: RunContext[Any], value: Any = None, **options: Any) -> Any:
        if point.value is not None and point.value in options:
            value = options.pop(point.value)
        return await self.chain.before(point, ctx, value, options)

    async def after(self: CombinedCapability[Any], ctx: RunContext[Any], **options: Any) -> Any:
        result = options.pop(point.result)
        value = options.pop(point.value, None) if point.value is not None else None
        return await self.chain.after(point, ctx, value, options, result)

    async def wrap(self: CombinedCapability[Any], ctx: RunContext[Any], *, handler: Any, **options: Any) -> Any:
        value = options.pop(point.value) if point.value is not None else None
        action = handler
        if point.value is None:

            async def action(_: Any) -> Any:
                return await handler()

        return await self.chain.wrapped(point, ctx, options, action)(value)

    async def on_error(self: CombinedCapability[Any], ctx: RunContext[Any], *, error: Any, **options: Any) -> Any:
        value = options.pop(point.value) if point.value is not None else None
        return await self.chain.on_error(point, ctx, value, options, error)

    return {point.before: before, point.after: after, point.wrap: wrap, point.on_error: on_error}


for _name, _hook in _combined_hooks().items():
    setattr(CombinedCapability, _name, _hook)
