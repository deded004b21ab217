"""Errors and retries in the hooks of `model_request`; a retry before the request is left out."""

from _capabilities import matrix

matrix('model_request', skip=('before', 'after'))
