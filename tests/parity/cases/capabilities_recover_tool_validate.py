"""Hooks that answer or recover in place of tool validation."""

from _capabilities import recover

recover('tool_validate', lambda: {'x': 5})
