"""The order of capabilities: as listed, unless their `get_ordering` asks for another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from .._contracts.capability import AbstractCapability, CapabilityOrdering, CapabilityRef
from ..exceptions import UserError

_TIERS = {'outermost': 0, None: 1, 'innermost': 2}
_NO_ORDERING = CapabilityOrdering()


def visit_leaves(capability: AbstractCapability[Any], visitor: Callable[[AbstractCapability[Any]], None]) -> None:
    """Call a visitor on every capability that runs call: as `apply` does, except that a wrapper stands for its parts.

    One that has none yet, because it finds its parts when a run starts, stands for itself until then.
    """
    if (visit := getattr(capability, 'visit_leaves', None)) is not None:
        visit(visitor)
        return
    found: list[AbstractCapability[Any]] = []
    capability.apply(found.append)
    for leaf in found or (capability,):
        visitor(leaf)


def sort_capabilities(capabilities: Sequence[AbstractCapability[Any]]) -> list[AbstractCapability[Any]]:
    """Return capabilities, outermost first, in the order that their `get_ordering` asks for.

    Args:
        capabilities: Leaf capabilities; their order breaks ties.

    Raises:
        UserError: A required capability is missing, or the constraints contradict each other.
    """
    orders = [ordering_of(capability) for capability in capabilities]
    if all(order is _NO_ORDERING for order in orders):
        return list(capabilities)
    for capability, order in zip(capabilities, orders):
        for required in order.requires:
            if not any(isinstance(other, required) for other in capabilities):
                raise UserError(
                    f'{describe(capability)} requires a {required.__name__} capability, and there is none. '
                    f'Add a {required.__name__} to `capabilities`.'
                )
    reasons = _constraints(capabilities, orders)
    waiting = {index: {before for before, after in reasons if after == index} for index in range(len(capabilities))}
    placed = [index for index, before in waiting.items() if not before]
    for done in placed:  # grows during the loop: a capability joins once none is left that must come before it
        for index, before in waiting.items():
            if done in before:
                before.remove(done)
                if not before:
                    placed.append(index)
    if len(placed) < len(capabilities):
        cycle = _find_cycle({index: before for index, before in waiting.items() if before})
        steps = [reasons[cycle[at], cycle[at + 1]] for at in range(len(cycle) - 1)]
        raise UserError(
            f'The order that capabilities ask for contradicts itself: {"; ".join(steps)}. Remove one of these constraints.'
        )
    return [capabilities[index] for index in placed]


def ordering_of(capability: AbstractCapability[Any]) -> CapabilityOrdering:
    """Return the ordering of a capability; without a position of its own, it has that of the parts that its `apply` visits.

    Raises:
        UserError: Its parts ask for both ends of the chain.
    """
    ordering = capability.get_ordering() or _NO_ORDERING
    parts: list[AbstractCapability[Any]] = []
    capability.apply(parts.append)
    found = {
        own.position: part for part in parts if (own := part.get_ordering()) is not None and own.position is not None
    }
    if len(found) > 1:
        raise UserError(
            f'{describe(capability)} cannot have one place in the chain: {describe(found["outermost"])} in it is outermost, and '
            f'{describe(found["innermost"])} is innermost. List them as capabilities of their own.'
        )
    return replace(ordering, position=next(iter(found))) if found and ordering.position is None else ordering


def order_reasons(capabilities: Sequence[AbstractCapability[Any]]) -> dict[int, list[str]]:
    """Return, by the `id()` of a capability, the constraints that determine its place.

    Args:
        capabilities: Leaf capabilities, in order.
    """
    orders = [ordering_of(capability) for capability in capabilities]
    by_capability: dict[int, list[str]] = {}
    for (first, second), reason in _constraints(capabilities, orders).items():
        for index in (first, second):
            reasons = by_capability.setdefault(id(capabilities[index]), [])
            if reason not in reasons:
                reasons.append(reason)
    return by_capability


def _constraints(
    capabilities: Sequence[AbstractCapability[Any]], orders: Sequence[CapabilityOrdering]
) -> dict[tuple[int, int], str]:
    """Return pairs of positions, with the reason why the first must come before the second."""
    reasons: dict[tuple[int, int], str] = {}
    for index, (capability, order) in enumerate(zip(capabilities, orders)):
        for position, other in enumerate(capabilities):
            if other is capability:
                continue
            if _TIERS[order.position] < _TIERS[orders[position].position]:
                asks = describe(capability) if order.position else describe(other)
                tier = order.position or orders[position].position
                reasons.setdefault((index, position), f'{asks} is {tier}')
            if any(_matches(ref, other) for ref in order.wraps):
                reasons[index, position] = f'{describe(capability)} wraps {describe(other)}'
            if any(_matches(ref, other) for ref in order.wrapped_by):
                reasons[position, index] = f'{describe(capability)} is wrapped by {describe(other)}'
    return reasons


def _find_cycle(waiting: dict[int, set[int]]) -> list[int]:
    """Return a cycle: positions each of which must come before the next, ending with the first one again."""
    path = [next(iter(waiting))]
    while path[-1] not in path[:-1]:
        path.append(min(before for before in waiting[path[-1]] if before in waiting))
    return path[path.index(path[-1]) :][::-1]


def describe(capability: AbstractCapability[Any]) -> str:
    """Return how error messages refer to a capability."""
    name = type(capability).__name__
    return f'{name} {capability.id!r}' if capability.id is not None else name


def _matches(ref: CapabilityRef, capability: AbstractCapability[Any]) -> bool:
    return isinstance(capability, ref) if isinstance(ref, type) else capability is ref
