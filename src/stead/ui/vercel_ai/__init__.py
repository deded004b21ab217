"""The data stream protocol of the Vercel AI SDK, versions 5 and 6: an adapter, and the stream of its chunks."""

from __future__ import annotations

from ..._kit.lazy import lazy_exports

# No module of this package is imported here: a thread that imports one waits for this one, and would be waited for.
__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        '_adapter': ('VercelAIAdapter',),
        '_event_stream': ('VercelAIEventStream',),
    },
)

__all__ = ('VercelAIAdapter', 'VercelAIEventStream')
