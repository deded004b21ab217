"""Prices of models: new ones, while the program runs.

The package genai-prices (`stead[prices]`) has the prices of the day of its release. `result.cost()`, `RunUsage.cost` and
`UsageLimits(cost_limit=...)` use them.
"""

from __future__ import annotations

from ._kit.sdk_types import UpdatePrices

__all__ = ('update_in_background',)


def update_in_background() -> UpdatePrices:
    """Download new prices in a thread, now and once an hour.

    Returns:
        The updates, which run until their `stop()` is called, or until the end of a `with` block around them.

    Raises:
        ImportError: The package genai-prices is not installed; `pip install "stead[prices]"`.
    """
    try:
        from genai_prices import UpdatePrices as Updates
    except ImportError as error:
        raise ImportError(
            'Prices need the package genai-prices. Install it with `pip install "stead[prices]"`.'
        ) from error
    updates = Updates()
    updates.start()
    return updates
