"""`on_event`: marks the methods of a capability that listen to events of the run."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar, overload

from .._contracts.capability import AbstractCapability
from .._contracts.run_context import RunContext
from ..messages import AgentStreamEvent
from ._hook_decorators import split_event_types

MethodT = TypeVar('MethodT', bound=Callable[..., object])
_MARKED = '_event_methods'


class EventMethod:
    """A method that listens to events. Its class calls it for each event of its types; it is replaced by the method itself."""

    def __init__(self, function: Callable[..., Any], types: tuple[type, ...] | None) -> None:
        self.function = function
        self.types = types

    def __set_name__(self, owner: type[AbstractCapability[Any]], name: str) -> None:
        setattr(owner, name, self.function)
        own: dict[str, tuple[type, ...] | None] | None = vars(owner).get(_MARKED)
        if own is None:
            own = {**getattr(owner, _MARKED, {})}
            setattr(owner, _MARKED, own)
            if 'on_event' not in vars(owner):
                setattr(owner, 'on_event', _call_listeners)
        own[name] = self.types


async def _call_listeners(self: AbstractCapability[Any], ctx: RunContext[Any], *, event: AgentStreamEvent) -> None:
    """Call the methods that listen to an event, in the order in which they were defined."""
    for name, types in getattr(self, _MARKED).items():
        if types is None or isinstance(event, types):
            answer: object = getattr(self, name)(ctx, event)
            if inspect.isawaitable(answer):
                await answer


@overload
def on_event(function: MethodT, /) -> MethodT: ...


@overload
def on_event(*event_types: type[AgentStreamEvent]) -> Callable[[MethodT], MethodT]: ...


def on_event(*event_types: object) -> object:
    """Let a method of a capability listen to events of the run; it is called with the context and the event.

    Args:
        event_types: The types of the events; all if there are none. Without parentheses, it is the method itself.
    """
    first, others = (event_types[0], event_types[1:]) if event_types else (None, ())
    types, function = split_event_types(first, others)
    if function is not None:
        return EventMethod(function, types)
    return partial(EventMethod, types=types)
