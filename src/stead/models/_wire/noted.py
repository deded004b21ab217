"""`NotedError`: how a substitute for a part of an SDK takes note of a request without sending it."""

from __future__ import annotations


class NotedError(Exception):
    """A request has been taken note of, rather than sent."""
