"""Errors and retries in the hooks of `run`, for one capability and for three."""

from _capabilities import matrix

matrix('run')
