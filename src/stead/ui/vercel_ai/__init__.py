"""The data stream protocol of the Vercel AI SDK, versions 5 and 6: an adapter, and the stream of its chunks."""

from __future__ import annotations

from ._adapter import VercelAIAdapter
from ._event_stream import VercelAIEventStream

__all__ = ('VercelAIAdapter', 'VercelAIEventStream')
