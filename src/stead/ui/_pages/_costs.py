"""What responses cost, where that is known."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from ...messages import ModelMessage, ModelResponse


def cost_of(response: ModelResponse) -> float | None:
    """Return what a response cost, in US dollars; `None` if its price is not known, or cannot be looked up here."""
    with suppress(ImportError, LookupError, ValueError, TypeError):
        return float(response.cost().total_price)
    return None


def costs_of(messages: Iterable[ModelMessage]) -> float | None:
    """Return what responses cost together, in US dollars; `None` if none of their prices is known."""
    known = [
        cost for message in messages if isinstance(message, ModelResponse) if (cost := cost_of(message)) is not None
    ]
    return sum(known) if known else None
