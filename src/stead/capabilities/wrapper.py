"""`WrapperCapability`: the base class of capabilities that change one thing about another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field, replace
from functools import update_wrapper
from typing import Any

from .._contracts.capability import AbstractCapability, HookListener, overrides
from .._contracts.hooks import CHOICES, HOOK_NAMES, AnyAgent, HookStep
from .._contracts.run_context import AgentDepsT, RunContext
from .._kit.keywords import dataclass


@dataclass
class WrapperCapability(AbstractCapability[AgentDepsT]):
    """A capability that delegates everything to another; subclasses override what is to be different.

    It has the id and deferral of the wrapped capability unless it is built with an `id`, `description` or `defer_loading`.
    The ordering of the wrapped capability does not apply to it: a wrapper stays where it is listed.
    """

    wrapped: AbstractCapability[AgentDepsT] = field(kw_only=False)
    """The other capability."""

    def __post_init__(self) -> None:
        if self.id is None and self.description is None and not self.defer_loading:
            for name in ('id', 'defer_loading'):  # an assignment would look like a declaration to type checkers
                setattr(self, name, getattr(self.wrapped, name))

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """Return `None`: a spec cannot hold the wrapped capability, unless a subclass has a form for it."""
        return None

    def for_agent(self, agent: AnyAgent) -> AbstractCapability[AgentDepsT]:
        """Return this wrapper around what the wrapped capability is for an agent."""
        wrapped = self.wrapped.for_agent(agent)
        return self if wrapped is self.wrapped else replace(self, wrapped=wrapped)

    async def for_run(self, ctx: RunContext[AgentDepsT]) -> AbstractCapability[AgentDepsT]:
        """Return this wrapper around what the wrapped capability returns."""
        wrapped = await self.wrapped.for_run(ctx)
        return self if wrapped is self.wrapped else replace(self, wrapped=wrapped)

    def apply(self, visitor: Callable[[AbstractCapability[AgentDepsT]], None]) -> None:
        """Call a visitor on the wrapper, and then on the parts of a wrapped capability that has any."""
        parts: list[AbstractCapability[AgentDepsT]] = []
        self.wrapped.apply(parts.append)
        visitor(self)
        if len(parts) != 1 or parts[0] is not self.wrapped:
            for part in parts:
                visitor(part)

    def visit_leaves(self, visitor: Callable[[AbstractCapability[AgentDepsT]], None]) -> None:
        """Call a visitor on the wrapper alone, which calls what it wraps."""
        visitor(self)

    def has_hook(self, name: str) -> bool:
        """Return whether this or the wrapped capability implements a hook."""
        return overrides(self, name, WrapperCapability) or self.wrapped.has_hook(name)

    def _hook_steps(self, name: str) -> Sequence[HookStep]:
        own = overrides(self, name, WrapperCapability) or (
            name == 'on_event' and overrides(self, 'listens_to', WrapperCapability)
        )
        return super()._hook_steps(name) if own else self.wrapped._hook_steps(name)

    @property
    def replays_answers(self) -> bool:  # type: ignore[reportIncompatibleVariableOverride]
        """Whether the wrapped capability wants responses that hooks answer to be shown."""
        return self.wrapped.replays_answers

    @property
    def watches_changes(self) -> bool:  # type: ignore[reportIncompatibleVariableOverride]
        """Whether the wrapped capability wants to hear what others change."""
        return self.wrapped.watches_changes

    def announce_hooks(self, listener: HookListener) -> None:
        """Register the listener with the wrapped capability."""
        self.wrapped.announce_hooks(listener)


# Methods that are delegated in addition to the hooks.
_CONFIGURATION = (
    'get_toolset',
    'get_native_tools',
    'get_wrapper_toolset',
    'get_instructions',
    'get_model_settings',
    'get_workspace',
    'get_description',
    'listens_to',
    *CHOICES,
)


def _delegate(name: str) -> Callable[..., object]:
    def method(self: WrapperCapability[Any], *args: object, **kwargs: object) -> object:
        return getattr(self.wrapped, name)(*args, **kwargs)

    return update_wrapper(method, getattr(AbstractCapability, name))


for _name in (*HOOK_NAMES, *_CONFIGURATION):
    setattr(WrapperCapability, _name, _delegate(_name))
