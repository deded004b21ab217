"""`DynamicCapability`: a capability that a function of the run context builds for each run."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Union, cast

from typing_extensions import TypeAlias

from .._contracts.capability import AbstractCapability
from .._contracts.run_context import AgentDepsT, RunContext
from ..exceptions import UserError

CapabilityFunc: TypeAlias = Callable[
    [RunContext[AgentDepsT]],
    Union[AbstractCapability[AgentDepsT], None, Awaitable[Union[AbstractCapability[AgentDepsT], None]]],
]
"""A function of the run context that returns a capability or `None`, sync or async."""
AgentCapability: TypeAlias = Union[AbstractCapability[AgentDepsT], CapabilityFunc[AgentDepsT]]
"""A capability, or a function of the run context that returns one."""


@dataclass
class DynamicCapability(AbstractCapability[AgentDepsT]):
    """A capability that a function builds, once for each run."""

    capability_func: CapabilityFunc[AgentDepsT] = field(kw_only=False)
    """The function, sync or async; returns a capability, or `None` for none."""

    def __post_init__(self) -> None:
        if self.defer_loading:
            raise UserError(
                '`DynamicCapability` cannot be deferred, because what the model would load is not known until a run starts. '
                'Set `defer_loading=True` on the capability that its function returns.'
            )

    async def for_run(self, ctx: RunContext[AgentDepsT]) -> AbstractCapability[AgentDepsT]:
        """Return the capability that the function builds for the run, or `self`, which does nothing, if it returns `None`.

        Raises:
            UserError: The function returned something that is not a capability.
        """
        capability: object = self.capability_func(ctx)
        if inspect.isawaitable(capability):
            capability = await capability
        if capability is None:
            return self
        if not isinstance(capability, AbstractCapability):
            name = getattr(self.capability_func, '__name__', repr(self.capability_func))
            raise UserError(f'The capability function {name!r} must return a capability or `None`, not {capability!r}.')
        return await cast(AbstractCapability[AgentDepsT], capability).for_agent(ctx.agent).for_run(ctx)
