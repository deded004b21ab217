"""`WrapperCapability`: the mould of capabilities that change one thing about another."""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterable
from dataclasses import dataclass
from typing import Any

from .._contracts.capability import AbstractCapability
from .._contracts.hooks import HOOK_NAMES
from .._contracts.run_context import AgentDepsT, RunContext


@dataclass
class WrapperCapability(AbstractCapability[AgentDepsT]):
    """A capability that passes everything on to another; override what is to be different."""

    wrapped: AbstractCapability[AgentDepsT] = dataclasses.field(kw_only=False)
    """The other capability."""

    async def for_run(self, ctx: RunContext[AgentDepsT]) -> AbstractCapability[AgentDepsT]:
        """Return this wrapper around what the wrapped capability returns."""
        made = await self.wrapped.for_run(ctx)
        return self if made is self.wrapped else dataclasses.replace(self, wrapped=made)

    @property
    def has_wrap_node_run(self) -> bool:
        """Whether this or the wrapped capability wraps nodes."""
        return type(self).wrap_node_run is not WrapperCapability.wrap_node_run or self.wrapped.has_wrap_node_run

    async def wrap_run_event_stream(
        self, ctx: RunContext[AgentDepsT], *, stream: AsyncIterable[Any]
    ) -> AsyncIterable[Any]:
        """Pass the events through the wrapped capability."""
        async for event in self.wrapped.wrap_run_event_stream(ctx, stream=stream):
            yield event


def _delegate(name: str) -> Any:
    def method(self: WrapperCapability[Any], *args: Any, **kwargs: Any) -> Any:
        return getattr(self.wrapped, name)(*args, **kwargs)

    method.__name__ = name
    method.__doc__ = f'Call `{name}` of the wrapped capability.'
    return method


_CONFIGURATION = (
    'get_toolset',
    'get_native_tools',
    'get_wrapper_toolset',
    'get_instructions',
    'get_model_settings',
    'get_description',
    'get_ordering',
)
for _name in (*HOOK_NAMES, *_CONFIGURATION):
    if _name != 'wrap_run_event_stream':
        setattr(WrapperCapability, _name, _delegate(_name))
