"""The order of capabilities: as listed, except where they say otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._contracts.capability import AbstractCapability, CapabilityOrdering
from ..exceptions import UserError

_TIERS = {'outermost': 0, None: 1, 'innermost': 2}


def sort_capabilities(capabilities: Sequence[AbstractCapability[Any]]) -> list[AbstractCapability[Any]]:
    """Return capabilities in the order that their `get_ordering` asks for; the listed order breaks ties.

    Raises:
        UserError: A required capability is missing, or the constraints contradict each other.
    """
    orders = [capability.get_ordering() or CapabilityOrdering() for capability in capabilities]
    if all(order == CapabilityOrdering() for order in orders):
        return list(capabilities)
    for capability, order in zip(capabilities, orders):
        for required in order.requires:
            if not any(isinstance(other, required) for other in capabilities):
                raise UserError(
                    f'{type(capability).__name__} requires a {required.__name__} capability, and there is none. '
                    f'Add one to `capabilities`.'
                )
    before: dict[int, set[int]] = {index: set() for index in range(len(capabilities))}
    for index, order in enumerate(orders):
        for other in range(len(capabilities)):
            if other == index:
                continue
            if _TIERS[orders[other].position] < _TIERS[order.position]:
                before[index].add(other)
            if any(_matches(ref, capabilities[other]) for ref in order.wraps):
                before[other].add(index)
            if any(_matches(ref, capabilities[other]) for ref in order.wrapped_by):
                before[index].add(other)
    placed: list[int] = []
    while len(placed) < len(capabilities):
        ready = [index for index in before if index not in placed and before[index] <= set(placed)]
        if not ready:
            names = sorted({type(capabilities[index]).__name__ for index in before if index not in placed})
            raise UserError(
                f'The ordering constraints of these capabilities contradict each other: {", ".join(names)}.'
            )
        placed.append(ready[0])
    return [capabilities[index] for index in placed]


def _matches(ref: Any, capability: AbstractCapability[Any]) -> bool:
    return isinstance(capability, ref) if isinstance(ref, type) else capability is ref
