"""`Conversation`: what was said so far, in one value that is passed from run to run."""

from __future__ import annotations

from .._kit.lazy import lazy_exports

__getattr__, __dir__ = lazy_exports(__name__, {'_conversation': ('Conversation', 'ConversationTypeAdapter')})

__all__ = ('Conversation', 'ConversationTypeAdapter')  # type: ignore[reportUnsupportedDunderAll]
