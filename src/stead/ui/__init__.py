"""User interfaces: adapters that answer the interfaces of others in their own protocols."""

from __future__ import annotations

from .._kit.lazy import lazy_modules
from ._adapter import StateDeps, StateHandler, UIAdapter
from ._event_stream import SSE_CONTENT_TYPE, NativeEvent, OnCompleteFunc, UIEventStream
from ._messages_builder import BuilderCheckpoint, MessagesBuilder
from ._streams import EventStreams

DEFAULT_HTML_URL = 'https://cdn.jsdelivr.net/npm/@pydantic/ai-chat-ui@1.2.0/dist/index.html'
"""A chat page that others publish, for `to_web(html_source=DEFAULT_HTML_URL)`; the page of stead itself needs no network."""

__all__ = (
    'DEFAULT_HTML_URL',
    'SSE_CONTENT_TYPE',
    'BuilderCheckpoint',
    'EventStreams',
    'MessagesBuilder',
    'NativeEvent',
    'OnCompleteFunc',
    'StateDeps',
    'StateHandler',
    'UIAdapter',
    'UIEventStream',
)

lazy_modules(__name__)
