"""The ids of capabilities, and the toolsets and instructions they contribute."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, cast

from .. import toolsets
from .._contracts.capability import AbstractCapability
from .._contracts.run_context import AgentDepsT
from .._contracts.toolset import AbstractToolset
from ..exceptions import UserError
from ..toolsets import AgentToolset, _capability_owned

_WORD = r'[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+'


def capability_ids(capabilities: Sequence[AbstractCapability[Any]]) -> dict[str, AbstractCapability[Any]]:
    """Return capabilities by id, in order.

    A capability without an id gets the name of its class in snake case, with a number if that id is taken.

    Raises:
        UserError: Two capabilities have the same id, or a deferred one has none.
    """
    explicit: dict[str, AbstractCapability[Any]] = {}
    for capability in capabilities:
        if capability.id is None:
            if capability.defer_loading:
                raise UserError(
                    f'{type(capability).__name__} has `defer_loading=True` but no `id`. Give it a stable id: message '
                    'history refers to loaded capabilities by it.'
                )
            continue
        if capability.id in explicit:
            raise UserError(
                f'Two capabilities have the id {capability.id!r}: {type(explicit[capability.id]).__name__} and '
                f'{type(capability).__name__}. Give one of them another id.'
            )
        explicit[capability.id] = capability
    named: dict[str, AbstractCapability[Any]] = {}
    for capability in capabilities:
        name = capability.id
        if name is None:
            base = name = snake_case(type(capability).__name__)
            number = 1
            while name in explicit or name in named:
                number += 1
                name = f'{base}_{number}'
        named[name] = capability
    return named


def snake_case(name: str) -> str:
    """Return the words of a class name in lower case, joined by underscores."""
    return '_'.join(re.findall(_WORD, name)).lower() or name.lower()


def as_toolset(source: AgentToolset[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
    """Return a toolset as it is, or a `DynamicToolset` for a function of the run context that returns one."""
    return (
        cast(AbstractToolset[AgentDepsT], source)
        if isinstance(source, AbstractToolset)
        else toolsets.DynamicToolset(source)
    )


def add_owned(known: list[AbstractToolset[Any]], source: AgentToolset[AgentDepsT], name: str) -> None:
    """Add the tools of a capability, marked with its id, unless another capability has brought the same toolset."""
    owned = _capability_owned.CapabilityOwnedToolset
    if not any(isinstance(one, owned) and one.wrapped is source for one in known):
        known.append(owned(as_toolset(source), name))


def as_list(instructions: object) -> list[object]:
    """Return instructions as a list: `instructions` may be text, a function, a sequence of these, or `None`."""
    if instructions is None or instructions == '':
        return []
    if isinstance(instructions, Sequence) and not isinstance(instructions, str):
        return list(cast('Sequence[object]', instructions))
    return [instructions]
