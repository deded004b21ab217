"""Errors and retries in the hooks of `tool_execute`, for one capability and for three."""

from _capabilities import matrix

matrix('tool_execute')
