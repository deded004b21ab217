"""The ids of ready-made capabilities: those of 2.x have some, those of 1.x have none.

An id matters where two capabilities have the same: an agent has one capability of each id. With an id that the program
gave, two are an error; with one that the class gives to all of its instances, no one has said that they are to be two.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING
from typing import Any

from .._contracts.capability import AbstractCapability

HAVE_IDS = False
"""Whether the capabilities of this package have ids when they are given none; a value of the level."""


def id_of_level(name: str) -> Callable[[], str | None]:
    """Return what makes the id of a ready-made capability.

    Args:
        name: The id that it has in 2.x.
    """
    return lambda: name if HAVE_IDS else None


def common_id(capability: AbstractCapability[Any]) -> str | None:
    """Return the id of a capability if it is the one that its class gives to all of them, or `None`.

    Those with one common id, and of one class, are made one with `combine`.

    Args:
        capability: The capability.
    """
    kind, name = type(capability), capability.id
    if name is None:
        return None
    known: Any = getattr(kind, '__dataclass_fields__', {}).get('id')
    if known is not None and known.default_factory is not MISSING:
        return name if known.default_factory() == name else None
    return name if getattr(kind, 'id', None) == name else None
