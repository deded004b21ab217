"""Applications that serve agents, on Starlette: a page to talk with one, and what keeps other sites out."""

from __future__ import annotations

from ..._kit.extras import naming_extra
from ..._kit.lazy import lazy_modules

with naming_extra('starlette', extra='web', what='Serving an agent'):
    from ._app import create_web_app
    from ._guard import Guard
    from ._server import create_server

__all__ = ('Guard', 'create_server', 'create_web_app')

lazy_modules(__name__)
