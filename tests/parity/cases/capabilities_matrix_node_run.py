"""Errors and retries in the hooks of `node_run`, for one capability and for three."""

from _capabilities import matrix

matrix('node_run')
