"""A chat page for an agent, as an ASGI application without dependencies."""

from __future__ import annotations

from ._web import WebChat

__all__ = ('WebChat',)
