"""Errors and retries in the hooks of `output_process`, for one capability and for three."""

from _capabilities import matrix

matrix('output_process')
