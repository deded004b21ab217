"""Bounds of outside input, and how to change them: `set_input_bounds(yaml_length=1_000_000)`."""

from __future__ import annotations

from ._kit.input_bounds import InputBounds, input_bounds, set_input_bounds

__all__ = ['InputBounds', 'input_bounds', 'set_input_bounds']
