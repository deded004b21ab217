"""Hooks that answer or recover in place of a tool."""

from _capabilities import recover

recover('tool_execute', lambda: 'recovered')
