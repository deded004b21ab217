"""How reports show numbers, shares and seconds, and how these have changed."""

from __future__ import annotations

import math
from decimal import Decimal

__all__ = (
    'default_render_duration',
    'default_render_duration_diff',
    'default_render_number',
    'default_render_number_diff',
    'default_render_percentage',
)


def default_render_number(value: float) -> str:
    """Return a number with thousands: whole, or with three digits that count, of which one at least is a decimal."""
    if isinstance(value, int):
        return f'{value:,}'
    if not math.isfinite(value):
        return str(value)
    power_of_ten = Decimal(repr(value)).adjusted() if value else -1
    return f'{value:,.{max(2 - power_of_ten, 1)}f}'


def default_render_duration(seconds: float) -> str:
    """Return seconds in the unit that fits."""
    return _seconds(seconds)


def _seconds(seconds: float, sign: str = '') -> str:
    size = abs(seconds)
    if size == 0:
        return '0s'
    if size < 1e-3:
        return f'{seconds * 1e6:{sign},.{0 if size >= 1e-6 else 1}f}µs'
    return f'{seconds * 1e3:{sign},.1f}ms' if size < 1 else f'{seconds:{sign},.1f}s'


def _relative(old: float, new: float) -> str | None:
    if old == 0:
        return None
    ratio = new / old
    if 0 <= ratio <= 2:
        return f'{(ratio - 1) * 100:+.1f}%'
    return f'{ratio:,.0f}x' if abs(ratio) >= 100 else f'{ratio:.1f}x'


def default_render_number_diff(old: float, new: float) -> str | None:
    """Return how a number has changed; `None` if it has not."""
    if old == new:
        return None
    change = new - old
    if isinstance(old, int) and isinstance(new, int):
        return f'{change:+d}'
    text = f'{change:+.3g}'
    text = text if any(letter in text for letter in '.en') else f'{text}.0'
    return ' / '.join(filter(None, (text, _relative(old, new))))


def default_render_duration_diff(old: float, new: float) -> str | None:
    """Return how seconds have changed; `None` if they have not."""
    if old == new:
        return None
    return ' / '.join(filter(None, (_seconds(new - old, '+'), _relative(old, new))))


def default_render_percentage(value: float) -> str:
    """Return a share in percent."""
    return f'{value * 100:.1f}%'
